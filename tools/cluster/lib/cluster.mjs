// A whole distributed cloud in one folder: private MariaDB and RabbitMQ, and every app as a process (or several) of its
// own. What was planned stands in cluster.json, so that any later command, and any process of it, finds the same cloud.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureBuilt, root } from '../../start/checks.mjs';
import { agentPermissions } from '../../services/rabbitmq-rights.mjs';
import { makeCertificates } from '../../services/certificates.mjs';
import { knownServices, startServices } from '../../services/services.mjs';
import { migrateAll } from './migrate.mjs';
import { DATABASES, processesOf, STOP_ORDER } from './plan.mjs';
import { end, isAlive, launch } from './processes.mjs';
import { seed } from './seed.mjs';

const BIND = '127.0.0.1';
const SERVICES = ['mariadb', 'rabbitmq'];
const OURS = [
  'agents',
  'images',
  'keys',
  'logs',
  'services',
  'tls',
  'cluster.json',
  'clouds.yaml',
  'pids.json',
  'seeded',
];

export class Cluster {
  constructor(folder) {
    this.folder = resolve(folder);
  }

  file(...parts) {
    return join(this.folder, ...parts);
  }

  /** What is written down of this cluster; null where none was ever made. */
  get state() {
    const file = this.file('cluster.json');
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
  }

  write(state) {
    const draft = this.file(`cluster.json.${process.pid}`);
    writeFileSync(draft, JSON.stringify(state, null, 2), { mode: 0o600 });
    renameSync(draft, this.file('cluster.json'));
  }

  get authUrl() {
    return `${this.named('identity').url}/v3`;
  }

  /** Starts everything that does not run; `say` is told of each stage. Resolves when servers can be booted. */
  async up(options, say = () => undefined) {
    for (const dir of ['agents', 'images', 'keys', 'logs', 'services'])
      mkdirSync(this.file(dir), { recursive: true, mode: 0o700 });
    const apps = ['companions', 'placement', 'scheduler', 'conductor', 'compute-agent', 'compute-api'];
    for (const app of apps) ensureBuilt(app);
    say('MariaDB and RabbitMQ');
    await this.services(options);
    const state = this.state;
    say('databases');
    await migrateAll(state.databases);
    await this.launch(say);
  }

  /** Starts every process on databases that are up to date; makes the first records of a cloud that has none. */
  async launch(say = () => undefined) {
    const state = this.state;
    say(`${state.processes.length} processes`);
    for (const { name } of state.processes) await this.start(name);
    await this.ready();
    writeFileSync(this.file('clouds.yaml'), cloudsYaml(this.authUrl, state.secrets), { mode: 0o600 });
    if (!existsSync(this.file('seeded'))) {
      await seed({
        authUrl: this.authUrl,
        username: 'admin',
        password: state.secrets.adminPassword,
        projectName: 'admin',
      });
      writeFileSync(this.file('seeded'), `${new Date().toISOString()}\n`);
    }
  }

  /** The two services, with databases and users; plans the processes on the first start. */
  async services(options) {
    const tls = options.tls ? this.certificates() : undefined;
    const { mariadb, rabbitmq } = await startServices({
      dir: this.file('services'),
      names: SERVICES,
      detached: true,
      options: { mariadb: { flush: options.flush, tls }, rabbitmq: { tls } },
    });
    const known = this.state;
    if (known && JSON.stringify(known.options) === JSON.stringify(options)) return;
    if (known?.processes.some((p) => isAlive(p.running)))
      throw new Error('a cluster of other options runs here: stop it first (down)');
    const databases = {};
    for (const name of DATABASES) databases[name] = await mariadb.createDatabase(`fractus_${name}`);
    const agents = Array.from({ length: options.agents }, (_, i) => `compute-agent-${i + 1}`);
    const brokers = rabbitmq.createUsers([
      { name: 'control' },
      ...agents.map((name) => ({ name, rights: agentPermissions({ instance: name }) })),
    ]);
    const secret = () => randomBytes(15).toString('base64url');
    const secrets = known?.secrets ?? { adminPassword: secret(), demoPassword: secret(), servicePassword: secret() };
    const ports = await freePorts(64 + 2 * options.agents);
    const processes = processesOf({
      options,
      folder: this.folder,
      bind: BIND,
      secrets,
      databases,
      brokers,
      tls,
      free: () => ports.pop(),
    });
    this.write({ options, secrets, databases, brokers, processes });
  }

  /** The folder of the certificates, made once. */
  certificates() {
    const folder = this.file('tls');
    if (!existsSync(join(folder, 'client.pem'))) makeCertificates({ folder });
    return folder;
  }

  named(name) {
    const found = this.state?.processes.find((p) => p.name === name);
    if (!found) throw new Error(`no process ${name}; there are ${this.names().join(', ')}`);
    return found;
  }

  names() {
    return [...SERVICES, ...(this.state?.processes ?? []).map((p) => p.name)];
  }

  service(name) {
    const found = knownServices({ dir: this.file('services'), names: [name] })[name];
    if (!found) throw new Error(`${name} was never started here`);
    return found;
  }

  pid(name) {
    return SERVICES.includes(name) ? this.service(name).pid : this.named(name).running?.pid;
  }

