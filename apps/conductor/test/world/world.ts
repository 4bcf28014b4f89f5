/**
 * A small world around real conductors on a real database: honest ledgers of guests, allocations and ports, and a
 * clock that moves only when nothing else is left to do. Conductors may die and be born again in it. Several take turns:
 * each message, each hint and each look at what is due goes to the next of them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { Database, Dialect } from '@fractus/database';
import { openTestMysql } from '@fractus/database/testing';
import {
  type NewServer,
  COMPUTE_SCHEMA,
  QuotaUsagesRepository,
  type Server,
  ServerOperations,
  ServersRepository,
  type TaskRecord,
  TasksRepository,
} from '@fractus/compute-db';
import { type RequestContext, unavailable, type VmState } from '@fractus/objects';
import type { OperationFinished } from '@fractus/rpc-contracts';
import { type ActionKey, requireAllowed } from '@fractus/server-lifecycle';
import { type Logger, type Metrics, silentLogger } from '@fractus/telemetry';
import { ConductorConfig } from '../../src/conductor.config';
import type { TaskDefinition } from '../../src/engine/task-definition';
import { Killed, type ProbePoint } from '../../src/engine/task-runner';
import { ConductorParts } from '../../src/parts';
import { AgentLedger } from './agents';
import { FLAVOR, hostState, openCopy } from './fixtures';
import { PortLedger, schedulerOver } from './peers';
import { PlacementLedger } from './placement';

export interface WorldOptions {
  readonly hosts?: number;
  readonly vcpusPerHost?: number;
  readonly tasks?: readonly TaskDefinition[];
  /** Default SQLite. */
  readonly dialect?: Dialect;
  /** Default one. */
  readonly conductors?: number;
  readonly settings?: Partial<ConductorConfig>;
  readonly metrics?: Metrics;
  readonly logger?: Logger;
}
/** One conductor process. */
export interface Conductor {
  readonly name: string;
  readonly parts: ConductorParts;
  alive: boolean;
  /** When set, its clock stands still there: it does not see its leases run out. */
  frozenAt: number | null;
}
type Probe = (point: ProbePoint, task: TaskRecord, by: Conductor) => void | Promise<void>;

export const LEASE_MS = 30_000;
export const PROJECT = 'p1';
export const USER = 'u1';

export class World {
  now = 1_800_000_000_000;
  readonly placement = new PlacementLedger(() => this.now);
  readonly agents = new AgentLedger(
    (message) => void this.mail.push(message),
    () => this.now,
  );
  readonly hosts: { host: string; nodeId: string }[] = [];
  readonly ports = new PortLedger(() => undefined);
  /** Until then nobody schedules. */
  schedulerBackAt = 0;
  readonly servers: ServersRepository;
  readonly tasks: TasksRepository;
  readonly operations: ServerOperations;
  readonly quota: QuotaUsagesRepository;
  /** All that are alive, in the order of their turns. */
  conductors: Conductor[] = [];
  probe: Probe = () => undefined;
  /** What is waited for, when nobody does anything, before anybody goes on. */
  held: Promise<void> = Promise.resolve();
  /** Alive, and without turns. */
  private aside: Conductor[] = [];
  private readonly dead: string[] = [];
  private readonly mail: OperationFinished[] = [];
  private births = 0;

  private constructor(
    readonly db: Database,
    private readonly dir: string,
    private readonly options: WorldOptions,
  ) {
    this.servers = new ServersRepository(db);
    this.tasks = new TasksRepository(db);
    this.quota = new QuotaUsagesRepository(db);
    this.operations = new ServerOperations(db, { clock: () => this.now });
  }

  static async make(options: WorldOptions = {}): Promise<World> {
    const dir = mkdtempSync(join(tmpdir(), 'fractus-world-'));
    const db = options.dialect === 'mysql' ? await openTestMysql(COMPUTE_SCHEMA) : await openCopy(dir);
    const world = new World(db, dir, options);
    for (let n = 1; n <= (options.conductors ?? 1); n++) await world.birth(`c${n}`);
    await world.addHosts(options.hosts ?? 3, options.vcpusPerHost ?? 8);
    const unlimited = { project_id: PROJECT, user_id: '', hard_limit: -1 };
    const resources = ['instances', 'cores', 'ram'];
    await db.insert('quotas', resources.map((resource) => ({ ...unlimited, resource }))); // prettier-ignore
    return world;
  }

