// Where the suite and what runs it are.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Ends the program: `code` 3 the suite is not there, 4 something that it needs is not. */
export class Missing extends Error {
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

/** The suite in a folder: `gabbits/*.yaml` and the runner that gives them their fixtures. */
export function findSuite(folder) {
  const suite = { folder: resolve(folder), gabbits: join(resolve(folder), 'gabbits') };
  const runner = join(suite.folder, 'run_gabbits.py');
  if (!existsSync(runner) || !existsSync(suite.gabbits))
    throw new Missing(
      `no suite in ${suite.folder} (run_gabbits.py and gabbits/): name its folder with --suite FOLDER`,
      3,
    );
  return { ...suite, runner };
}

const apt = (name) => `apt-get install -y --no-install-recommends ${name}`;

/** A Python that has a module: the first on the path, or the distribution's own. */
export function findPython(module = 'gabbi', install = apt('python3-gabbi')) {
  const has = (python) => spawnSync(python, ['-c', `import ${module}`], { stdio: 'ignore' }).status === 0;
  const found = ['python3', '/usr/bin/python3'].find(has);
  if (!found) throw new Missing(`Python's ${module} is not installed: ${install}`, 4);
  return found;
}

/** Runs files of the suite against a service; the runner's report, or an error with what it said. */
export async function runFiles({ python, suite, url, profile, files, report }) {
  const args = [
    suite.runner,
    url,
    ...['--gabbits', suite.gabbits, '--reset', 'api', '--json', report],
    ...(profile ? [`--${profile}-url`, url] : []),
    ...files.flatMap((name) => ['--only', name]),
  ];
  // the suite's folder may be read-only
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONWARNINGS: 'ignore' };
  const child = spawn(python, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const code = await new Promise((done, fail) => child.once('error', fail).once('close', done));
  if (!existsSync(report)) throw new Error(`the suite's runner ended with ${code}: ${said.trim().slice(-1500)}`);
  return JSON.parse(readFileSync(report, 'utf8'));
}
