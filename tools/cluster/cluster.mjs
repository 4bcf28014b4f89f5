#!/usr/bin/env node
// npm run cluster: the whole cloud as separate processes on a private MariaDB and RabbitMQ, from one folder.
//
//   npm run cluster                              starts it, prints endpoints, stops it on Ctrl-C
//   npm run cluster -- up --detach               starts it and returns
//   npm run cluster -- down | status             stops it | shows its processes
//   npm run cluster -- stop|kill|start|restart NAME …   one process: conductor-2, compute-agent-1, rabbitmq, mariadb
//   npm run cluster -- log-level LEVEL [NAME …]  changes the log level of running processes
//   npm run cluster -- --help
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { checkNode, ensureInstalled, fail } from '../start/checks.mjs';
import { Cluster } from './lib/cluster.mjs';

checkNode();
ensureInstalled();

const whole = (least, most) => (text) => {
  const n = Number(text);
  if (!Number.isInteger(n) || n < least || n > most)
    throw new InvalidArgumentError(`a whole number from ${least} to ${most}`);
  return n;
};
const many = whole(1, 20);
const variable = (text, known = {}) => {
  const [, name, value] = /^(FRACTUS_[A-Z0-9_]+)=(.*)$/s.exec(text) ?? [];
  if (!name) throw new InvalidArgumentError('as FRACTUS_COMPUTE_API_QUOTA_INSTANCES=100');
  return { ...known, [name]: value };
};

const program = new Command('cluster')
  .description('the whole cloud as separate processes on a private MariaDB and RabbitMQ')
  .option('--state-dir <folder>', 'where everything is kept', '.fractus-cluster');

program
  .command('up', { isDefault: true })
  .description('start it, and stop it on Ctrl-C')
  .option('--detach', 'return when it is ready, and leave it running')
  .option('--port-base <port>', 'port of identity; the other services follow', whole(1024, 60_000), 5000)
  .option('--apis <n>', 'Compute API processes; the first has the well-known port', many, 1)
  .option('--conductors <n>', 'conductor processes', many, 2)
  .option('--schedulers <n>', 'scheduler processes', many, 2)
  .option('--placements <n>', 'Placement processes; the first has the well-known port', many, 2)
  .option('--agents <n>', 'agent processes', many, 2)
  .option('--hosts <n>', 'simulated hosts, dealt out to the agents', whole(1, 5000), 10)
  .addOption(
    new Option('--sim-profile <name>', 'how long the simulated hypervisors take')
      .choices(['default', 'instant', 'slow'])
      .default('default'),
  )
  .option('--flush <n>', 'innodb_flush_log_at_trx_commit', whole(0, 2), 1)
  .option('--log-level <level>', 'least level of log lines', 'info')
  .option('--env <name=value>', 'an option of a service, FRACTUS_<SERVICE>_<OPTION>=…; can be repeated', variable)
  .option('--tls', 'speak TLS to MariaDB and RabbitMQ, by an authority made for it; from the first start on')
  .action(up);
program.command('down').description('stop it').action(down);
program
  .command('reset')
  .description('remove all that it wrote; it must be down')
  .action(() => cluster().reset());
program.command('status').option('--json', 'for programs').description('show its processes').action(status);
for (const [verb, what] of [
  ['stop', 'end in good order'],
  ['kill', 'end with kill -9'],
  ['start', 'start again'],
  ['restart', 'stop and start again'],
])
  program
    .command(`${verb} <names...>`)
    .description(what)
    .option('--node-args <args>', 'arguments for Node itself, as --cpu-prof (start, restart)', '')
    .action((names, { nodeArgs }) => steer(verb, names, nodeArgs.split(' ').filter(Boolean)));
program
  .command('log-level <level> [names...]')
  .description('change the log level of running processes')
  .action(logLevel);

const cluster = () => new Cluster(program.opts().stateDir);

