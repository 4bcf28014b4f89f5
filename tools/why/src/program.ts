/** The command line. Exit codes: 0, 1 no such server or nothing known, 2 usage. */
import { existsSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { action, type Api, computeApi, EXIT, type ExitCode, type Output, runProgram } from '@fractus/operator';
import { variablesOfCloud } from './cloud-of-file';
import { type Attempt, explain } from './explain';

const HELP = `
As whom: the OS_* variables that OpenStack's clients take; or --os-cloud (or OS_CLOUD) of a clouds.yaml; or the
administrator of --state-dir, or of .fractus-cluster or .fractus in the present folder.
Administrators see hosts, and servers of all projects, deleted ones too; others see counts, of their own servers.`;

interface Options {
  readonly osCloud?: string;
  readonly stateDir?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** Runs the command; resolves to its exit code and never rejects. */
export function why(args: string[], env: NodeJS.ProcessEnv, output: Output): Promise<ExitCode> {
  const program = new Command('why')
    .description('why a server is where it is, or nowhere')
    .argument('<server id>')
    .option('--limit <n>', 'attempts, the last ones', whole, 3)
    .option('--os-cloud <name>', 'of clouds.yaml')
    .option('--state-dir <folder>', 'of npm run cluster or npm start')
    .option('--json', 'as the API tells it')
    .addHelpText('after', HELP);
  program.action(action(program, (id: string, options: Options) => tell(id, options, env, output)));
  return runProgram(program, args, output);
}

async function tell(id: string, options: Options, env: NodeJS.ProcessEnv, output: Output): Promise<ExitCode> {
  const api = apiOf(options, env);
  const path = `/servers/${encodeURIComponent(id)}`;
  const { body } = await api.get(`${path}/os-schedule-info`, { query: { limit: options.limit } });
  const attempts = (body as { schedule_info: Attempt[] }).schedule_info;
  if (options.json) output.out(JSON.stringify(body, null, 2));
  // a deleted server is shown no more, its attempts are
  const { status, body: shown } = await api.get(path, { accept: [404] });
  const server = status === 404 ? undefined : (shown as { server: Record<string, unknown> }).server;
  if (!options.json) for (const line of explain({ id, server, attempts })) output.out(line);
  return attempts.length > 0 ? EXIT.done : EXIT.none;
}

function apiOf({ osCloud, stateDir }: Options, env: NodeJS.ProcessEnv): Api {
  const named = osCloud ?? (env['OS_AUTH_URL'] === undefined ? env['OS_CLOUD'] : undefined);
  if (named !== undefined) return computeApi(variablesOfCloud(named, env));
  const folder = stateDir ?? ['.fractus-cluster', '.fractus'].find((f) => existsSync(f));
  return computeApi(env, folder === undefined ? {} : { stateDir: folder });
}

function whole(text: string): number {
  const n = Number(text);
  if (!Number.isInteger(n) || n < 1 || n > 100) throw new InvalidArgumentError('a whole number from 1 to 100');
  return n;
}
