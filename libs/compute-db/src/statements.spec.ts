/** How many statements a use of the repositories takes, whatever the number of rows; and that an index serves each. */
import { randomUUID } from 'node:crypto';
import type { Database } from '@fractus/database';
import { eachDatabase, onMysql, plansOf, statementsOf, type PlanLine } from '@fractus/database/testing';
import type { HostState } from '@fractus/rpc-contracts';
import { requireAllowed } from '@fractus/server-lifecycle';
import {
  AggregatesRepository,
  COMPUTE_SCHEMA,
  FlavorsRepository,
  HostsRepository,
  HostSnapshotsRepository,
  HypervisorsRepository,
  InstanceActionsRepository,
  KeyPairsRepository,
  type NewServer,
  QuotaLimitsRepository,
  QuotaUsagesRepository,
  ScheduleAttemptsRepository,
  ServerOperations,
  ServersRepository,
  ServicesRepository,
  TaskLeases,
  TasksRepository,
} from './index';

jest.setTimeout(120_000);

const ctx = { requestId: 'req-1', userId: 'u1', projectId: 'p1', roles: ['member'] };
const flavor = { flavorId: 'f1', name: 'f', vcpus: 1, memoryMb: 64, rootGb: 1, ephemeralGb: 0, swapMb: 0, extraSpecs: {} }; // prettier-ignore
const T0 = 1_800_000_000_000;
let clock = T0;

const withSpec = (extra: Partial<NewServer> = {}) => {
  const server: NewServer = {
    id: randomUUID(),
    projectId: 'p1',
    userId: 'u1',
    name: 'web',
    hostname: 'web',
    flavor,
    image: null,
    requestedNetworks: 'none',
    reservationId: 'r-1',
    ...extra,
  };
  const spec = {
    projectId: server.projectId,
    userId: server.userId,
    flavor,
    image: null,
    bootFromVolume: false,
    availabilityZone: null,
    requestedHost: null,
    requestedNode: null,
    schedulerHints: {},
  };
  return { server, spec };
};

const hostState = (n: number): HostState => ({
  host: `h${n}`,
  node: `h${n}.example`,
  nodeId: randomUUID(),
  hypervisorType: 'simulated',
  hypervisorVersion: 1,
  hostIp: '10.0.0.1',
  vcpus: 8,
  memoryMb: 1024,
  diskGb: 100,
  vcpusUsed: 0,
  memoryMbUsed: 0,
  diskGbUsed: 0,
  runningGuests: 0,
  ioOps: 0,
  failedBuilds: 0,
  cpuInfo: '{}',
  architecture: 'x86_64',
  capabilities: {},
  traits: [],
  uptimeSeconds: 60,
});

function repositories(db: Database) {
  const quota = new QuotaUsagesRepository(db, { instances: -1, cores: -1, ram: -1 });
  return {
    quota,
    servers: new ServersRepository(db),
    tasks: new TasksRepository(db),
    leases: new TaskLeases(db),
    operations: new ServerOperations(db, { quota, clock: () => clock++ }),
    actions: new InstanceActionsRepository(db),
    hosts: new HostsRepository(db),
    snapshots: new HostSnapshotsRepository(db),
    hypervisors: new HypervisorsRepository(db),
    services: new ServicesRepository(db),
    aggregates: new AggregatesRepository(db),
    flavors: new FlavorsRepository(db),
    keyPairs: new KeyPairsRepository(db),
    attempts: new ScheduleAttemptsRepository(db),
    limits: new QuotaLimitsRepository(db, {
      instances: 1,
      cores: 1,
      ram: 1,
      metadataItems: 1,
      injectedFiles: 1,
      injectedFileContentBytes: 1,
      injectedFilePathBytes: 1,
      keyPairs: 1,
      serverGroups: 1,
      serverGroupMembers: 1,
    }),
  };
}
type Repositories = ReturnType<typeof repositories>;

async function begin(r: Repositories, id: string, action: 'delete' | 'lock'): Promise<void> {
  const server = await r.servers.get(id);
  const facts = { server: { ...server, locked: false, launched: true }, actor: { admin: false } };
  await r.operations.begin(ctx, { server, action, verdict: requireAllowed(action, facts) });
}

