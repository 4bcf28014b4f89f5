#!/usr/bin/env node
// A private MariaDB from Debian's package (mariadb-server): own folder, port and socket, loopback only, random root
// password. The system's daemon and its files are never touched: every option is given, no option file is read.
//
//   node tools/services/mariadb.mjs start --folder tmp/mariadb [--port 0] [--flush 0|1|2] [--tls CERTIFICATES]
//                                                                                            prints {"url", "port", "pid"}
//   node tools/services/mariadb.mjs stop|kill|restart|status --folder tmp/mariadb
//   node tools/services/mariadb.mjs database NAME --folder tmp/mariadb                      makes a database with a user of its own
//
// As a module: `startMariadb({ folder })` for tests and tools. A folder keeps its data, port and passwords between starts.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const INSTALL = 'MariaDB is not installed: apt-get install -y --no-install-recommends mariadb-server';
const PLACES = [
  ...(process.env.PATH ?? '').split(delimiter),
  '/usr/sbin',
  '/usr/bin',
  '/usr/local/sbin',
  '/usr/local/bin',
];
const find = (...names) => names.flatMap((n) => PLACES.map((p) => join(p, n))).find((f) => existsSync(f));

/** A plain word for what is missing, or null. */
export function missingMariadb() {
  return find('mariadbd') && find('mariadb-install-db') ? null : INSTALL;
}

const stateFile = (folder) => join(folder, 'mariadb.json');
const readState = (folder) =>
  existsSync(stateFile(folder)) ? JSON.parse(readFileSync(stateFile(folder), 'utf8')) : null;
const writeState = (folder, state) => writeFileSync(stateFile(folder), JSON.stringify(state, null, 2), { mode: 0o600 });

function freePort() {
  return new Promise((done, fail) => {
    const probe = createServer();
    probe.once('error', fail);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}

/** Whether `pid` is the server of this folder, and not some later process of the same number. */
function isOurs(pid, folder) {
  if (!pid) return false;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`--datadir=${join(folder, 'data')}`);
  } catch {
    return false; // gone
  }
}

async function gone(pid, folder, ms) {
  for (const end = Date.now() + ms; isOurs(pid, folder); await sleep(25)) if (Date.now() > end) return false;
  return true;
}

const tlsArguments = (folder) => [
  `--ssl-ca=${join(folder, 'ca.pem')}`,
  `--ssl-cert=${join(folder, 'server.pem')}`,
  `--ssl-key=${join(folder, 'server.key')}`,
  '--require-secure-transport=ON',
];
const quoted = (text) => `'${text.replace(/[\\']/g, '\\$&')}'`;
const NAME = /^[A-Za-z0-9_]{1,60}$/;

/**
 * Starts (or finds running) the server of a folder, and waits until it answers.
 * `flush`: innodb_flush_log_at_trx_commit; 1, the default, keeps every commit through a power cut, 0 is for fast tests.
 * `detached`: it outlives this process; otherwise it is killed when this process exits.
 * `tls`: a folder of certificates.mjs; connections over TCP are then refused without TLS.
 */
export async function startMariadb({
  folder,
  port = 0,
  flush = 1,
  bufferPoolMb = 128,
  maxConnections = 500,
  detached = false,
  tls,
}) {
  const missing = missingMariadb();
  if (missing) throw new Error(missing);
  const dir = resolve(folder);
  const options = { flush, bufferPoolMb, maxConnections, detached, ...(tls ? { tls: resolve(tls) } : {}) };
  const server = new Mariadb(dir, options);
  await server.prepare(port);
  await server.start();
  return server;
}

/** The server of a folder that was started before, running or not; null where there is none. */
export function knownMariadb(folder) {
  const dir = resolve(folder);
  const state = readState(dir);
  return state && new Mariadb(dir, { ...state.options, detached: true });
}

class Mariadb {
  constructor(folder, options) {
    this.folder = folder;
    this.options = options;
    this.child = undefined;
  }

  get state() {
    return readState(this.folder);
  }
  get port() {
    return this.state.port;
  }
  get socket() {
    return this.state.socket;
  }
  get pid() {
    return this.state.pid;
  }
  get running() {
    return isOurs(this.pid, this.folder);
  }

