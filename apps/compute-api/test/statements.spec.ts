/** Statements that one request gives, whatever the length of the page: what N+1 would change. */
import { randomUUID } from 'node:crypto';
import { type NewServer, QuotaUsagesRepository, ServerOperations, ServersRepository } from '@fractus/compute-db';
import { statementsOf } from '@fractus/database/testing';
import { ApiUnderTest } from './api-under-test';
import { ServersWorld } from './servers/servers-world';

const flavor = { flavorId: '1', name: 'f', vcpus: 1, memoryMb: 64, rootGb: 1, ephemeralGb: 0, swapMb: 0, extraSpecs: {} }; // prettier-ignore

describe('statements of one request', () => {
  let api: ApiUnderTest;
  let ids: string[];
  beforeAll(async () => {
    const networks = { list: async () => [], listPorts: async () => [] } as never;
    api = await ApiUnderTest.start({}, { networks });
    const quota = new QuotaUsagesRepository(api.database, { instances: -1, cores: -1, ram: -1 });
    const operations = new ServerOperations(api.database, { quota });
    const one = (): { server: NewServer; spec: never } => ({
      server: {
        id: randomUUID(),
        projectId: 'admin',
        userId: 'admin',
        name: 'web',
        hostname: 'web',
        flavor,
        image: null,
        requestedNetworks: 'none',
        reservationId: 'r-1',
      },
      spec: { schedulerHints: {} } as never,
    });
    const ctx = { requestId: 'req-1', userId: 'admin', projectId: 'admin', roles: ['admin'] };
    ids = (await operations.create(ctx, Array.from({ length: 60 }, one))).map((b) => b.serverId);
    const servers = new ServersRepository(api.database);
    for (const id of ids) await servers.update(id, { host: `h${ids.indexOf(id) % 7}`, vmState: 'error' });
    for (const id of ids)
      await api.database.transaction((tx) =>
        servers.addFault(tx, { serverId: id, code: 500, message: 'm', details: null, host: null, createdAt: 1 }),
      );
  });
  afterAll(() => api.close());

  const count = async (path: string, status = 200): Promise<number> =>
    (
      await statementsOf(api.database, async () => {
        expect((await api.get(path, { version: '2.96' })).status).toBe(status);
      })
    ).length;

  it.each([
    ['/v2.1/servers', 2],
    ['/v2.1/servers/detail', 3],
    ['/v2.1/servers/detail?all_tenants=1&sort_key=display_name', 3],
  ])('%s: the same for two servers as for sixty, and few', async (path, most) => {
    const [few, many] = [await count(`${path}${path.includes('?') ? '&' : '?'}limit=2`), await count(path)];
    expect(many).toBe(few);
    expect(many).toBeLessThanOrEqual(most);
  });

  it.each([
    ['/v2.1/servers/%', 3],
    ['/v2.1/servers/%/os-instance-actions', 2],
    ['/v2.1/flavors/detail', 1],
    ['/v2.1/os-services', 2],
    ['/v2.1/os-hypervisors/detail', 2],
    ['/v2.1/os-aggregates', 2],
    ['/v2.1/os-keypairs', 1],
    ['/v2.1/limits', 3],
  ])('%s: at most %i', async (path, most) => {
    expect(await count(path.replace('%', ids[0]!))).toBeLessThanOrEqual(most);
  });
});

describe('statements of a server', () => {
  let world: ServersWorld;
  beforeAll(async () => void (world = await ServersWorld.start()));
  afterAll(() => world.close());
  const statements = (work: () => Promise<unknown>): Promise<string[]> => statementsOf(world.api.database, work);

  it('that is made: its flavor, four records, and its quota by one read and one write', async () => {
    await world.made();
    const given = await statements(() => world.made());
    expect(given.map((sql) => /^(SELECT.*? FROM|INSERT INTO|UPDATE) (\w+)/s.exec(sql)?.slice(1).join(' '))).toEqual([
      'SELECT f.* FROM flavors',
      'INSERT INTO servers',
      'INSERT INTO request_specs',
      'INSERT INTO instance_actions',
      'INSERT INTO tasks',
      expect.stringMatching(/FROM quotas$/),
      'UPDATE quota_usages',
    ]);
    expect(await statements(() => world.made({ metadata: { a: 'b' } }))).toHaveLength(8);
  });

  it('that is shown: its own, and its host’s', async () => {
    const id = await world.made();
    const servers = new ServersRepository(world.api.database);
    await servers.update(id, { host: 'h1', vmState: 'active', taskState: null });
    const shown = (version: string) => async () => expect((await world.show(id, { version })).status).toBe(200);
    expect(await statements(shown('2.96'))).toHaveLength(2);
    expect(await statements(shown('2.100'))).toHaveLength(3); // and its scheduler hints
  });
});
