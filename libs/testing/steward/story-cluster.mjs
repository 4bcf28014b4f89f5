// A cluster that can be made new in seconds: its services stay, and so do its databases' tables.
import { createRequire } from 'node:module';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { Cluster } from '../../../tools/cluster/lib/cluster.mjs';
import { migrateAll } from '../../../tools/cluster/lib/migrate.mjs';
import { STOP_ORDER } from '../../../tools/cluster/lib/plan.mjs';
import { ensureBuilt } from '../../../tools/start/checks.mjs';
import { remember, restore } from './pristine.mjs';

const { connect } = createRequire(import.meta.url)('amqplib');
const APPS = ['companions', 'placement', 'scheduler', 'conductor', 'compute-agent', 'compute-api'];
const FOLDERS = ['agents', 'images', 'keys', 'logs', 'services'];
const QUEUES = ['conductor', 'scheduler', 'placement', 'dead'];
const PAUSES = [50, 200, 400, 800, 1600, 3200, 6400, 12_800, 30_000, 120_000];

/** What a cluster is made of where a test says nothing else. Every commit survives kill -9. */
const DEFAULTS = {
  apis: 2,
  conductors: 2,
  schedulers: 2,
  placements: 2,
  agents: 2,
  hosts: 3,
  simProfile: 'instant',
  flush: 1,
  logLevel: 'info',
};

export class StoryCluster extends Cluster {
  /** Services and databases as a new cloud's. */
  async prepare() {
    this.makeFolders();
    for (const app of APPS) ensureBuilt(app);
    await this.services({ ...DEFAULTS, portBase: 5000 });
    const { databases } = this.state;
    await migrateAll(databases);
    await remember(this.service('mariadb').url(), databases);
  }

  /** Ends the cloud that was, and starts a new one in its place. */
  async renew(options) {
    await this.endApps();
    const hosts = options.hosts ?? DEFAULTS.hosts;
    await this.services({ ...DEFAULTS, agents: Math.min(DEFAULTS.agents, hosts), ...options });
    await Promise.all([restore(this.service('mariadb').url(), this.state.databases), this.clearQueues()]);
    for (let n = 1; existsSync(this.file('logs')); n++)
      if (!existsSync(this.file(`logs-${n}`))) renameSync(this.file('logs'), this.file(`logs-${n}`));
    for (const name of ['agents', 'images', 'seeded']) rmSync(this.file(name), { recursive: true, force: true });
    this.makeFolders();
    await this.launch();
  }

  /** Ends all but the services in good order. */
  async stopApps() {
    for (const services of STOP_ORDER) await Promise.all(this.apps(services).map((name) => this.stop(name)));
  }

  /** Ends all but the services at once. */
  async endApps() {
    await Promise.all(this.apps().map((name) => this.kill(name)));
  }

  apps(services) {
    const processes = this.state?.processes ?? [];
    return processes.filter((p) => !services || services.includes(p.service)).map((p) => p.name);
  }

  makeFolders() {
    for (const name of FOLDERS) mkdirSync(this.file(name), { recursive: true, mode: 0o700 });
  }

  /** An agent's queue goes with its bindings, since the next cloud's hosts are dealt out anew; the others are emptied. */
  async clearQueues() {
    const connection = await connect(this.service('rabbitmq').url());
    try {
      const channel = await connection.createChannel();
      for (const name of this.apps(['compute-agent'])) await channel.deleteQueue(`fractus.compute@${name}`);
      await channel.close();
      for (const name of [...QUEUES, ...PAUSES.map((ms) => `retry.${ms}`)]) await purge(connection, `fractus.${name}`);
    } finally {
      await connection.close();
    }
  }
}

async function purge(connection, queue) {
  const channel = await connection.createChannel();
  channel.on('error', () => undefined); // a queue that was never declared closes the channel
  await channel.purgeQueue(queue).then(
    () => channel.close(),
    (e) => {
      if (e.code !== 404) throw e;
    },
  );
}
