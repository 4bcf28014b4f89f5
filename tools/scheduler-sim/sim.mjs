#!/usr/bin/env node
// Bundles the simulator (a fifth of a second) and runs it: node tools/scheduler-sim/sim.mjs cloud.json
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const node = (args, stdio) => spawnSync(process.execPath, args, { stdio });
const build = node([resolve(root, 'tools/build/build.mjs'), 'tools/scheduler-sim'], ['ignore', 'ignore', 'inherit']);
if (build.status !== 0) process.exit(build.status ?? 1);
process.exit(
  node([resolve(root, 'dist/tools/scheduler-sim/main.js'), ...process.argv.slice(2)], 'inherit').status ?? 1,
);
