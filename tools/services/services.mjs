#!/usr/bin/env node
// The broker and the database of a cloud of several processes, private to a folder: see rabbitmq.mjs and mariadb.mjs.
//
//   node tools/services/services.mjs start|stop|status --dir D [--rabbitmq] [--mariadb]     both when neither is named
//
// Prints {"rabbitmq": {"url", …}, "mariadb": {"url", …}}; refuses plainly where a package is missing.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { knownMariadb, startMariadb } from './mariadb.mjs';
import { knownRabbitmq, startRabbitmq } from './rabbitmq.mjs';

const SERVICES = {
  rabbitmq: { start: startRabbitmq, known: knownRabbitmq },
  mariadb: { start: startMariadb, known: knownMariadb },
};

/** Starts the named services (detached ones outlive this process), each with its options; an object of them by name. */
export async function startServices({ dir, names = Object.keys(SERVICES), detached = false, options = {} }) {
  const started = names.map(async (name) => [
    name,
    await SERVICES[name].start({ ...options[name], folder: join(resolve(dir), name), detached }),
  ]);
  return Object.fromEntries(await Promise.all(started));
}

/** Those of the named services that were ever started in the folder. */
export function knownServices({ dir, names = Object.keys(SERVICES) }) {
  const known = names.map((name) => [name, SERVICES[name].known(join(resolve(dir), name))]);
  return Object.fromEntries(known.filter(([, server]) => server));
}

const told = (services) =>
  Object.fromEntries(
    Object.entries(services).map(([name, s]) => [name, { url: s.url(), port: s.port, pid: s.pid, running: s.running }]),
  );

async function main([command, ...rest]) {
  const at = rest.indexOf('--dir');
  const dir = at < 0 ? undefined : rest[at + 1];
  if (!dir || !['start', 'stop', 'status'].includes(command)) {
    throw new Error('usage: services.mjs start|stop|status --dir DIR [--rabbitmq] [--mariadb]');
  }
  const asked = Object.keys(SERVICES).filter((name) => rest.includes(`--${name}`));
  const names = asked.length > 0 ? asked : undefined;
  if (command === 'start')
    return console.log(JSON.stringify(told(await startServices({ dir, names, detached: true }))));
  const services = knownServices({ dir, names });
  if (command === 'stop') await Promise.all(Object.values(services).map((s) => s.stop()));
  console.log(JSON.stringify(told(services)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2)).catch((e) => {
    console.error(`services: ${e.message}`);
    process.exitCode = 1;
  });
}