  /** A conductor is born; `instance` names it. */
  async birth(instance = 'c1'): Promise<Conductor> {
    const alive = (): void => {
      if (!me.alive) throw new Killed();
    };
    const config = Object.assign(new ConductorConfig(), {
      instance,
      taskConcurrency: 8,
      pollMs: 1000,
      leaseMs: LEASE_MS,
      undoCapMs: 600_000,
      troubleSeconds: 300,
      maxBuildAttempts: 3,
      shutdownTimeoutSeconds: 60,
      serviceDownSeconds: 1e9,
      reconcileSeconds: 0,
      orphanSeconds: 60,
      keepTasksSeconds: 86_400,
      ...this.options.settings,
    });
    const parts = new ConductorParts({
      config,
      database: this.db,
      logger: this.options.logger ?? silentLogger(),
      ...(this.options.metrics ? { metrics: this.options.metrics } : {}),
      clock: () => me.frozenAt ?? this.now,
      incarnation: this.births++,
      peers: {
        scheduler: schedulerOver(this.placement, this.hosts, () => {
          alive();
          if (this.now < this.schedulerBackAt) throw unavailable('the scheduler is away', { code: 'rpc.closed' });
        }),
        compute: this.agents.client(alive),
        placement: this.placement.client(),
        network: this.ports,
      },
      probe: async (point, task) => {
        alive();
        await this.probe(point, task, me);
        alive();
      },
      ...(this.options.tasks ? { tasks: this.options.tasks } : {}),
    });
    const me: Conductor = { name: instance, parts, alive: true, frozenAt: null };
    this.conductors.push(me);
    await parts.engine.recover();
    return me;
  }

  /** A conductor whose turn comes next. */
  get conductor(): ConductorParts {
    return (this.conductors[0] ?? raise('no conductor is alive')).parts;
  }

  /** The conductor dies here and now: nothing of it writes or sends any more; it is born again when all else rests. Call it from a probe. */
  die(who: Conductor): never {
    this.bury(who);
    this.dead.push(who.name);
    throw new Killed();
  }

  /** As `die`, for good. */
  bury(who: Conductor): void {
    who.alive = false;
    this.conductors = this.conductors.filter((c) => c !== who);
  }

  /** Gets no further turns, and goes on with what it is at. */
  sideline(who: Conductor): void {
    this.conductors = this.conductors.filter((c) => c !== who);
    this.aside.push(who);
  }

  /** Takes its turns again, by the right time. */
  async wakeUp(who: Conductor): Promise<void> {
    who.frozenAt = null;
    await who.parts.engine.idle();
    this.aside = this.aside.filter((c) => c !== who);
    this.conductors.push(who);
  }

  /** Drives the server's task to its end by those that take turns, while a run of one aside is held up. */
  async runByOthers(serverId: string): Promise<void> {
    for (let turn = 0; turn < 50; turn++) {
      await this.deliver();
      await this.othersIdle();
      const open = await this.tasks.openOf(serverId);
      if (!open && this.mail.length === 0) return;
      if (open) await this.next().engine.runNow(open.id);
    }
    throw new Error('the others do not come to an end');
  }

  /** All that is written of servers and tasks, claimed and running: a line each. */
  async books(): Promise<string[]> {
    const tables = ['servers', 'tasks', 'instance_actions', 'instance_action_events', 'server_faults', 'quota_usages'];
    const lines: string[] = [];
    for (const table of tables)
      for (const row of await this.db.query(`SELECT * FROM ${table}`)) lines.push(`${table} ${JSON.stringify(row)}`);
    for (const consumer of this.placement.consumers) lines.push(`consumer ${JSON.stringify(consumer)}`);
    for (const [host, guests] of this.agents.guests) lines.push(`guests ${host} ${JSON.stringify([...guests])}`);
    return lines;
  }

  private next(): ConductorParts {
    const [first = raise('no conductor is alive'), ...rest] = this.conductors;
    this.conductors = [...rest, first];
    return first.parts;
  }

  ctx(): RequestContext {
    return { requestId: `req-${randomUUID()}`, userId: USER, projectId: PROJECT, roles: ['member'] };
  }

  async create(extra: Partial<NewServer> = {}, count = 1, options: { hint?: boolean } = {}): Promise<string[]> {
    const all = Array.from({ length: count }, () => {
      const server: NewServer = {
        id: randomUUID(),
        projectId: PROJECT,
        userId: USER,
        name: 'web',
        hostname: 'web',
        flavor: FLAVOR,
        image: null,
        requestedNetworks: [{ networkId: randomUUID() }],
        reservationId: 'r-1',
        ...extra,
      };
      const spec = {
        projectId: server.projectId,
        userId: server.userId,
        flavor: server.flavor,
        image: null,
        bootFromVolume: false,
        availabilityZone: null,
        requestedHost: null,
        requestedNode: null,
        schedulerHints: {},
      };
      return { server, spec };
    });
    const begun = await this.operations.create(this.ctx(), all);
    if (options.hint !== false) begun.forEach(({ taskId }) => this.next().engine.hint(taskId));
    return begun.map((b) => b.serverId);
  }

  /** As a user asks for an action; throws what the user would be told. */
  async act(serverId: string, action: ActionKey, options: { hint?: boolean } = {}): Promise<void> {
    const server = await this.servers.get(serverId);
    const facts = {
      server: { ...server, locked: server.lockedBy !== null, launched: server.launchedAt !== null },
      actor: { admin: false },
    };
    const verdict = requireAllowed(action, facts);
    const { taskId } = await this.operations.begin(this.ctx(), { server, action, verdict });
    if (taskId && options.hint !== false) this.next().engine.hint(taskId);
  }

