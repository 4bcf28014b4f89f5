/**
 * The whole cloud as processes of their own, on a MariaDB and a RabbitMQ that all clouds of a test run share: one cloud
 * at a time, each on databases as new (`e2e/distributed` starts the services). Stories see what they see of a cloud in
 * the test's process; those that are about the processes themselves stop, kill and start them by name.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { createRabbitTransport, type DeadLetter } from '@fractus/rpc';
import { silentLogger } from '@fractus/telemetry';
import { readLedger, type LedgerEntry } from '@fractus/virt-simulated';
import { CloudUser, makeUser, type Credentials, type NewUser, type ServiceUrls } from './cloud-user';
import { operationNamer } from './compute-operations';
import { eventually } from './eventually';
import { NovaContract } from './nova-contract';
import { freePortBase } from './ports';
import { Steward } from './steward';
import { STORY_ENV, type StoryCloud, type StoryCloudOptions } from './story-cloud';

export interface DistributedCloudOptions extends StoryCloudOptions {
  /** How many processes of each there are; 2 unless said. */
  apis?: number;
  conductors?: number;
  schedulers?: number;
  placements?: number;
  agents?: number;
  /** Whether a 5xx or an answer other than the contract's fails the test at once. Default true. */
  checked?: boolean;
}

export interface ClusterProcess {
  /** As `conductor-2`. */
  readonly name: string;
  /** As `conductor`. */
  readonly service: string;
  /** Of its admin listener. */
  readonly admin: string;
  readonly url?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly app: string;
  readonly args: readonly string[];
  readonly running?: { readonly pid: number };
}

export type DatabaseName = 'compute' | 'placement' | 'identity' | 'image' | 'network';

interface ClusterState {
  readonly secrets: { readonly adminPassword: string; readonly demoPassword: string };
  readonly databases: Readonly<Record<DatabaseName, string>>;
  readonly brokers: Readonly<Record<string, string>>;
  readonly processes: readonly ClusterProcess[];
}

export class DistributedCloud implements StoryCloud {
  readonly served = new Set<string>();
  readonly admin: CloudUser;
  readonly demo: CloudUser;
  private readonly nameOf = operationNamer();
  private readonly turns = new Map<string, number>();

  private constructor(
    readonly folder: string,
    private readonly steward: Steward,
    private state: ClusterState,
    private readonly checked: boolean,
  ) {
    const { adminPassword, demoPassword } = state.secrets;
    this.admin = this.user({ name: 'admin', password: adminPassword, project: 'admin' });
    this.demo = this.user({ name: 'demo', password: demoPassword, project: 'demo' });
  }

  static async start({ env, checked = true, ...options }: DistributedCloudOptions = {}): Promise<DistributedCloud> {
    const folder = process.env['FRACTUS_E2E_FOLDER'];
    if (!folder) throw new Error('no services to start a distributed cloud on: run it with FRACTUS_E2E=distributed');
    const steward = new Steward(folder);
    try {
      await steward.call('renew', { ...options, portBase: await freePortBase(), env: { ...STORY_ENV, ...env } });
      return new DistributedCloud(folder, steward, await steward.call('state'), checked);
    } catch (e) {
      await steward.close();
      throw e;
    }
  }

  /** Of the first process of each service. */
  get urls(): ServiceUrls {
    const first = (service: string): string => this.processes(service)[0]?.url ?? '';
    return {
      identity: first('identity'),
      image: first('image'),
      network: first('network'),
      placement: first('placement'),
      compute: first('compute-api'),
    };
  }

  /** All processes, or those of one service. */
  processes(service?: string): readonly ClusterProcess[] {
    return this.state.processes.filter((p) => service === undefined || p.service === service);
  }

  get clientEnvironment(): Readonly<Record<string, string>> {
    return { OS_CLIENT_CONFIG_FILE: join(this.folder, 'clouds.yaml'), OS_CLOUD: 'fractus' };
  }

