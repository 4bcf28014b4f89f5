// Writes docs/lifecycle.md from the lifecycle table. A test holds the two together.
import { build } from 'esbuild';
import { createRequire } from 'node:module';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const outfile = resolve(root, 'tmp/generators/server-lifecycle.cjs');
await build({
  entryPoints: [resolve(root, 'libs/server-lifecycle/src/index.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  tsconfig: resolve(root, 'tsconfig.base.json'),
  logLevel: 'warning',
});
const { renderLifecycle } = createRequire(import.meta.url)(outfile);
await writeFile(resolve(root, 'docs/lifecycle.md'), renderLifecycle());
