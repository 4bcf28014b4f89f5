// Runs a piece of TypeScript that may import whatever the workspace has, decorators and all, and hands over its exports.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { transform } from '@swc/core';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);
const swcOptions = require('../build/swc.options.cjs')('es6');

const swcDecorators = {
  name: 'swc-decorators',
  setup(b) {
    b.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const out = await transform(readFileSync(path, 'utf8'), { ...swcOptions, filename: path, sourceMaps: false });
      return { contents: out.code, loader: 'js' };
    });
  },
};

/** The exports of `source`, whose relative imports start at the root of the repository. `name` is for its file in tmp. */
export async function loadTs(name, source) {
  const outfile = resolve(root, `tmp/${name}.cjs`);
  await build({
    stdin: { contents: source, resolveDir: root, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    tsconfig: resolve(root, 'tsconfig.base.json'),
    logLevel: 'warning',
    plugins: [swcDecorators],
  });
  return require(outfile);
}