async function up({ detach, ...options }) {
  const began = performance.now();
  const cloud = cluster();
  let stopping = false;
  if (!detach)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
      process.on(signal, () => {
        if (stopping) return;
        stopping = true;
        console.log('\nStopping: finishing what is under way …');
        cloud.down().then(
          () => (console.log('Stopped.'), process.exit(0)),
          (e) => fail(`could not stop cleanly: ${e.message}`),
        );
      });
  await cloud.up(options, (stage) => console.log(`starting ${stage} …`));
  if (stopping) return;
  table(cloud);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`\nexport OS_CLIENT_CONFIG_FILE=${cloud.file('clouds.yaml')} OS_CLOUD=fractus\n`);
  console.log(
    `Fractus is ready (${seconds} s). ${detach ? 'Stop it with: npm run cluster -- down' : 'Ctrl-C stops it.'}`,
  );
  if (!detach) await watch(cloud, () => stopping);
}

function table(cloud) {
  for (const name of ['identity', 'image', 'network', 'placement-1', 'compute-api-1'])
    console.log(`  ${name.padEnd(16)} ${cloud.named(name).url}`);
  console.log(`  ${'logs'.padEnd(16)} ${cloud.file('logs')}`);
}

/** Tells of processes that end by themselves; returns when all have, by `down` from elsewhere. */
async function watch(cloud, stopping) {
  const told = new Set();
  let before = [];
  for (; !stopping(); await sleep(1000)) {
    const dead = cloud.names().filter((name) => !cloud.alive(name));
    for (const name of told) if (!dead.includes(name)) told.delete(name);
    if (dead.length === cloud.names().length) return console.log('The cluster was stopped.');
    // whoever stops the cluster ends one after the other: what is told is what has been away for a while
    for (const name of dead.filter((n) => before.includes(n) && !told.has(n))) {
      told.add(name);
      console.log(`${name} has ended; start it again with: npm run cluster -- start ${name}`);
    }
    before = dead;
  }
}

async function down() {
  await cluster().down();
}

async function status({ json }) {
  const cloud = cluster();
  if (!cloud.state) throw new Error(`no cluster was ever started in ${cloud.folder}`);
  const rows = await Promise.all(
    cloud.names().map(async (name) => {
      const known = cloud.state.processes.find((p) => p.name === name);
      const alive = cloud.alive(name);
      const why = alive && known ? await cloud.why(name) : undefined;
      const place = known ? { admin: known.admin, ...(known.url ? { url: known.url } : {}) } : {};
      return {
        name,
        alive,
        ready: alive && why === undefined,
        ...(why ? { why } : {}),
        pid: cloud.pid(name),
        ...place,
      };
    }),
  );
  if (json) return console.log(JSON.stringify({ folder: cloud.folder, authUrl: cloud.authUrl, processes: rows }));
  for (const { name, alive, ready, why, pid, url, admin } of rows) {
    const state = !alive ? 'down' : ready ? `ready (${pid})` : `not ready (${pid}): ${why}`;
    console.log(`${name.padEnd(18)} ${state.padEnd(16)} ${url ?? ''} ${admin ? `admin ${admin}` : ''}`);
  }
}

async function steer(verb, names, nodeArgs) {
  const cloud = cluster();
  for (const name of names) {
    if (verb === 'restart') await cloud.stop(name);
    await cloud[verb === 'restart' ? 'start' : verb](name, nodeArgs);
  }
}

async function logLevel(level, names) {
  const cloud = cluster();
  const asked = names.length > 0 ? names : cloud.state.processes.map((p) => p.name).filter((name) => cloud.alive(name));
  for (const name of asked) {
    const answer = await fetch(`${cloud.named(name).admin}/log-level`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ level }),
    });
    if (!answer.ok) throw new Error(`${name}: ${(await answer.json()).error}`);
  }
}

program.parseAsync().catch((e) => fail(e.message));
