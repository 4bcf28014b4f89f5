#!/usr/bin/env node
// Brings docker-compose.yml up in a project of its own and tries what docs/compose.md promises: every service healthy, the
// tour with the real client, kills, a restart of the broker, down and up again, agents by --scale. Takes a Docker that
// runs, else starts one of its own (root), and stops and removes everything that it started. Images of an engine of its
// own are kept in tmp/compose-check for the next time.
//
//   node tools/compose/check.mjs             base images from Debian's packages (tools/compose/local-images.mjs)
//   node tools/compose/check.mjs --pull      the images that docker-compose.yml names, which takes the internet
//
// Ends with `compose: N passed, N failed`; where no container engine can be had it says why and ends with code 77.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkNode, ensureInstalled } from '../start/checks.mjs';
import { assemble } from './assemble.mjs';
import { findEngine } from './lib/engine.mjs';
import { composeFolder, root } from './lib/folders.mjs';
import { makeLocalImages } from './local-images.mjs';

checkNode();
const unknown = process.argv.slice(2).find((a) => a !== '--pull');
if (unknown) {
  console.error(`check: ${unknown}? It takes --pull only`);
  process.exit(64);
}
ensureInstalled();
const cache = join(root, 'tmp', 'compose-check', 'docker');
mkdirSync(cache, { recursive: true });
// a signal goes to the cloud's script too, which cleans up; we go on to stop the engine
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);

const engine = await findEngine(cache);
if (engine.missing) {
  console.log(`compose: skipped: ${engine.missing}`);
  process.exit(77);
}
console.log(engine.own ? 'a Docker of our own, in its own network namespace' : 'the Docker that runs here');
let code = 1;
try {
  code = await check();
} catch (e) {
  console.log(`compose: ${e.message}\ncompose: 0 passed, 1 failed`);
} finally {
  await engine.stop();
}
process.exit(code);

async function check() {
  let images = {};
  if (!process.argv.includes('--pull')) {
    // here and not behind `within`, where there is no way to a mirror of Debian's
    images = await makeLocalImages({ env: engine.env });
    assemble(join(composeFolder(), 'app'));
  }
  const script = join(root, 'tools/compose/lib/check-cloud.mjs');
  const [command, ...args] = [...engine.within, process.execPath, script];
  const child = spawn(command, args, { stdio: 'inherit', env: { ...engine.env, ...images } });
  return new Promise((done) => child.once('exit', (c) => done(c ?? 1)));
}