  /** A server brought to a state by the actions that lead there. */
  async serverIn(vmState: VmState, extra: Partial<NewServer> = {}): Promise<string> {
    const [id = ''] = await this.create(extra);
    await this.settle();
    const ways: Partial<Record<VmState, ActionKey>> = { stopped: 'stop', paused: 'pause', suspended: 'suspend' };
    const way = ways[vmState];
    if (way) await this.act(id, way);
    await this.settle();
    expect((await this.get(id)).vmState).toBe(vmState);
    return id;
  }

  get(serverId: string): Promise<Server> {
    return this.servers.get(serverId, { withDeleted: true });
  }

  /** Until nothing is left to do: delivers answers, runs what is due, and moves the clock when only time is wanting. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 2000; turn++) {
      await this.idle();
      await this.held;
      for (const name of this.dead.splice(0)) await this.birth(name);
      if (await this.deliver()) continue;
      if (await this.sweep()) continue;
      // in time, as each does by itself
      for (const { parts } of this.conductors) await parts.engine.keeper.tend();
      const next = await this.nextMoment();
      if (next === null) return;
      this.now = Math.max(this.now, next);
    }
    throw new Error('the world does not come to rest');
  }

  /** Until no conductor does anything. */
  async idle(): Promise<void> {
    for (const { parts } of [...this.conductors, ...this.aside]) await parts.engine.idle();
  }

  /** Until none of those that take turns does anything. */
  async othersIdle(): Promise<void> {
    for (const { parts } of this.conductors) await parts.engine.idle();
  }

  /** Hands the next answer to the next conductor; false when there is none. */
  async deliver(): Promise<boolean> {
    const message = this.mail.shift();
    if (message) await this.next().operations.finished(this.ctx(), message);
    return message !== undefined;
  }

  /** Answers that were not delivered yet. */
  get waitingMail(): number {
    return this.mail.length;
  }

  /** Every conductor looks once at what is due. */
  private async sweep(): Promise<boolean> {
    let found = 0;
    for (let n = this.conductors.length; n > 0; n--) found += await this.next().engine.sweep();
    return found > 0;
  }

  /** Runs the server's open task here and now, as far as it goes without the clock: what others do while a run is held up. */
  async runOpenTask(serverId: string): Promise<void> {
    for (let turn = 0; turn < 50; turn++) {
      await this.deliver();
      const open = await this.tasks.openOf(serverId);
      const ran = open !== null && (await this.next().engine.runNow(open.id));
      if (!ran && this.mail.length === 0) return;
    }
  }

  /** What must hold at rest, whatever happened. */
  async check(): Promise<void> {
    expect(this.agents.violations).toEqual([]);
    const live = await this.servers.list({ limit: 1000 });
    expect(live.filter((s) => s.taskState !== null)).toEqual([]);
    const placed = live.filter((s) => s.host !== null);
    const ids = placed.map((s) => s.id).sort();
    expect([...this.placement.consumers.keys()].sort()).toEqual(ids);
    const guests = [...this.agents.guests].flatMap(([host, on]) => [...on.keys()].map((id) => `${id} ${host}`));
    expect(guests.sort()).toEqual(placed.map((s) => `${s.id} ${s.host}`).sort());
    const devices = (await this.ports.listOwned()).map((p) => p.deviceId);
    expect([...new Set(devices)].sort()).toEqual(
      placed
        .filter((s) => s.nics.length > 0)
        .map((s) => s.id)
        .sort(),
    );
    expect(devices.length).toBe(placed.reduce((n, s) => n + s.nics.length, 0));
    expect(await this.quota.audit()).toEqual([]);
    expect(await this.db.query("SELECT uuid FROM tasks WHERE status = 'open' OR lease_owner IS NOT NULL")).toEqual([]);
    expect(await this.db.query('SELECT action FROM instance_actions WHERE finished_at IS NULL')).toEqual([]);
    const twice =
      "SELECT event FROM instance_action_events WHERE result = 'Success' AND event LIKE 'compute%' GROUP BY action_id, event HAVING COUNT(*) > 1";
    expect(await this.db.query(twice)).toEqual([]);
  }

  async end(): Promise<void> {
    for (const { parts } of this.conductors) await parts.engine.close();
    await this.db.close();
    rmSync(this.dir, { recursive: true });
  }

  private async nextMoment(): Promise<number | null> {
    const rows = await this.db.query<{ at: number }>(
      "SELECT CASE WHEN lease_until > ready_at THEN lease_until ELSE ready_at END AS at FROM tasks WHERE status = 'open' ORDER BY at LIMIT 1",
    );
    return rows[0]?.at ?? null;
  }

  private async addHosts(count: number, vcpus: number): Promise<void> {
    for (let i = 1; i <= count; i++) {
      const host = { host: `host${i}`, nodeId: randomUUID() };
      this.hosts.push(host);
      this.placement.capacity.set(host.nodeId, vcpus);
    }
    const agent = { agentId: 'a1', incarnation: 1, serviceVersion: 1 };
    await this.conductor.hosts.register(this.ctx(), {
      ...agent,
      hosts: this.hosts.map(({ host, nodeId }) => hostState(host, nodeId, vcpus)),
    });
  }
}

function raise(why: string): never {
  throw new Error(why);
}
