#!/usr/bin/env node
// npm run service -- NAME: one service as a process of its own, configured by FRACTUS_… variables (docs/operations.md).
import { spawn } from 'node:child_process';
import { checkNode, ensureBuilt, ensureInstalled, fail } from '../start/checks.mjs';

/** The app behind each service, and what it is called with. */
const SERVICES = {
  'compute-api': ['compute-api'],
  scheduler: ['scheduler'],
  conductor: ['conductor'],
  'compute-agent': ['compute-agent'],
  placement: ['placement'],
  identity: ['companions', 'identity'],
  image: ['companions', 'image'],
  network: ['companions', 'network'],
  volume: ['companions', 'volume'],
};

const [app, ...args] = SERVICES[process.argv[2]] ?? [];
if (!app) fail(`usage: npm run service -- ${Object.keys(SERVICES).join('|')}`);
checkNode();
ensureInstalled();
const child = spawn(process.execPath, [ensureBuilt(app), ...args], { stdio: 'inherit' });
// Ctrl-C reaches it by itself (same process group); a signal sent to this process alone is passed on.
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
process.on('SIGINT', () => undefined);
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
