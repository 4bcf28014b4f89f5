#!/usr/bin/env node
// A private RabbitMQ from Debian's package (rabbitmq-server): own node name, folders, ports and epmd, loopback only, a
// random password, no plugins. The system's daemon and its files are never touched: no file of /etc/rabbitmq is read.
//
//   node tools/services/rabbitmq.mjs start --folder tmp/rabbitmq [--port 0] [--tls CERTIFICATES]
//                                                                                 prints {"url", "port", "pid", "running"}
//   node tools/services/rabbitmq.mjs stop|kill|restart|status --folder tmp/rabbitmq
//   node tools/services/rabbitmq.mjs user NAME --folder tmp/rabbitmq              a user with all rights on /; prints its url
//   node tools/services/rabbitmq.mjs rights NAME [--prefix fractus]               rabbitmqctl's words for the rights of an agent's user
//   node tools/services/rabbitmq.mjs check                                        fails with a plain word where the package is missing
//   node tools/services/rabbitmq.mjs ctl --folder tmp/rabbitmq -- list_queues     rabbitmqctl on this node
//
// As a module: `startRabbitmq({ folder })` for tests and tools. A folder keeps its data, ports and passwords between starts.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { agentRights, definitions, rightsInWords } from './rabbitmq-rights.mjs';

const require = createRequire(import.meta.url);
const INSTALL = 'RabbitMQ is not installed: apt-get install -y --no-install-recommends rabbitmq-server';
// the scripts themselves: the wrappers in /usr/sbin change to the system's user and folders
const BIN = '/usr/lib/rabbitmq/bin';
const PLACES = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin'];
const epmd = () => PLACES.map((p) => join(p, 'epmd')).find((f) => existsSync(f));

/** A plain word for what is missing, or null. */
export function missingRabbitmq() {
  return existsSync(join(BIN, 'rabbitmq-server')) && epmd() ? null : INSTALL;
}

const stateFile = (folder) => join(folder, 'rabbitmq.json');
const readState = (folder) =>
  existsSync(stateFile(folder)) ? JSON.parse(readFileSync(stateFile(folder), 'utf8')) : null;
const writeState = (folder, state) => writeFileSync(stateFile(folder), JSON.stringify(state, null, 2), { mode: 0o600 });

/** Ports that are free now, all different. */
async function freePorts(count) {
  const probes = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise((done, fail) => {
          const probe = createServer();
          probe.once('error', fail);
          probe.listen(0, '127.0.0.1', () => done(probe));
        }),
    ),
  );
  const ports = probes.map((p) => p.address().port);
  await Promise.all(probes.map((p) => new Promise((done) => p.close(done))));
  return ports;
}

/** Whether the process `pid` has `mark` in its command line: ours, and not some later process of the same number. */
function isOurs(pid, mark) {
  if (!pid) return false;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark);
  } catch {
    return false; // gone
  }
}

async function gone(pid, mark, ms) {
  for (const end = Date.now() + ms; isOurs(pid, mark); await sleep(25)) if (Date.now() > end) return false;
  return true;
}

/**
 * Starts (or finds running) the broker of a folder, and waits until it answers.
 * `detached`: it outlives this process; otherwise it is killed when this process exits.
 * `tls`, on the first start: a folder of certificates.mjs; the broker then speaks amqps alone, and asks clients for a
 * certificate of the same authority.
 */
export async function startRabbitmq({ folder, port = 0, detached = false, tls }) {
  const missing = missingRabbitmq();
  if (missing) throw new Error(missing);
  const server = new Rabbitmq(resolve(folder), detached);
  await server.prepare(port, tls && resolve(tls));
  await server.start();
  return server;
}

/** The broker of a folder that was started before, running or not; null where there is none. */
export function knownRabbitmq(folder) {
  const dir = resolve(folder);
  return readState(dir) && new Rabbitmq(dir, true);
}

const tlsOptions = (folder, port) => `listeners.tcp = none
listeners.ssl.default = 127.0.0.1:${port}
ssl_options.cacertfile = ${join(folder, 'ca.pem')}
ssl_options.certfile = ${join(folder, 'server.pem')}
ssl_options.keyfile = ${join(folder, 'server.key')}
ssl_options.verify = verify_peer
ssl_options.fail_if_no_peer_cert = true
`;

class Rabbitmq {
  constructor(folder, detached) {
    this.folder = folder;
    this.detached = detached;
  }

  get state() {
    return readState(this.folder);
  }
  get port() {
    return this.state.port;
  }
  get pid() {
    return this.state.pid;
  }
  /** What the broker's command line carries beside everything else. */
  get mark() {
    return `-fractus_folder\0${this.folder}`;
  }
  get running() {
    return isOurs(this.pid, this.mark);
  }

  /** `amqp://…` of the virtual host /, as the administrator unless a user is given. */
  url({ user, password } = this.state) {
    const place = this.state.tls ? 'amqps' : 'amqp';
    return `${place}://${user}:${encodeURIComponent(password)}@${this.state.tls ? 'localhost' : '127.0.0.1'}:${this.port}/%2f`;
  }

