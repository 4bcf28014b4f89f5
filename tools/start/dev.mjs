// npm run dev: the cloud, built again and started again whenever a source file changes. State is kept in between.
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

function start() {
  const bundle = ensureBuilt('cloud');
  cloud = spawn(process.execPath, [...inspect, '--enable-source-maps', bundle, ...process.argv.slice(2)], { stdio: 'inherit' });
  cloud.on('exit', (code) => {
    if (stopping) process.exit(code ?? 0);
  });
}

function restart() {
  console.log('\nchange seen: building and starting again …');
  const old = cloud;
  if (!old || old.exitCode !== null) return start();
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
