#!/usr/bin/env node
// What one call and one cast of 0.5 KB cost over RabbitMQ and in process: node tools/services/measure-rpc.mjs [seconds]
// Caller and callee share this process; the broker is a private one. The transports alone: no contract, no validation.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { startRabbitmq } from './rabbitmq.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const seconds = Number(process.argv[2] ?? 4);
const require = createRequire(import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'fractus-measure-'));

async function load() {
  const outfile = join(ROOT, 'tmp', `measure-rpc-${process.pid}.cjs`);
  const contents = `export { createRabbitTransport } from './libs/rpc/src/rabbitmq';
export { createInProcessTransport } from './libs/rpc/src/in-process';`;
  const options = { bundle: true, platform: 'node', format: 'cjs', packages: 'external', outfile, logLevel: 'error' };
  await build({ ...options, stdin: { contents, resolveDir: ROOT }, tsconfig: join(ROOT, 'tsconfig.base.json') });
  const loaded = require(outfile);
  rmSync(outfile);
  return loaded;
}

/** CPU seconds that a process has used. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function measure(what, concurrency, one, broker) {
  const until = (ms) => performance.now() + ms;
  let count = 0;
  const worker = async (end) => {
    while (performance.now() < end) {
      await one();
      count++;
    }
  };
  const all = (end) => Promise.all(Array.from({ length: concurrency }, () => worker(end)));
  await all(until(1000)); // warm-up
  count = 0;
  const [cpu, brokerCpu, start] = [process.cpuUsage(), broker ? cpuOf(broker.pid) : 0, performance.now()];
  await all(until(seconds * 1000));
  const elapsed = (performance.now() - start) / 1000;
  const used = process.cpuUsage(cpu);
  const micro = (s) => Math.round((s * 1e6) / count);
  console.log(
    [
      what,
      concurrency,
      Math.round(count / elapsed),
      micro((used.user + used.system) / 1e6),
      broker ? micro(cpuOf(broker.pid) - brokerCpu) : '–',
    ].join(' | '),
  );
}

const { createRabbitTransport, createInProcessTransport } = await load();
const broker = await startRabbitmq({ folder });
const body = JSON.stringify({ ctx: { requestId: 'r', roles: [] }, data: 'x'.repeat(460) });
const logger = { warn: console.error, error: console.error };
const bus = createInProcessTransport({ logger });
const rabbit = () => createRabbitTransport({ urls: [broker.url()], logger });
const pairs = { 'in process': [bus.connect(), bus.connect()], RabbitMQ: [rabbit(), rabbit()] };
console.log('what | concurrency | per second | CPU µs here | CPU µs broker');
for (const [name, [caller, callee]] of Object.entries(pairs)) {
  const server = name === 'RabbitMQ' ? broker : undefined;
  const waiting = new Map();
  const options = {
    topic: 'measured',
    queue: 'work',
    instance: '',
    castPrefetch: 128,
    callPrefetch: 1024,
    news: false,
  };
  await callee.consume(options, (d) => {
    if (d.kind === 'call') return d.reply(d.body);
    d.ack();
    const done = waiting.get(d.id);
    waiting.delete(d.id);
    done?.();
  });
  let id = 0;
  const message = () => ({ id: String(++id), pattern: 'measured.it', body });
  for (const concurrency of [1, 64]) {
    const call = () => caller.call({ topic: 'measured' }, message(), Date.now() + 30_000);
    await measure(`${name}: call`, concurrency, call, server);
    const cast = () => {
      const told = message();
      const handled = new Promise((done) => waiting.set(told.id, done));
      return Promise.all([caller.cast({ topic: 'measured' }, told), handled]);
    };
    await measure(`${name}: cast, confirmed and handled`, concurrency, cast, server);
  }
  await Promise.all([caller.close(), callee.close()]);
}
await broker.remove();
process.exit(0);