  async prepare(port, tls) {
    for (const dir of ['', 'mnesia', 'log']) mkdirSync(join(this.folder, dir), { recursive: true, mode: 0o700 });
    if (this.state) return;
    const password = randomBytes(18).toString('hex');
    const [free, epmdPort, distPort, ctlPort] = await freePorts(4);
    const node = `fractus-${randomBytes(4).toString('hex')}@localhost`;
    writeState(this.folder, {
      port: port || free,
      epmdPort,
      distPort,
      ctlPort,
      node,
      user: 'fractus',
      password,
      users: {},
      ...(tls ? { tls } : {}),
    });
    writeFileSync(join(this.folder, 'enabled_plugins'), '[].\n');
    writeFileSync(
      join(this.folder, 'rabbitmq.conf'),
      `default_user = fractus
default_pass = ${password}
default_user_tags.administrator = true
log.console = false
log.file.level = warning
# a cast is acknowledged after its handler: a handler may run longer than the default of 30 minutes
consumer_timeout = 14400000
# a development machine is never the broker's alone
vm_memory_high_watermark.relative = 0.4
disk_free_limit.absolute = 50MB
${tls ? tlsOptions(tls, port || free) : ''}`,
      { mode: 0o600 },
    );
  }

  env() {
    const { port, epmdPort, distPort, ctlPort, node } = this.state;
    const loopback = '-kernel inet_dist_use_interface {127,0,0,1}';
    const keep = Object.entries(process.env).filter(([k]) => !k.startsWith('RABBITMQ_') && !k.startsWith('ERL_'));
    return {
      ...Object.fromEntries(keep),
      HOME: this.folder, // its Erlang cookie lives here
      ERL_EPMD_PORT: String(epmdPort),
      ERL_EPMD_ADDRESS: '127.0.0.1',
      RABBITMQ_CONF_ENV_FILE: '/dev/null',
      RABBITMQ_CONFIG_FILE: join(this.folder, 'rabbitmq.conf'),
      RABBITMQ_ADVANCED_CONFIG_FILE: join(this.folder, 'advanced.config'),
      RABBITMQ_ENABLED_PLUGINS_FILE: join(this.folder, 'enabled_plugins'),
      RABBITMQ_MNESIA_BASE: join(this.folder, 'mnesia'),
      RABBITMQ_LOG_BASE: join(this.folder, 'log'),
      RABBITMQ_PID_FILE: join(this.folder, 'rabbitmq.pid'),
      RABBITMQ_NODENAME: node,
      RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
      // with it there would be a listener without TLS
      ...(this.state.tls ? {} : { RABBITMQ_NODE_PORT: String(port) }),
      RABBITMQ_DIST_PORT: String(distPort),
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: `${loopback} -fractus_folder ${this.folder}`,
      RABBITMQ_CTL_DIST_PORT_MIN: String(ctlPort),
      RABBITMQ_CTL_DIST_PORT_MAX: String(ctlPort + 20),
      RABBITMQ_CTL_ERL_ARGS: loopback,
      detached: '1', // the script replaces itself by the broker instead of watching over it
    };
  }

  get epmdMark() {
    return `-port\0${this.state.epmdPort}`;
  }

  /** Starts the prepared broker; does nothing when it runs. */
  async start() {
    if (this.running) return this.answering();
    const log = openSync(join(this.folder, 'console.log'), 'a');
    const options = { stdio: ['ignore', log, log], detached: this.detached, env: this.env(), cwd: this.folder };
    const children = [];
    if (!isOurs(this.state.epmdPid, this.epmdMark)) {
      const names = spawn(epmd(), ['-port', String(this.state.epmdPort), '-address', '127.0.0.1'], options);
      children.push(names);
      writeState(this.folder, { ...this.state, epmdPid: names.pid });
    }
    const child = spawn(join(BIN, 'rabbitmq-server'), [], options);
    children.push(child);
    let ended = false;
    child.once('error', () => (ended = true));
    child.once('exit', () => (ended = true));
    for (const c of children) {
      if (this.detached) c.unref();
      else process.once('exit', () => c.kill('SIGKILL'));
    }
    writeState(this.folder, { ...this.state, pid: child.pid });
    await this.answering(() => ended);
  }

  /** Resolves when the broker takes a connection; throws with the end of its log when it has ended. */
  async answering(ended = () => false, ms = 90_000) {
    const { connect } = require('amqplib');
    for (const end = Date.now() + ms; ; await sleep(100)) {
      try {
        const connection = await connect(this.url(), { timeout: 5000, ...this.certificates() });
        await connection.close();
        return;
      } catch (e) {
        if (!ended() && Date.now() < end) continue;
        const log = readFileSync(join(this.folder, 'console.log'), 'utf8').split('\n').slice(-15).join('\n');
        throw new Error(`RabbitMQ does not answer (${e.message}):\n${log}`);
      }
    }
  }

