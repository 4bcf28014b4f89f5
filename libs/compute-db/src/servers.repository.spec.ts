import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Database } from '@fractus/database';
import { eachDatabase } from '@fractus/database/testing';
import { isFractusError, type RequestContext } from '@fractus/objects';
import { evaluate, requireAllowed, statesOfStatus } from '@fractus/server-lifecycle';
import {
  COMPUTE_SCHEMA,
  deltaOf,
  type NewServer,
  QuotaUsagesRepository,
  SERVER_SORT_COLUMNS,
  ServerOperations,
  type ServerFilters,
  type ServerPatch,
  type ServerSort,
  type ServerSortKey,
  ServersRepository,
} from './index';

const ctx: RequestContext = { requestId: 'req-1', userId: 'u1', projectId: 'p1', roles: ['member'] };
const flavor = (vcpus = 1, memoryMb = 512) => ({
  flavorId: `f${vcpus}`,
  name: 'f',
  vcpus,
  memoryMb,
  rootGb: 1,
  ephemeralGb: 0,
  swapMb: 0,
  extraSpecs: {},
});
const newServer = (extra: Partial<NewServer> = {}): NewServer => ({
  id: randomUUID(),
  projectId: 'p1',
  userId: 'u1',
  name: 'web',
  hostname: 'web',
  flavor: flavor(),
  image: null,
  requestedNetworks: 'none',
  reservationId: 'r-1',
  ...extra,
});
const withSpec = (server: NewServer) => ({
  server,
  spec: {
    projectId: server.projectId,
    userId: server.userId,
    flavor: server.flavor,
    image: null,
    bootFromVolume: false,
    availabilityZone: null,
    requestedHost: null,
    requestedNode: null,
    schedulerHints: {},
  },
});

jest.setTimeout(60_000);

