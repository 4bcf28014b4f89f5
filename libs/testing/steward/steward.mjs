// Keeps a distributed cloud for tests, in a process of its own, since jest cannot load the cluster's modules.
//
//   node steward.mjs FOLDER            obeys lines on stdin: {"id", "call", "args"}; answers {"id", "value"} or {"id", "error"}
//   node steward.mjs FOLDER --keeper   starts MariaDB and RabbitMQ with new databases, says {"ready": true}
//
// When its stdin ends, however that came, all that it is in charge of ends too: the apps; the keeper's services and folder.
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { StoryCluster } from './story-cluster.mjs';

// what the cluster's modules print must not come between the answers
console.log = console.error;
const [folder, flag] = process.argv.slice(2);
const cluster = new StoryCluster(folder);
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
// Ctrl-C ends the tests, and with them our stdin
process.on('SIGINT', () => undefined);

const CALLS = {
  renew: (options) => cluster.renew(options),
  stopApps: () => cluster.stopApps(),
  launch: () => cluster.launch(),
  state: () => cluster.state,
  rootUrl: (name) => cluster.service(name).url(),
  alive: (name) => cluster.alive(name),
  why: (name) => cluster.why(name),
  stop: (name) => cluster.stop(name),
  kill: (name) => cluster.kill(name),
  start: (name) => cluster.start(name),
  ready: (names, ms) => cluster.ready(names ?? undefined, ms),
};

async function answer(line) {
  const { id, call, args } = JSON.parse(line);
  try {
    say({ id, value: (await CALLS[call](...args)) ?? null });
  } catch (e) {
    say({ id, error: e.message });
  }
}

async function keep() {
  const ended = new Promise((done) => process.stdin.once('end', done).resume());
  try {
    await cluster.prepare();
    say({ ready: true });
    await ended;
  } finally {
    await cluster.down();
    if (process.env.FRACTUS_E2E_KEEP !== '1') rmSync(folder, { recursive: true, force: true });
  }
}

if (flag === '--keeper') await keep();
else {
  for await (const line of createInterface({ input: process.stdin })) void answer(line);
  await cluster.endApps();
}
process.exit(0);