  alive(name) {
    return SERVICES.includes(name) ? this.service(name).running : isAlive(this.named(name).running);
  }

  /** Starts one process (or service) unless it runs; does not wait until it is ready. `nodeArgs`: a profiler's, say. */
  async start(name, nodeArgs = []) {
    if (SERVICES.includes(name)) {
      await this.service(name).start();
      return this.writePids();
    }
    const { app, args, env, running } = this.named(name);
    if (isAlive(running)) return;
    const { PATH, HOME, LANG, NODE_OPTIONS } = process.env;
    const started = launch({
      command: process.execPath,
      args: [...nodeArgs, join(root, 'dist/apps', app, 'main.js'), ...args],
      env: { PATH, HOME, ...(LANG && { LANG }), ...(NODE_OPTIONS && { NODE_OPTIONS }), ...env },
      log: this.file('logs', `${name}.log`),
      cwd: this.folder,
    });
    const state = this.state;
    state.processes.find((p) => p.name === name).running = started;
    this.write(state);
    this.writePids();
  }

  /** Process ids by name, for benchmarks and monitors. */
  writePids() {
    const alive = this.names().filter((name) => this.alive(name));
    const pids = Object.fromEntries(alive.map((name) => [name, this.pid(name)]));
    writeFileSync(this.file('pids.json'), `${JSON.stringify(pids)}\n`);
  }

  /** Ends one process in good order, or with SIGKILL when it does not end in time. */
  async stop(name) {
    if (SERVICES.includes(name)) return this.service(name).stop();
    const { running } = this.named(name);
    if (!(await end(running, 'SIGTERM', 40_000))) await end(running, 'SIGKILL', 5_000);
  }

  /** kill -9. */
  async kill(name) {
    if (SERVICES.includes(name)) return this.service(name).kill();
    await end(this.named(name).running, 'SIGKILL', 5_000);
  }

  /** Why a process is not ready; undefined when it is. */
  async why(name) {
    const { admin, running } = this.named(name);
    if (!isAlive(running)) return `it has ended; see ${this.file('logs', `${name}.log`)}`;
    try {
      const answer = await fetch(`${admin}/readyz`, { signal: AbortSignal.timeout(5_000) });
      if (answer.ok) return undefined;
      const { checks } = await answer.json();
      return checks
        .filter((c) => !c.ok)
        .map((c) => c.why ?? c.part)
        .join('; ');
    } catch (e) {
      return `it does not answer yet (${e.cause?.code ?? e.message})`;
    }
  }

  /** Resolves when the named processes (all, if none are) are ready; throws with every reason when they are not in time. */
  async ready(names = this.state.processes.map((p) => p.name), ms = 60_000) {
    for (const until = Date.now() + ms; ; await sleep(50)) {
      const reasons = await Promise.all(names.map(async (name) => [name, await this.why(name)]));
      const waiting = reasons.filter(([, why]) => why !== undefined);
      if (waiting.length === 0) return;
      const ended = waiting.filter(([name]) => !this.alive(name));
      if (ended.length > 0 || Date.now() > until)
        throw new Error(`not ready:\n${waiting.map(([name, why]) => `  ${name}: ${why}`).join('\n')}`);
    }
  }

  /** Stops everything in good order; what was never made is no fault. */
  async down() {
    const processes = this.state?.processes ?? [];
    for (const services of STOP_ORDER) {
      const names = processes.filter((p) => services.includes(p.service)).map((p) => p.name);
      await Promise.all(names.map((name) => this.stop(name)));
    }
    const services = knownServices({ dir: this.file('services') });
    await Promise.all(Object.values(services).map((s) => s.stop()));
  }

  /** Removes what a cluster writes, and nothing else. It must be down. */
  reset() {
    if (this.names().some((name) => this.state && this.alive(name))) throw new Error('it runs: stop it first (down)');
    for (const name of OURS) rmSync(this.file(name), { recursive: true, force: true });
  }
}

/** Ports that are free now, all different. */
async function freePorts(count) {
  const listen = () =>
    new Promise((done, fail) => {
      const probe = createServer();
      probe.once('error', fail);
      probe.listen(0, BIND, () => done(probe));
    });
  const probes = await Promise.all(Array.from({ length: count }, listen));
  const ports = probes.map((p) => p.address().port);
  await Promise.all(probes.map((p) => new Promise((done) => p.close(done))));
  return ports;
}

/** JSON is YAML. */
function cloudsYaml(authUrl, { adminPassword, demoPassword }) {
  const entry = (username, password, scope) => ({
    auth: { auth_url: authUrl, username, password, user_domain_id: 'default', ...scope },
    region_name: 'RegionOne',
    identity_api_version: '3',
    interface: 'public',
  });
  const project = (name) => ({ project_name: name, project_domain_id: 'default' });
  const clouds = {
    fractus: entry('admin', adminPassword, project('admin')),
    'fractus-demo': entry('demo', demoPassword, project('demo')),
    'fractus-system': entry('admin', adminPassword, { system_scope: 'all' }),
  };
  return `${JSON.stringify({ clouds }, null, 2)}\n`;
}