eachDatabase('servers', (open, dialect) => {
  /** A server takes its time: fewer runs of the same properties. */
  const runs = (n: number): number => (dialect === 'mysql' ? Math.ceil(n / 4) : n);
  let db: Database;
  let servers: ServersRepository;
  let quota: QuotaUsagesRepository;
  let operations: ServerOperations;
  let now = 1_800_000_000_000;
  const unlimited = { instances: -1, cores: -1, ram: -1 };

  beforeEach(async () => {
    db = await open(COMPUTE_SCHEMA);
    servers = new ServersRepository(db);
    quota = new QuotaUsagesRepository(db, unlimited);
    operations = new ServerOperations(db, { quota, clock: () => now });
  });
  afterEach(() => db.close());

  const create = async (extra: Partial<NewServer> = {}): Promise<string> =>
    (await operations.create(ctx, [withSpec(newServer(extra))]))[0]!.serverId;
  const factsOf = async (id: string) => {
    const server = await servers.get(id);
    return {
      server,
      facts: { server: { ...server, locked: server.lockedBy !== null, launched: true }, actor: { admin: false } },
    };
  };

  describe('a new server', () => {
    it('comes back as it was given, with its spec, action and task', async () => {
      const given = newServer({
        metadata: { a: 'ü"\\' },
        tags: ['x'],
        description: 'd',
        configDrive: true,
        userData: 'AAA=',
        requestedNetworks: [{ networkId: randomUUID() }],
      });
      await operations.create(ctx, [withSpec(given)]);
      expect(await servers.get(given.id)).toMatchObject({
        ...given,
        vmState: 'building',
        taskState: 'scheduling',
        powerState: 0,
        host: null,
        deleted: false,
        createdAt: now,
      });
      expect((await servers.requestSpec(given.id)).flavor).toEqual(given.flavor);
      const [task] = await db.query<{ type: string; status: string; open_key: string }>('SELECT * FROM tasks');
      expect(task).toMatchObject({ type: 'build-server', status: 'open', open_key: given.id });
      expect(await db.query('SELECT action, request_id FROM instance_actions')).toEqual([
        { action: 'create', request_id: 'req-1' },
      ]);
    });

    it('is not there at all when quota refuses it', async () => {
      operations = new ServerOperations(db, {
        quota: new QuotaUsagesRepository(db, { instances: 2, cores: 1, ram: -1 }),
      });
      const refused = await operations
        .create(ctx, [withSpec(newServer({ flavor: flavor(2) })), withSpec(newServer()), withSpec(newServer())])
        .catch((e: unknown) => e);
      expect(isFractusError(refused, 'forbidden')).toBe(true);
      expect(refused).toMatchObject({
        code: 'quota.cores',
        message: 'Quota exceeded for cores, instances: Requested 4, 3, but already used 0, 0 of 1, 2 cores, instances',
      });
      for (const table of ['servers', 'tasks', 'request_specs', 'instance_actions', 'quota_usages'])
        expect(await db.query(`SELECT * FROM ${table}`)).toEqual([]);
    });

    it('comes in as many as quota carries, down to the least that will do', async () => {
      operations = new ServerOperations(db, {
        quota: new QuotaUsagesRepository(db, { instances: 3, cores: -1, ram: -1 }),
      });
      const four = Array.from({ length: 4 }, () => withSpec(newServer()));
      await expect(operations.create(ctx, four, 4)).rejects.toMatchObject({ code: 'quota.instances' });
      expect(await operations.create(ctx, four, 2)).toHaveLength(3);
      await expect(operations.create(ctx, [withSpec(newServer())])).rejects.toMatchObject({
        message: 'Quota exceeded for instances: Requested 1, but already used 3 of 3 instances',
      });
    });
  });

  describe('an action', () => {
    it('that lost the race is told what it lost to', async () => {
      const id = await create();
      await servers.update(id, { vmState: 'active', taskState: null });
      await db.transaction((tx) => tx.execute("UPDATE tasks SET status = 'done', open_key = NULL"));
      const { server, facts } = await factsOf(id);
      const [stop, pause] = [
        requireAllowed('stop', { ...facts, server: { ...facts.server, host: 'h' } }),
        requireAllowed('pause', facts),
      ];
      await operations.begin(ctx, { server, action: 'stop', verdict: stop });
      await expect(operations.begin(ctx, { server, action: 'pause', verdict: pause })).rejects.toThrow(
        `Cannot 'pause' instance ${id} while it is in task_state powering-off`,
      );
      expect(await db.query("SELECT action FROM instance_actions WHERE action = 'pause'")).toEqual([]);
    });

    it('delete takes over from the open task, never loses, and is done once', async () => {
      const id = await create();
      const { server, facts } = await factsOf(id);
      const verdict = requireAllowed('delete', facts);
      await servers.update(id, { taskState: 'spawning' });
      const [first, second] = [
        await operations.begin(ctx, { server, action: 'delete', verdict }),
        await operations.begin(ctx, { server, action: 'delete', verdict }),
      ];
      expect(first.taskId).not.toBeNull();
      expect(second.taskId).toBeNull();
      expect(await db.query('SELECT type, status FROM tasks ORDER BY id')).toEqual([
        { type: 'build-server', status: 'superseded' },
        { type: 'delete-server', status: 'open' },
      ]);
      expect(await servers.get(id)).toMatchObject({ vmState: 'building', taskState: 'deleting' });
    });

    it('lock is done at once and leaves states and task alone', async () => {
      const id = await create();
      const { server, facts } = await factsOf(id);
      const verdict = evaluate('lock', facts);
      if (!verdict.allowed) throw new Error('lock is allowed');
      await operations.begin(ctx, {
        server,
        action: 'lock',
        verdict,
        patch: { lockedBy: 'owner', lockedReason: 'mine' },
      });
      expect(await servers.get(id)).toMatchObject({ lockedBy: 'owner', lockedReason: 'mine', taskState: 'scheduling' });
      expect(await db.query("SELECT status FROM tasks WHERE status = 'open'")).toHaveLength(1);
    });
  });

  describe('deleted servers', () => {
    it('are seen by those who ask for them, until they are purged', async () => {
      const id = await create();
      await db.transaction((tx) => servers.softDelete(tx, id, now));
      expect(await servers.find(id)).toBeNull();
      expect((await servers.get(id, { withDeleted: true })).vmState).toBe('deleted');
      const ids = async (filters: ServerFilters): Promise<string[]> =>
        (await servers.list({ filters, limit: 10 })).map((s) => s.id);
      expect(await ids({})).toEqual([]);
      expect(await ids({ deleted: true })).toEqual([id]);
      expect(await ids({ changesSince: now })).toEqual([id]);
      expect(await ids({ changesSince: now, deleted: false })).toEqual([]);
      await db.transaction((tx) => tx.execute("UPDATE tasks SET status = 'done', open_key = NULL"));
      expect(await servers.purge(now)).toBe(0);
      expect(await servers.purge(now + 1)).toBe(1);
      for (const table of ['servers', 'tasks', 'request_specs', 'instance_actions'])
        expect(await db.query(`SELECT * FROM ${table}`)).toEqual([]);
    });
  });

  describe('lists', () => {
    const add = async (extra: Partial<NewServer>, patch: ServerPatch = {}): Promise<string> => {
      const id = await create(extra);
      if (Object.keys(patch).length > 0) await servers.update(id, patch);
      return id;
    };
    const names = async (filters: ServerFilters): Promise<string[]> =>
      (await servers.list({ filters, limit: 50, sort: [{ key: 'display_name', dir: 'asc' }] })).map((s) => s.name);

    it('filter by everything that clients filter by', async () => {
      const nic = (ipAddress: string) => [
        {
          portId: randomUUID(),
          networkId: randomUUID(),
          macAddress: 'fa:16:3e:00:00:00',
          fixedIps: [{ ipAddress }],
          preexisting: false,
        },
      ];
      await add(
        { name: 'a-web', tags: ['red', 'blue'], metadata: { k: 'v' } },
        { vmState: 'active', taskState: null, nics: nic('10.0.0.15') },
      );
      await add(
        { name: 'b-db', tags: ['red'], keyName: 'key' },
        { vmState: 'active', taskState: 'rebooting', nics: nic('2001:db8::5') },
      );
      await add(
        { name: 'c-WEB', userId: 'u2', flavor: flavor(4) },
        { vmState: 'stopped', taskState: null, lockedBy: 'admin', host: 'h1' },
      );
      const statuses = (...list: string[]) => list.flatMap((s) => statesOfStatus(s) ?? []);
      expect(await names({ nameRegex: 'web' })).toEqual(['a-web', 'c-WEB']);
      expect(await names({ nameRegex: '^[ab]-' })).toEqual(['a-web', 'b-db']);
      expect(await names({ ipRegex: '10\\.0\\.0\\.1' })).toEqual(['a-web']);
      expect(await names({ ip6Regex: 'db8' })).toEqual(['b-db']);
      expect(await names({ statuses: statuses('ACTIVE') })).toEqual(['a-web']);
      expect(await names({ statuses: statuses('REBOOT', 'SHUTOFF') })).toEqual(['b-db', 'c-WEB']);
      expect(await names({ tags: ['red'] })).toEqual(['a-web', 'b-db']);
      expect(await names({ tags: ['red', 'blue'] })).toEqual(['a-web']);
      expect(await names({ tagsAny: ['blue', 'green'] })).toEqual(['a-web']);
      expect(await names({ notTags: ['red', 'blue'] })).toEqual(['b-db', 'c-WEB']);
      expect(await names({ notTagsAny: ['red'] })).toEqual(['c-WEB']);
      expect(await names({ tags: ['re'] })).toEqual([]);
      expect(await names({ userId: 'u2' })).toEqual(['c-WEB']);
      expect(await names({ flavorId: 'f4', locked: true, host: 'h1' })).toEqual(['c-WEB']);
      expect(await names({ locked: false })).toEqual(['a-web', 'b-db']);
      expect(await names({ keyName: ['key', 'other'] })).toEqual(['b-db']);
      expect(await names({ taskState: null })).toEqual(['a-web', 'c-WEB']);
      expect(await names({ taskState: [null, 'rebooting'] })).toHaveLength(3);
      expect(await names({ projectId: 'p2' })).toEqual([]);
      await expect(names({ nameRegex: '(' })).rejects.toMatchObject({ kind: 'invalid' });
    });

    it('refuse an unknown marker, and one of another project', async () => {
      const id = await create();
      await expect(servers.list({ marker: randomUUID(), limit: 1 })).rejects.toThrow(/^marker \[.*\] not found$/);
      await expect(servers.list({ marker: id, filters: { projectId: 'p2' }, limit: 1 })).rejects.toMatchObject({
        kind: 'invalid',
      });
    });

    it('visit each server once, in order, whatever the keys, the page size and the nulls', async () => {
      const keys = Object.keys(SERVER_SORT_COLUMNS) as ServerSortKey[];
      for (let i = 0; i < 12; i++) {
        now += i % 3; // some are created in the same millisecond
        await add(
          { name: `n${i % 4}`, ...(i % 2 ? { keyName: `k${i % 3}` } : {}) },
          { vmState: i % 5 ? 'active' : 'error', taskState: null, ...(i % 3 ? { host: `h${i}`, launchedAt: i } : {}) },
        );
      }
      const sortKey = fc.record({
        key: fc.constantFrom(...keys),
        dir: fc.constantFrom('asc' as const, 'desc' as const),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(sortKey, { maxLength: 3 }),
          fc.integer({ min: 1, max: 5 }),
          fc.boolean(),
          async (sort: ServerSort[], limit, filtered) => {
            const filters = filtered ? { nameRegex: 'n[0-2]' } : {};
            const whole = (await servers.list({ filters, sort, limit: 100 })).map((s) => s.id);
            const seen: string[] = [];
            for (let marker: string | undefined; ; marker = seen.at(-1)) {
              const page = await servers.list({ filters, sort, limit, ...(marker ? { marker } : {}) });
              seen.push(...page.map((s) => s.id));
              if (page.length < limit) break;
            }
            expect(seen).toEqual(whole);
            expect(new Set(seen).size).toBe(filtered ? 9 : 12);
          },
        ),
        { numRuns: runs(60) },
      );
    });
  });

  describe('quota', () => {
    it('is the sum over live servers after any sequence of operations, and never above a limit', async () => {
      const step = fc.oneof(
        fc.record({
          kind: fc.constant('create' as const),
          user: fc.constantFrom('u1', 'u2'),
          vcpus: fc.integer({ min: 1, max: 4 }),
          count: fc.integer({ min: 1, max: 3 }),
        }),
        fc.record({ kind: fc.constant('delete' as const), pick: fc.nat() }),
        fc.record({
          kind: fc.constant('limit' as const),
          user: fc.constantFrom('', 'u1'),
          instances: fc.integer({ min: -1, max: 5 }),
        }),
      );
      const limited = new QuotaUsagesRepository(db, { instances: 6, cores: 12, ram: -1 });
      const ops = new ServerOperations(db, { quota: limited, clock: () => now });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
          for (const table of ['servers', 'tasks', 'request_specs', 'quota_usages', 'quotas'])
            await db.transaction((tx) => tx.execute(`DELETE FROM ${table}`));
          let live: string[] = [];
          for (const s of steps) {
            if (s.kind === 'limit') {
              const sql = db.upsertSql(
                'quotas',
                ['project_id', 'user_id', 'resource', 'hard_limit'],
                ['project_id', 'user_id', 'resource'],
              );
              await db.transaction((tx) => tx.execute(sql, ['p1', s.user, 'instances', s.instances]));
            } else if (s.kind === 'create') {
              const before = await limited.usage('p1');
              const limits = await limited.limits('p1');
              const all = Array.from({ length: s.count }, () =>
                withSpec(newServer({ userId: s.user, flavor: flavor(s.vcpus) })),
              );
              const made = await ops
                .create(ctx, all)
                .catch((e: unknown) => (isFractusError(e, 'forbidden') ? [] : Promise.reject(e)));
              live.push(...made.map((m) => m.serverId));
              const fits = (['instances', 'cores'] as const).every(
                (r) => limits[r] < 0 || before[r] + deltaOf(flavor(s.vcpus), s.count)[r] <= limits[r],
              );
              if (made.length > 0) expect(fits).toBe(true);
            } else if (live.length > 0) {
              const id = live[s.pick % live.length]!;
              live = live.filter((other) => other !== id);
              const server = await servers.get(id);
              await db.transaction(async (tx) => {
                await servers.softDelete(tx, id, now);
                await limited.release(tx, server.projectId, server.userId, deltaOf(server.flavor));
              });
            }
            expect(await limited.audit()).toEqual([]);
          }
          expect((await limited.usage('p1')).instances).toBe(live.length);
        }),
        { numRuns: runs(40) },
      );
    });

    it('lets exactly as many through as fit when many come at once', async () => {
      const limited = new QuotaUsagesRepository(db, { instances: 7, cores: -1, ram: -1 });
      const ops = new ServerOperations(db, { quota: limited });
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, () => ops.create(ctx, [withSpec(newServer())])),
      );
      expect(results.filter((r) => r.status === 'fulfilled')).toHaveLength(7);
      expect((await limited.usage('p1')).instances).toBe(7);
      expect((await limited.usage('p1', 'u1')).instances).toBe(7);
    });

    it('is exact after creates, deletes and repairs that came all at once, over several projects and users', async () => {
      const limited = new QuotaUsagesRepository(db, { instances: 9, cores: 20, ram: -1 });
      const ops = new ServerOperations(db, { quota: limited, clock: () => now });
      const step = fc.record({
        kind: fc.constantFrom('create', 'create', 'create', 'delete', 'repair'),
        projectId: fc.constantFrom('p1', 'p2'),
        userId: fc.constantFrom('u1', 'u2', 'u3'),
        vcpus: fc.integer({ min: 1, max: 4 }),
        count: fc.integer({ min: 1, max: 3 }),
      });
      const remove = (projectId: string): Promise<void> =>
        db.transaction(async (tx) => {
          const [row] = await tx.query<{ uuid: string; user_id: string; vcpus: number; memory_mb: number }>(
            'SELECT uuid, user_id, vcpus, memory_mb FROM servers WHERE project_id = ? AND deleted = 0 LIMIT 1',
            [projectId],
          );
          if (!row || !(await servers.softDelete(tx, row.uuid, now))) return;
          await limited.release(tx, projectId, row.user_id, deltaOf({ vcpus: row.vcpus, memoryMb: row.memory_mb }));
        });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 24, maxLength: 24 }), async (steps) => {
          // each run begins without rows, so that repairs meet projects that get theirs at that very moment
          for (const table of ['servers', 'tasks', 'request_specs', 'quota_usages'])
            await db.transaction((tx) => tx.execute(`DELETE FROM ${table}`));
          await Promise.all(
            steps.map(async ({ kind, projectId, userId, vcpus, count }) => {
              if (kind === 'delete') return remove(projectId);
              if (kind === 'repair') return void (await limited.repair());
              const all = Array.from({ length: count }, () =>
                withSpec(newServer({ projectId, userId, flavor: flavor(vcpus) })),
              );
              await ops
                .create(ctx, all)
                .catch((e: unknown) => (isFractusError(e, 'forbidden') ? [] : Promise.reject(e)));
            }),
          );
          expect(await limited.audit()).toEqual([]);
          for (const projectId of ['p1', 'p2']) {
            const used = await limited.usage(projectId);
            expect(used.instances).toBeLessThanOrEqual(9);
            expect(used.cores).toBeLessThanOrEqual(20);
          }
        }),
        { numRuns: runs(24) },
      );
    });

    it('is made again where its rows were lost', async () => {
      await create();
      await create({ projectId: 'p2', userId: 'u2' });
      await db.transaction((tx) => tx.execute("DELETE FROM quota_usages WHERE project_id = 'p2' OR user_id = 'u1'"));
      expect((await quota.repair()).map((d) => [d.projectId, d.userId, d.recorded.instances])).toEqual(
        expect.arrayContaining([['p1', 'u1', 0], ['p2', '', 0], ['p2', 'u2', 0]]),
      ); // prettier-ignore
      expect(await quota.audit()).toEqual([]);
      expect(await quota.repair()).toEqual([]);
    });

    it("keeps a user's own limit inside the project's", async () => {
      await db.transaction((tx) =>
        tx.insert('quotas', { project_id: 'p1', user_id: 'u1', resource: 'instances', hard_limit: 1 }),
      );
      await create();
      await expect(create()).rejects.toMatchObject({
        message: 'Quota exceeded for instances: Requested 1, but already used 1 of 1 instances',
        details: { scope: 'user' },
      });
      await create({ userId: 'u2' });
      expect(await quota.repair()).toEqual([]);
    });
  });
});