eachDatabase('statements', (open) => {
  let db: Database;
  let r: Repositories;
  let ids: string[];
  beforeEach(async () => {
    db = await open(COMPUTE_SCHEMA);
    r = repositories(db);
    await r.hosts.register({ agentId: 'a', incarnation: 1, serviceVersion: 1 }, [1, 2, 3].map(hostState), randomUUID, T0); // prettier-ignore
    ids = (
      await r.operations.create(
        ctx,
        Array.from({ length: 12 }, () => withSpec()),
      )
    ).map((b) => b.serverId);
    for (const id of ids) await r.servers.update(id, { host: `h${1 + (ids.indexOf(id) % 3)}` });
  });
  afterEach(() => db.close());
  const count = async (work: () => Promise<unknown>): Promise<number> => (await statementsOf(db, work)).length;

  it('of reads are as many as before, however many rows there are', async () => {
    const uses: [number, () => Promise<unknown>][] = [
      [1, () => r.servers.list({ filters: { projectId: 'p1' }, limit: 12 })],
      [1, () => r.servers.list({ filters: { nameRegex: 'w' }, limit: 12 })],
      [2, () => r.servers.list({ marker: ids[5]!, limit: 12 })],
      [1, () => r.servers.get(ids[0]!)],
      [1, () => r.servers.findMany(ids)],
      [1, () => r.servers.latestFaults(ids)],
      [1, () => r.servers.schedulerHints(ids)],
      [1, () => r.servers.onHost('h1')],
      [1, () => r.leases.due({ owner: 'c/1', until: clock }, T0 - 1, 100)],
      [1, () => r.tasks.busyAmong(ids)],
      [1, () => r.tasks.openOf(ids[0]!)],
      [1, () => r.actions.list(ids[0]!)],
      [1, () => r.actions.events([1, 2, 3])],
      [1, () => r.hosts.nodes({ limit: 10 })],
      [1, () => r.hosts.services()],
      [1, () => r.hosts.computeServices(['h1', 'h2'])],
      [1, () => r.snapshots.page(0, 100)],
      [1, () => r.hypervisors.page()],
      [1, () => r.hypervisors.serversOn(['h1', 'h2', 'h3'])],
      [1, () => r.hypervisors.statistics()],
      [1, () => r.attempts.ofServer(ids[0]!)],
      [1, () => r.flavors.list({ isPublic: true, projectId: 'p1' }, { sort: { key: 'flavorid', dir: 'asc' }, limit: 10 })], // prettier-ignore
      [1, () => r.keyPairs.list('u1')],
      [1, () => r.quota.limits('p1', 'u1')],
      [1, () => r.limits.of('p1', 'u1')],
      [3, () => r.quota.audit()],
    ];
    const found = [];
    for (const [, work] of uses) found.push(await count(work));
    expect(found).toEqual(uses.map(([n]) => n));
  });

  it('of writes are as many as before', async () => {
    // server, spec, action, task; then the terms of quota, and one conditional update
    const [first, second] = [await count(() => r.operations.create(ctx, [withSpec()])), await count(() => r.operations.create(ctx, [withSpec(), withSpec()]))]; // prettier-ignore
    expect([first, second - first]).toEqual([6, 4]);
    expect(await count(() => begin(r, ids[0]!, 'delete'))).toBe(8);
    expect(await count(() => begin(r, ids[1]!, 'lock'))).toBe(5);
    const task = (await r.tasks.openOf(ids[2]!))!;
    expect(await count(() => r.leases.one(task.id, { owner: 'c/1', until: clock + 1000 }, clock))).toBe(4);
    const agent = { agentId: 'a', incarnation: 1, seq: 2 };
    expect(await count(() => r.hosts.report(agent, ['h1', 'h2', 'h3'], [], clock))).toBe(1);
  });
});

