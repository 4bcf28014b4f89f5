#!/usr/bin/env node
// Bundles the command (a fifth of a second) and runs it: npm run why -- <server id>
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const bundle = resolve(root, 'dist/tools/why/main.js');
const node = (args, stdio) => spawnSync(process.execPath, args, { stdio });
// an image ships the bundle and no sources
if (existsSync(resolve(root, 'tools/build/build.mjs'))) {
  const build = node([resolve(root, 'tools/build/build.mjs'), 'tools/why'], ['ignore', 'ignore', 'inherit']);
  if (build.status !== 0) process.exit(build.status ?? 1);
}
process.exit(node([bundle, ...process.argv.slice(2)], 'inherit').status ?? 1);
