// npm run dev: the cloud, built again and started again whenever a source file changes. State is kept in between, so
// `--reset` counts for the first start only. A first start that ends by itself (a bad option, a taken port, --help) ends it all.
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { checkNode, ensureBuilt, ensureInstalled, root } from './checks.mjs';

checkNode();
ensureInstalled();

const inspect = process.env.FRACTUS_INSPECT ? [`--inspect=${process.env.FRACTUS_INSPECT}`] : [];
let cloud;
let timer;
let stopping = false;
let args = process.argv.slice(2);
let changed = false;

function start() {
  const bundle = ensureBuilt('cloud');
  const started = spawn(process.execPath, [...inspect, '--enable-source-maps', bundle, ...args], { stdio: 'inherit' });
  cloud = started;
  args = args.filter((arg) => arg !== '--reset');
  started.on('exit', (code) => {
    if (stopping || !changed) process.exit(code ?? (stopping ? 0 : 1));
    if (!started.replaced)
      console.log('\nThe cloud has ended by itself; the next change starts it again. Ctrl-C ends.');
  });
}

function restart() {
  changed = true;
  console.log('\nChange seen: building and starting again …');
  const old = cloud;
  if (!old || old.exitCode !== null || old.signalCode !== null) return start();
  old.replaced = true;
  old.once('exit', () => !stopping && start());
  old.kill('SIGTERM');
}

for (const dir of ['apps', 'libs']) {
  watch(join(root, dir), { recursive: true }, (_event, file) => {
    if (!file?.endsWith('.ts') || file.endsWith('.spec.ts')) return;
    clearTimeout(timer);
    timer = setTimeout(restart, 200);
  });
}
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    stopping = true;
    if (cloud?.exitCode !== null) process.exit(0);
    cloud.kill('SIGTERM');
  });
start();
