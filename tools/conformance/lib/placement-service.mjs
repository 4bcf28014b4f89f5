// A placement of our own as a process, without identity, on a free port and on a database nobody used before.
import { spawn, spawnSync } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stringify } from 'yaml';
import { ensureBuilt, root } from '../../start/checks.mjs';

const bundleOf = {};
/** A service that is not up by then does not come. */
const START_MS = 60_000;

/** Bundles what is run: the service, and what makes tables on a database server. */
export function build() {
  bundleOf.placement = ensureBuilt('placement');
  const migrate = [join(root, 'tools/build/build.mjs'), 'tools/migrate'];
  const built = spawnSync(process.execPath, migrate, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (built.status !== 0) throw new Error('the build of tools/migrate failed; its output is above');
  bundleOf.migrate = join(root, 'dist/tools/migrate/main.js');
}

/** Makes placement's tables in an empty database of a server. */
export async function createTables(url) {
  const env = { ...process.env, FRACTUS_MIGRATE_URL: url };
  const child = spawn(process.execPath, [bundleOf.migrate, 'placement'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const code = await new Promise((done, fail) => child.once('error', fail).once('close', done));
  if (code !== 0) throw new Error(`making placement's tables failed:\n${said}`);
}

/** Starts the service; resolves when it serves, rejects with the end of its log when it does not. */
export async function startPlacement({ folder, databaseUrl, policy, env = {} }) {
  mkdirSync(folder, { recursive: true });
  const policyFile = join(folder, 'policy.yaml');
  if (policy) writeFileSync(policyFile, stringify(policy));
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [bundleOf.placement], {
    cwd: folder,
    env: {
      PATH,
      HOME,
      FRACTUS_PORT: '0',
      FRACTUS_DATABASE_URL: databaseUrl,
      FRACTUS_AUTH_STRATEGY: 'noauth2',
      ...(policy ? { FRACTUS_POLICY_FILE: policyFile } : {}),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const log = join(folder, 'placement.log');
  const out = createWriteStream(log);
  child.stderr.pipe(out, { end: false });
  const ended = new Promise((done) => child.once('close', done));
  const url = await new Promise((ready, fail) => {
    const lines = createInterface({ input: child.stdout });
    const patience = setTimeout(kill, START_MS);
    lines.on('line', (line) => {
      out.write(`${line}\n`);
      const at = line.includes('"ready"') ? /"url":"([^"]+)"/.exec(line)?.[1] : undefined;
      if (!at) return;
      clearTimeout(patience);
      ready(at);
    });
    child.once('error', fail);
    void ended.then(() => clearTimeout(patience));
    void ended.then((code) => fail(new Error(`placement ended with ${code} at its start:\n${tail(log)}`)));
  });
  return {
    url,
    log,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      process.off('exit', kill);
      await new Promise((done) => out.end(done));
    },
  };
}

/** Records of faults of the service's own: whatever the suite thought of the answer, there may be none. */
export const faultsIn = (log) =>
  readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => /"level":"(error|fatal)"/.test(line));

const tail = (file) => readFileSync(file, 'utf8').split('\n').slice(-15).join('\n');