  /** `mysql://…` of a database, or of the server when none is named; as root unless a user is given. */
  url(database = '', { user = 'root', password = this.state.password } = {}) {
    const { tls } = this.options;
    // certificates are made out to names
    const host = tls ? 'localhost' : '127.0.0.1';
    const query = tls ? `?tls=verify&ca=${encodeURIComponent(join(tls, 'ca.pem'))}` : '';
    return `mysql://${user}:${encodeURIComponent(password)}@${host}:${this.port}/${database}${query}`;
  }

  /** Makes the data folder on the first start. */
  async prepare(port) {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const known = this.state;
    // once with TLS, always with TLS
    if (known?.options?.tls) this.options = { tls: known.options.tls, ...this.options };
    if (known && existsSync(join(this.folder, 'data', 'mysql'))) {
      writeState(this.folder, { ...known, options: this.options });
      return;
    }
    const password = randomBytes(18).toString('hex');
    // a socket's path is at most 107 bytes: a deep folder gets one in /tmp
    const near = join(this.folder, 'mariadb.sock');
    const socket = Buffer.byteLength(near) < 100 ? near : `/tmp/fractus-mariadb-${randomBytes(6).toString('hex')}.sock`;
    const data = join(this.folder, 'data');
    rmSync(data, { recursive: true, force: true });
    const user = process.getuid?.() === 0 ? ['--user=root'] : [];
    const made = spawnSync(
      find('mariadb-install-db'),
      [
        '--no-defaults',
        `--datadir=${data}`,
        '--auth-root-authentication-method=normal',
        '--skip-test-db',
        '--skip-name-resolve',
        ...user,
      ],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    );
    if (made.status !== 0) throw new Error(`mariadb-install-db failed:\n${made.stdout}${made.stderr}`);
    writeFileSync(
      join(this.folder, 'first-start.sql'),
      `ALTER USER 'root'@'localhost' IDENTIFIED BY ${quoted(password)};
CREATE OR REPLACE USER 'root'@'127.0.0.1' IDENTIFIED BY ${quoted(password)};
GRANT ALL PRIVILEGES ON *.* TO 'root'@'127.0.0.1' WITH GRANT OPTION;
DROP USER IF EXISTS ''@'localhost', 'root'@'::1';
`,
      { mode: 0o600 },
    );
    writeState(this.folder, { port: port || (await freePort()), socket, password, users: {}, options: this.options });
  }

  /** Starts the prepared server; does nothing when it runs. */
  async start() {
    if (this.running) return this.answering();
    const { port, socket } = this.state;
    const { flush, bufferPoolMb, maxConnections, detached, tls } = this.options;
    const first = join(this.folder, 'first-start.sql');
    const log = openSync(join(this.folder, 'mariadb.log'), 'a');
    const args = [
      '--no-defaults',
      `--datadir=${join(this.folder, 'data')}`,
      `--port=${port}`,
      `--socket=${socket}`,
      `--pid-file=${join(this.folder, 'mariadb.pid')}`,
      '--bind-address=127.0.0.1',
      '--skip-name-resolve',
      '--character-set-server=utf8mb4',
      `--innodb-flush-log-at-trx-commit=${flush}`,
      `--innodb-buffer-pool-size=${bufferPoolMb}M`,
      `--max-connections=${maxConnections}`,
      '--performance-schema=off',
      '--skip-log-bin',
      ...(tls ? tlsArguments(tls) : []),
      ...(process.getuid?.() === 0 ? ['--user=root'] : []),
      ...(existsSync(first) ? [`--init-file=${first}`] : []),
    ];
    const child = spawn(find('mariadbd'), args, { stdio: ['ignore', log, log], detached });
    this.child = child;
    let ended = false;
    child.once('error', () => (ended = true));
    child.once('exit', () => (ended = true));
    if (detached) child.unref();
    else process.once('exit', () => child.kill('SIGKILL'));
    writeState(this.folder, { ...this.state, pid: child.pid });
    await this.answering(() => ended);
    rmSync(first, { force: true });
  }