onMysql('an index serves', (open) => {
  let db: Database;
  let r: Repositories;
  let ids: string[];
  beforeAll(async () => {
    db = await open(COMPUTE_SCHEMA);
    r = repositories(db);
    const agent = { agentId: 'a', incarnation: 1, serviceVersion: 1 };
    for (let page = 0; page < 3; page++)
      await r.hosts.register(
        agent,
        Array.from({ length: 200 }, (_, i) => hostState(page * 200 + i)),
        randomUUID,
        T0,
      );
    ids = [];
    for (let i = 0; i < 20; i++) {
      const project = { projectId: `p${i % 5}`, userId: `u${i % 10}`, reservationId: `r-${i}` };
      const made = await r.operations.create({ ...ctx, requestId: `req-${i}` }, Array.from({ length: 100 }, () => withSpec(project))); // prettier-ignore
      ids.push(...made.map((b) => b.serverId));
    }
    await db.transaction(async (tx) => {
      await tx.execute("UPDATE servers SET host = CONCAT('h', id % 600), updated_at = created_at");
      await tx.execute('UPDATE servers SET deleted = id, deleted_at = created_at WHERE id % 3 = 0');
      await tx.execute("UPDATE tasks SET status = 'done', open_key = NULL, finished_at = ready_at WHERE id % 20 <> 0");
      for (let i = 0; i < 2000; i++)
        await tx.insert('flavors', { flavor_id: `f${i}`, name: `n${i}`, vcpus: 1, memory_mb: 1, root_gb: 1, ephemeral_gb: 0, swap_mb: 0, rxtx_factor: 1, disabled: 0, is_public: 1, extra_specs: '{}', created_at: T0 }); // prettier-ignore
    });
    for (const id of ids.slice(0, 500))
      await db.transaction(async (tx) => {
        await r.servers.addFault(tx, {
          serverId: id,
          code: 500,
          message: 'm',
          details: null,
          host: null,
          createdAt: T0,
        });
        const action = await r.actions.start(tx, ctx, id, 'reboot', clock++);
        await r.actions.startEvent(tx, action, 'compute_reboot', 'h1', clock++);
      });
    const tables = await db.query<{ name: string }>('SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()'); // prettier-ignore
    for (const { name } of tables) await db.query(`ANALYZE TABLE ${name} PERSISTENT FOR ALL`);
  });
  afterAll(() => db.close());

  const limitOf = (l: PlanLine): string => `${l.table} ${l.type} ${l.key} ${l.rows} ${l.extra}: ${l.sql.slice(0, 200)}`;
  /** Every table is read by a key, no more than `rows` of it, and nothing is sorted unless that is said. */
  const expectKeys = async (rows: number, work: () => Promise<unknown>, { sorts = false } = {}): Promise<void> => {
    const plans = await plansOf(db, work);
    expect(plans.length).toBeGreaterThan(0);
    const bad = plans
      .filter((l) => l.table !== '' && !l.table.startsWith('<'))
      .filter((l) => l.key === null || l.type === 'ALL' || l.rows > rows || (!sorts && /filesort/.test(l.extra)));
    expect(bad.map(limitOf)).toEqual([]);
  };

  it('lists of servers: by project, over all, by host, by changes, page by page', async () => {
    await expectKeys(50, () => r.servers.list({ filters: { projectId: 'p1' }, limit: 50 }));
    await expectKeys(50, () => r.servers.list({ limit: 50 }));
    await expectKeys(51, () => r.servers.list({ filters: { projectId: 'p1' }, marker: ids[101]!, limit: 50 }));
    await expectKeys(20, () => r.servers.list({ filters: { host: 'h7' }, limit: 50 }), { sorts: true });
    await expectKeys(100, () => r.servers.list({ filters: { changesSince: clock - 20, deleted: 'both' }, limit: 50 }), { sorts: true }); // prettier-ignore
    await expectKeys(200, () => r.servers.list({ filters: { reservationId: 'r-3' }, limit: 50 }), { sorts: true });
  });

  it('what a list adds to each server', async () => {
    const page = ids.slice(0, 50);
    await expectKeys(100, () => r.servers.latestFaults(page));
    await expectKeys(50, () => r.servers.findMany(page));
    await expectKeys(50, () => r.servers.schedulerHints(page));
    await expectKeys(50, () => r.tasks.busyAmong(page));
    await expectKeys(50, () => r.snapshots.hostsOfServers(page));
    await expectKeys(50, () => r.hypervisors.serversOn(['h1', 'h2', 'h3']), { sorts: true });
  });

  it('one server, its actions, its tasks, its attempts', async () => {
    await expectKeys(1, () => r.servers.get(ids[0]!));
    await expectKeys(10, () => r.actions.list(ids[0]!));
    await expectKeys(10, () => r.actions.get(ids[0]!, 'req-1'), { sorts: true });
    await expectKeys(10, () => r.actions.events([1, 2, 3]), { sorts: true });
    await expectKeys(10, () => r.tasks.ofServer(ids[0]!));
    await expectKeys(1, () => r.tasks.openOf(ids[0]!));
    await expectKeys(10, () => r.attempts.ofServer(ids[0]!));
    await expectKeys(10, () => r.servers.onHost('h5'), { sorts: true });
  });

  it('the poller of tasks and the reconcilers', async () => {
    await expectKeys(51, () => r.leases.due({ owner: 'c/1', until: clock }, clock, 50), { sorts: false });
    await expectKeys(10, () => r.tasks.withLeftGuests(100), { sorts: true });
    await expectKeys(500, () => r.tasks.findLeftGuests(500));
    await expectKeys(10, () => r.attempts.prune(T0));
    await expectKeys(2000, () => r.tasks.purge(T0 + 1, 100));
    await expectKeys(2000, () => r.servers.purge(T0 + 1, 100));
  });

  it('hosts, services, hypervisors, a flavor', async () => {
    await expectKeys(100, () => r.snapshots.page(100, 100));
    await expectKeys(10, () => r.snapshots.ofHosts(['h1', 'h2']));
    await expectKeys(100, () => r.hypervisors.page({ after: 100, limit: 100 }));
    await expectKeys(10, () => r.hosts.computeServices(['h1', 'h2']));
    await expectKeys(10, () => r.hosts.services({ host: 'h1' }), { sorts: true });
    await expectKeys(1, () => r.flavors.get('f1', null));
  });
});
