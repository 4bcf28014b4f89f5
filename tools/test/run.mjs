// npm test: installs what is missing, runs every suite that can run here, says plainly what it skipped, and ends with
// `N passed, N failed`. `--require-all` (continuous integration) turns a skipped suite into a failure.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { missingMariadb, startMariadb } from '../services/mariadb.mjs';
import { missingRabbitmq } from '../services/rabbitmq.mjs';
import { checkNode, ensureInstalled, fail, root } from '../start/checks.mjs';

checkNode();
if (process.argv.includes('--help') || process.argv.includes('-h')) {
  console.log(`npm test -- [--require-all] [--distributed]   runs every suite that can run here
  --require-all   a skipped suite is a failure
  --distributed   the end-to-end suites once more, on separate processes: a quarter of an hour`);
  process.exit(0);
}
const unknown = process.argv.slice(2).find((arg) => arg !== '--require-all' && arg !== '--distributed');
if (unknown)
  fail(`npm test does not know ${unknown}; one project: npx nx test <project>, one file: see CONTRIBUTING.md`);
ensureInstalled();

const requireAll = process.argv.includes('--require-all');
const env = { ...process.env, NX_DAEMON: 'false', NX_NO_CLOUD: 'true', NX_TUI: 'false', FORCE_COLOR: '0' };
const results = join(root, 'tmp', 'test-results');
const totals = { passed: 0, failed: 0 };
const skipped = [];
const broken = [];

const run = (command, args) => spawnSync(command, args, { cwd: root, env, stdio: 'inherit' }).status === 0;

/** Adds up what jest wrote; a suite that did not even start counts as one failure. */
function collect(name) {
  const report = JSON.parse(readFileSync(join(results, `${name}.json`), 'utf8'));
  totals.passed += report.numPassedTests;
  totals.failed += report.numFailedTests + report.numRuntimeErrorTestSuites;
  if (report.numPendingTests > 0) skipped.push(`${name}: ${report.numPendingTests} test(s) skipped by themselves`);
}

function jestSuites() {
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results, { recursive: true });
  console.log(
    'Every project prints when it has ended; e2e, the last, is silent for some minutes. Ten minutes in all on two cores.\n',
  );
  const ok = run('npx', ['nx', 'run-many', '-t', 'test', '--parallel=2', '--output-style=static', '--nxBail=false']);
  const files = existsSync(results) ? readdirSync(results) : [];
  for (const file of files) collect(file.replace(/\.json$/, ''));
  if (!ok && totals.failed === 0) broken.push('nx run-many -t test ended with an error');
  if (files.length === 0) broken.push('no unit suite left a report');
}

/** What separate processes stand on; a plain word for what is missing of it, or null. */
const missingServices = () => missingMariadb() ?? missingRabbitmq();

/** The stories, races, kills and restarts against the cloud as separate processes. */
function distributedSuite() {
  const missing = missingServices();
  if (missing) return void skipped.push(`e2e on separate processes: ${missing}`);
  console.log('\nThe end-to-end suites once more, on separate processes; some minutes.\n');
  const ok = run('npx', ['nx', 'run', 'e2e:test-distributed', '--output-style=static']);
  if (existsSync(join(results, 'e2e-distributed.json'))) collect('e2e-distributed');
  else broken.push('e2e on separate processes left no report');
  if (!ok && totals.failed === 0) broken.push('e2e on separate processes ended with an error');
}

/** The script with the real `openstack` client, against a cloud of its own; separate processes have it among their suites. */
function clientSuite() {
  const found = spawnSync('openstack', ['--version'], { stdio: 'ignore' }).status === 0;
  if (!found)
    return void skipped.push(
      'client script: the openstack client is not installed (apt-get install python3-openstackclient)',
    );
  const out = spawnSync(process.execPath, [join(root, 'tools/test/client-script.mjs')], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  process.stdout.write(out.stdout);
  const line = /^client script: (\d+) passed, (\d+) failed$/m.exec(out.stdout);
  if (!line) return void broken.push('client script ended without a result');
  totals.passed += Number(line[1]);
  totals.failed += Number(line[2]);
}

/** A private MariaDB for the suites that run on both databases, unless one is named; its end. */
async function withMariadb() {
  if (env.FRACTUS_TEST_MYSQL) return async () => undefined;
  const missing = missingMariadb();
  if (missing) {
    skipped.push(`suites on MariaDB: ${missing}`);
    return async () => undefined;
  }
  const server = await startMariadb({ folder: join(root, 'tmp', 'test-mariadb'), flush: 0 });
  env.FRACTUS_TEST_MYSQL = server.url();
  return () => server.stop();
}

const end = await withMariadb();
try {
  jestSuites();
  if (process.argv.includes('--distributed')) distributedSuite();
  else console.log('\nOn separate processes: npm test -- --distributed\n');
  clientSuite();
} finally {
  await end();
}

for (const line of skipped) console.log(`skipped: ${line}`);
if (requireAll && skipped.length) broken.push(`${skipped.length} suite(s) skipped where none may be`);
for (const line of broken) console.log(`failed: ${line}`);
totals.failed += broken.length;
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exit(totals.failed === 0 ? 0 : 1);