  /** What a client of the broker needs with TLS. */
  certificates() {
    const { tls } = this.state;
    const read = (name) => readFileSync(join(tls, name));
    return tls ? { ca: read('ca.pem'), cert: read('client.pem'), key: read('client.key') } : {};
  }

  /** rabbitmqctl on this node; returns what it prints. */
  ctl(...args) {
    const done = spawnSync(join(BIN, 'rabbitmqctl'), ['--node', this.state.node, '--quiet', ...args], {
      env: this.env(),
      cwd: this.folder,
      encoding: 'utf8',
    });
    if (done.status !== 0) throw new Error(`rabbitmqctl ${args[0]}: ${done.stderr || done.stdout}`);
    return done.stdout;
  }

  /** Makes a user, with all rights on / unless told which; returns its URL. Keeps what is there. */
  createUser(name, rights) {
    if (!/^[A-Za-z0-9_.-]{1,60}$/.test(name)) throw new Error(`${name}: a user's name has letters, digits, _ . - only`);
    return this.createUsers([rights ? { name, rights } : { name }])[name];
  }

  /**
   * Makes many users in one go (each rabbitmqctl costs a second), with passwords of their own; those that are known stay
   * as they are. `permissions`: see `agentPermissions`; without them a user has all rights on /. Returns URLs by name.
   */
  createUsers(wanted) {
    const missing = wanted.filter(({ name }) => !this.state.users[name]);
    if (missing.length > 0) {
      const passwords = Object.fromEntries(missing.map(({ name }) => [name, randomBytes(18).toString('hex')]));
      const file = join(this.folder, `users-${randomBytes(4).toString('hex')}.json`);
      writeFileSync(file, JSON.stringify(definitions(missing, passwords)), { mode: 0o600 });
      try {
        this.ctl('import_definitions', file);
      } finally {
        rmSync(file);
      }
      writeState(this.folder, { ...this.state, users: { ...this.state.users, ...passwords } });
    }
    const { users } = this.state;
    return Object.fromEntries(wanted.map(({ name }) => [name, this.url({ user: name, password: users[name] })]));
  }

  /** A clean end; resolves when the processes are gone. */
  async stop() {
    await this.end('SIGTERM', 60_000);
    await this.endNames();
  }
  /** kill -9. */
  async kill() {
    await this.end('SIGKILL', 10_000);
  }
  async restart() {
    await this.stop();
    await this.start();
  }
  /** Ends it at once and deletes everything. */
  async remove() {
    await this.kill();
    await this.endNames();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async end(signal, ms) {
    const { pid } = this;
    if (!this.running) return;
    process.kill(pid, signal);
    if (!(await gone(pid, this.mark, ms))) throw new Error(`RabbitMQ (process ${pid}) does not end`);
  }

  async endNames() {
    const { epmdPid } = this.state;
    if (!isOurs(epmdPid, this.epmdMark)) return;
    process.kill(epmdPid, 'SIGKILL');
    await gone(epmdPid, this.epmdMark, 5000);
  }
}

const COMMANDS = ['start', 'stop', 'kill', 'restart', 'status', 'remove', 'user', 'ctl'];

async function main([command, ...rest]) {
  const option = (name) => {
    const at = rest.indexOf(`--${name}`);
    return at < 0 ? undefined : rest[at + 1];
  };
  const folder = option('folder');
  if (command === 'check') {
    const missing = missingRabbitmq();
    if (missing) throw new Error(missing);
    return;
  }
  if (command === 'rights' && /^[\w.-]+$/.test(rest[0] ?? ''))
    return console.log(rightsInWords(rest[0], option('prefix') ?? 'fractus').join('\n'));
  if (!folder || !COMMANDS.includes(command)) {
    throw new Error(
      `usage: rabbitmq.mjs ${COMMANDS.join('|')} --folder FOLDER [--port N] [--tls CERTIFICATES] [-- ARGUMENTS]`,
    );
  }
  const told = (server) =>
    JSON.stringify({ url: server.url(), port: server.port, pid: server.pid, running: server.running });
  if (command === 'start') {
    const options = { folder, port: Number(option('port') ?? 0), detached: true, tls: option('tls') };
    return console.log(told(await startRabbitmq(options)));
  }
  const server = knownRabbitmq(folder);
  if (!server) throw new Error(`${folder}: no RabbitMQ was ever started here`);
  if (command === 'user') {
    const prefix = option('agent');
    const rights = prefix === undefined ? undefined : agentRights(rest[0], prefix);
    return console.log(JSON.stringify({ url: server.createUser(rest[0], rights) }));
  }
  if (command === 'ctl') return process.stdout.write(server.ctl(...rest.slice(rest.indexOf('--') + 1)));
  if (command === 'remove') return server.remove();
  if (command !== 'status') await server[command]();
  console.log(told(server));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2)).catch((e) => {
    console.error(`rabbitmq: ${e.message}`);
    process.exitCode = 1;
  });
}
