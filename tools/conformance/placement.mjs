#!/usr/bin/env node
// Holds our Placement against upstream's HTTP suite, in every configuration that the suite knows, on each database:
//
//   npm run conformance:placement -- [--database sqlite|mariadb|both] [--suite FOLDER] [--only TEXT]
//
// Ends with `N passed, N failed`. Exit codes: 0 all passed, 1 some did not, 2 bad use, 3 no suite, 4 something is missing.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { root } from '../start/checks.mjs';
import { openDatabases } from './lib/databases.mjs';
import { jobsOf, readFiles, SETS } from './lib/file-sets.mjs';
import { build, faultsIn, startPlacement } from './lib/placement-service.mjs';
import { addUp, text } from './lib/report.mjs';
import { findPython, findSuite, Missing, runFiles } from './lib/suite.mjs';

const program = new Command('conformance:placement')
  .description("Holds our Placement against upstream's HTTP suite.")
  .addOption(
    new Option('--database <which>', 'on which database (default: both, where MariaDB is installed)').choices([
      'sqlite',
      'mariadb',
      'both',
    ]),
  )
  .option('--suite <folder>', 'folder of the suite', join(root, '../shared/conformance/placement'))
  .option('--only <text>', 'only files whose names hold this')
  .option('--parallel <n>', 'services at a time', positive, 2)
  .exitOverride((e) => process.exit(e.exitCode === 0 ? 0 : 2));

function positive(value) {
  if (!/^[1-9][0-9]*$/.test(value)) throw new InvalidArgumentError('a number from 1 on');
  return Number(value);
}

/** One service on a database of its own, and the files for it. */
async function run({ kind, set, files }, { folder, python, suite }) {
  const began = performance.now();
  const outcome = { database: kind.name, set };
  let service;
  try {
    const databaseUrl = await kind.fresh(folder);
    service = await startPlacement({ folder, databaseUrl, policy: set.policy, env: set.env });
    const { url } = service;
    outcome.report = await runFiles({
      python,
      suite,
      url,
      profile: set.profile,
      files,
      report: join(folder, 'report.json'),
    });
  } catch (e) {
    outcome.error = e;
  }
  if (service) {
    await service.stop();
    outcome.faults = faultsIn(service.log);
  }
  console.log(
    `${kind.name} ${set.name}: ${files.length} file(s) in ${((performance.now() - began) / 1000).toFixed(0)} s`,
  );
  return outcome;
}

/** Each of `items` through `work`, so many at a time. */
async function each(items, parallel, work) {
  const left = items.entries();
  const results = [];
  const worker = async () => {
    for (const [i, item] of left) results[i] = await work(item, i);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return results;
}

async function main({ database, suite: folder, only, parallel }) {
  const began = performance.now();
  const suite = findSuite(folder);
  const python = findPython();
  const files = readFiles(suite.gabbits).filter(({ name }) => name.includes(only ?? ''));
  if (files.length === 0) throw new Missing(`no file of ${suite.gabbits} is called so`, 3);
  const absent = SETS.filter(({ name }) => !files.some(({ set }) => set === name));
  build();
  const scratch = mkdtempSync(join(tmpdir(), 'fractus-conformance-'));
  const { kinds, skipped } = await openDatabases(database, scratch);
  let outcomes;
  try {
    const jobs = kinds.flatMap((kind) => jobsOf(files).map((job) => ({ kind, ...job })));
    jobs.sort((a, b) => b.tests - a.tests);
    outcomes = await each(jobs, parallel, (job, i) => run(job, { folder: join(scratch, String(i)), python, suite }));
  } finally {
    for (const kind of kinds) await kind.stop();
  }
  const rows = addUp(outcomes);
  const failed = rows.some((row) => row.failed > 0);
  console.log(`\n${suite.folder}, ${((performance.now() - began) / 1000).toFixed(0)} s`);
  if (skipped) console.log(skipped);
  if (absent.length && !only) console.log(`The suite has no files for: ${absent.map(({ name }) => name).join(', ')}`);
  if (failed) console.log(`Reports and logs are left in ${scratch}`);
  else rmSync(scratch, { recursive: true, force: true });
  console.log(text(rows));
  return failed ? 1 : 0;
}

// so that what was started ends with this process
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
try {
  process.exitCode = await main(program.parse().opts());
} catch (e) {
  console.error(`conformance: ${e instanceof Missing ? e.message : (e.stack ?? e)}`);
  process.exitCode = e instanceof Missing ? e.code : 1;
}
