// Bundles one app: esbuild joins the files, swc compiles each (esbuild alone emits no decorator metadata).
import { build } from 'esbuild';
import { transform } from '@swc/core';
import { createRequire } from 'node:module';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';

const require = createRequire(import.meta.url);
const swcOptions = require('./swc.options.cjs')('es6');
const root = resolve(import.meta.dirname, '../..');
const project = process.argv[2];
if (!project) {
  console.error('usage: node tools/build/build.mjs <project folder, as apps/cloud>');
  process.exit(1);
}

const swcPlugin = {
  name: 'swc-decorators',
  setup(b) {
    b.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const out = await transform(source, { ...swcOptions, filename: path, sourceMaps: 'inline' });
      return { contents: out.code, loader: 'js' };
    });
  },
};

const started = Date.now();
const outdir = resolve(root, 'dist', project);
const result = await build({
  entryPoints: [resolve(root, project, 'src/main.ts')],
  outdir,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  packages: 'external',
  sourcemap: true,
  keepNames: true,
  tsconfig: resolve(root, 'tsconfig.base.json'),
  metafile: true,
  logLevel: 'warning',
  plugins: [swcPlugin],
  write: false,
});
// each file whole or not at all: a cloud may be starting from the former ones
await mkdir(outdir, { recursive: true });
for (const file of result.outputFiles) {
  const { path } = file;
  await writeFile(`${path}.${process.pid}`, path.endsWith('.js') ? namedOnce(file.text) : file.contents);
  await rename(`${path}.${process.pid}`, path);
}
/**
 * Names are kept for classes, of which some are told by name (migrations, entities, errors). esbuild names every inner
 * function too, each time one is made: a closure costs ten times as much then. Arrow functions have no prototype.
 */
function namedOnce(code) {
  const [before, after] = [
    'var __name = (target, value) => __defProp(target, "name", { value, configurable: true });',
    'var __name = (target, value) => target.prototype === void 0 || target.name === value ? target : __defProp(target, "name", { value, configurable: true });',
  ];
  if (!code.includes(before)) throw new Error('esbuild says __name in other words: tools/build has to be adapted');
  return code.replace(before, after);
}

const size = Object.values(result.metafile.outputs).find((o) => o.entryPoint).bytes;
console.log(`${project}: ${(size / 1024).toFixed(0)} KiB in ${Date.now() - started} ms`);
