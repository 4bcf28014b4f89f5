import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { isFractusError } from '@fractus/objects';
import { printText } from './print';
import { parseScenario } from './scenario';
import { simulate } from './simulate';

async function run(file: string, { json, hosts }: { json?: boolean; hosts?: boolean }): Promise<void> {
  const scenario = parseScenario(JSON.parse(readFileSync(file, 'utf8')));
  const results = await simulate(scenario);
  console.log(json ? JSON.stringify(results, null, 2) : printText(results, hosts ?? false));
}

new Command('scheduler-sim')
  .description('Runs the scheduler’s pipeline over a file of hosts and requests, and says where each would go and why.')
  .argument('<file>', 'JSON: {hosts, aggregates?, requests, options?, seed?}; see tools/scheduler-sim/example.json')
  .option('--json', 'print whole reports')
  .option('--hosts', 'print why single hosts were rejected')
  .action(run)
  .parseAsync()
  .catch((e: unknown) => {
    const known = isFractusError(e) || e instanceof SyntaxError || (e as NodeJS.ErrnoException).code === 'ENOENT';
    console.error(`scheduler-sim: ${known ? (e as Error).message : String((e as Error).stack)}`);
    process.exitCode = 1;
  });