  async newUser(user: NewUser): Promise<CloudUser> {
    return this.user(await makeUser(this.admin, user));
  }

  /** Its requests go to the processes of a service in turn, so that a story meets each of them. */
  user(who: Credentials): CloudUser {
    return new CloudUser({
      urls: () => this.nextUrls(),
      who,
      contract: this.checked ? NovaContract.load() : null,
      answered: (answer) => {
        if (answer.status >= 400) return;
        const name = this.nameOf(answer);
        if (name !== undefined) this.served.add(name);
      },
    });
  }

  /** The demo user, whose requests go to this one process of the Compute API. */
  demoAt(computeUrl: string): CloudUser {
    const who = { name: 'demo', password: this.state.secrets.demoPassword, project: 'demo' };
    return new CloudUser({ urls: () => ({ ...this.urls, compute: computeUrl }), who, contract: null });
  }

  ledger(): LedgerEntry[] {
    const agents = join(this.folder, 'agents');
    const entries = readdirSync(agents).flatMap((agent) => readLedger(join(agents, agent, 'simulated')));
    // one clock for all; what ends within the same millisecond as something begins has ended before
    return entries.sort((a, b) => a.at - b.at || Number(b.effect === 'destroy') - Number(a.effect === 'destroy'));
  }

  async restart(): Promise<void> {
    await this.steward.call('stopApps');
    await this.steward.call('launch');
    await this.refresh();
  }

  /** Rows of a database, as its service's own user reads them. */
  async query<T>(database: DatabaseName, sql: string): Promise<T[]> {
    const connection = await createConnection({ uri: this.state.databases[database] });
    try {
      const [rows] = await connection.query<RowDataPacket[]>(sql);
      return rows as T[];
    } finally {
      await connection.end();
    }
  }

  async deadLetters(): Promise<DeadLetter[]> {
    const transport = createRabbitTransport({
      urls: [this.state.brokers['control'] ?? ''],
      name: 'test',
      logger: silentLogger(),
    });
    try {
      return await transport.deadLetters.list();
    } finally {
      await transport.close();
    }
  }

  /** `kill -9`; resolves when it is gone. */
  async kill(name: string): Promise<void> {
    await this.steward.call('kill', name);
  }

  /** A clean end; resolves when it is gone. */
  async stop(name: string): Promise<void> {
    await this.steward.call('stop', name);
  }

  /** Starts it; a process need not be ready then, a service is. */
  async launch(name: string): Promise<void> {
    await this.steward.call('start', name);
    await this.refresh();
  }

  /** Resolves when the processes (all, if none are named) are ready; rejects with what they wait for when they are not in time. */
  async ready(names?: readonly string[], boundMs = 60_000): Promise<void> {
    await this.steward.call('ready', names, boundMs);
  }

  /** Why a process is not ready; null when it is. */
  why(name: string): Promise<string | null> {
    return this.steward.call('why', name);
  }

  alive(name: string): Promise<boolean> {
    return this.steward.call('alive', name);
  }

  async close(): Promise<void> {
    await this.steward.close();
  }

  /** Waits until no task is open, which also ends what only follows from a user's request. */
  async idle(boundMs = 60_000): Promise<void> {
    await eventually(
      'no task is open',
      async () => {
        const open = await this.query<{ type: string; step: string }>(
          'compute',
          "SELECT type, step FROM tasks WHERE status = 'open'",
        );
        return open.length === 0 ? true : JSON.stringify(open.slice(0, 5));
      },
      boundMs,
      200,
    );
  }

  private async refresh(): Promise<void> {
    this.state = await this.steward.call('state');
  }

  private nextUrls(): ServiceUrls {
    const next = (service: string): string => {
      const all = this.processes(service);
      const turn = this.turns.get(service) ?? 0;
      this.turns.set(service, turn + 1);
      return all[turn % all.length]?.url ?? '';
    };
    return {
      ...this.urls,
      get compute() {
        return next('compute-api');
      },
      get placement() {
        return next('placement');
      },
    };
  }
}
