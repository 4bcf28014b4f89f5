import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../../start/checks.mjs';

/** Brings each database (URL by name) up to this release, all at once; throws with what failed. */
export async function migrateAll(databases) {
  const build = spawnSync(process.execPath, [join(root, 'tools/build/build.mjs'), 'tools/migrate'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (build.status !== 0) throw new Error('the build of tools/migrate failed; its output is above');
  const bundle = join(root, 'dist/tools/migrate/main.js');
  await Promise.all(Object.entries(databases).map(([name, url]) => migrateOne(bundle, name, url)));
}

function migrateOne(bundle, name, url) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bundle, name], {
      env: { ...process.env, FRACTUS_MIGRATE_URL: url },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`the migration of ${name} failed:\n${output}`)),
    );
  });
}