  /** Resolves when the server answers a query; throws with the end of its log when it has ended. */
  async answering(ended = () => false, ms = 60_000) {
    for (const end = Date.now() + ms; ; await sleep(50)) {
      try {
        await this.query('SELECT 1');
        return;
      } catch (e) {
        if (!ended() && Date.now() < end) continue;
        await this.kill();
        const log = readFileSync(join(this.folder, 'mariadb.log'), 'utf8').split('\n').slice(-15).join('\n');
        throw new Error(`MariaDB does not answer (${e.message}):\n${log}`);
      }
    }
  }

  /** Runs one statement as root. */
  async query(sql, database = '') {
    const { createConnection } = require('mysql2/promise');
    const { socket: socketPath, password } = this.state;
    const connection = await createConnection({ socketPath, user: 'root', password, database, connectTimeout: 2000 });
    try {
      return (await connection.query(sql))[0];
    } finally {
      connection.destroy();
    }
  }

  /** Makes a database and a user of the same name with all rights on it alone; returns its URL. Keeps what is there. */
  async createDatabase(name) {
    if (!NAME.test(name)) throw new Error(`${name}: a database's name has letters, digits and _ only`);
    const { users } = this.state;
    const password = users[name] ?? randomBytes(18).toString('hex');
    await this.query(`CREATE DATABASE IF NOT EXISTS ${name} CHARACTER SET utf8mb4`);
    for (const host of ['localhost', '127.0.0.1']) {
      await this.query(`CREATE USER IF NOT EXISTS '${name}'@'${host}' IDENTIFIED BY ${quoted(password)}`);
      await this.query(`GRANT ALL PRIVILEGES ON ${name}.* TO '${name}'@'${host}'`);
    }
    writeState(this.folder, { ...this.state, users: { ...this.state.users, [name]: password } });
    return this.url(name, { user: name, password });
  }

  async dropDatabase(name) {
    if (!NAME.test(name)) throw new Error(`${name}: a database's name has letters, digits and _ only`);
    await this.query(`DROP DATABASE IF EXISTS ${name}`);
    for (const host of ['localhost', '127.0.0.1']) await this.query(`DROP USER IF EXISTS '${name}'@'${host}'`);
  }

  /** A clean end; resolves when the process is gone. */
  async stop() {
    await this.end('SIGTERM', 60_000);
  }
  /** kill -9. */
  async kill() {
    await this.end('SIGKILL', 10_000);
  }
  async restart() {
    await this.stop();
    await this.start();
  }
  /** Stops and deletes everything. */
  async remove() {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async end(signal, ms) {
    const { pid } = this;
    if (!isOurs(pid, this.folder)) return;
    process.kill(pid, signal);
    if (!(await gone(pid, this.folder, ms))) throw new Error(`MariaDB (process ${pid}) does not end`);
  }
}

async function main([command, ...rest]) {
  const option = (name) => {
    const at = rest.indexOf(`--${name}`);
    return at < 0 ? undefined : rest[at + 1];
  };
  const folder = option('folder');
  if (!folder || !['start', 'stop', 'kill', 'restart', 'status', 'database'].includes(command)) {
    throw new Error(
      'usage: mariadb.mjs start|stop|kill|restart|status|database NAME --folder FOLDER [--port N] [--flush 0|1|2] [--tls CERTIFICATES]',
    );
  }
  const told = (server) =>
    JSON.stringify({ url: server.url(), port: server.port, pid: server.pid, running: server.running });
  if (command === 'start') {
    const server = await startMariadb({
      folder,
      port: Number(option('port') ?? 0),
      flush: Number(option('flush') ?? 1),
      tls: option('tls'),
      detached: true,
    });
    return console.log(told(server));
  }
  const server = knownMariadb(folder);
  if (!server) throw new Error(`${folder}: no MariaDB was ever started here`);
  if (command === 'database') return console.log(JSON.stringify({ url: await server.createDatabase(rest[0]) }));
  if (command !== 'status') await server[command]();
  console.log(told(server));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2)).catch((e) => {
    console.error(`mariadb: ${e.message}`);
    process.exitCode = 1;
  });
}
