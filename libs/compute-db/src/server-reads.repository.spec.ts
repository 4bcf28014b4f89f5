import { randomUUID } from 'node:crypto';
import type { Database } from '@fractus/database';
import { eachDatabase, plansOf, statementsOf } from '@fractus/database/testing';
import { AggregatesRepository, COMPUTE_SCHEMA, newServerRow, ServerReads, ServersRepository } from './index';

jest.setTimeout(60_000);

const flavor = { flavorId: 'f1', name: 'f', vcpus: 1, memoryMb: 64, rootGb: 1, ephemeralGb: 0, swapMb: 0, extraSpecs: {} }; // prettier-ignore

eachDatabase('a server with its host', (open, dialect) => {
  let db: Database;
  let reads: ServerReads;
  let aggregates: AggregatesRepository;
  beforeEach(async () => {
    db = await open(COMPUTE_SCHEMA);
    reads = new ServerReads(db);
    aggregates = new AggregatesRepository(db);
  });
  afterEach(() => db.close());

  const serverOn = async (host: string | null): Promise<string> => {
    const id = randomUUID();
    const server = { id, projectId: 'p', userId: 'u', name: 'n', hostname: 'n', flavor, image: null, requestedNetworks: 'none' as const, reservationId: 'r' }; // prettier-ignore
    await db.transaction((tx) => tx.insert('servers', { ...newServerRow(server, 1), host }));
    return id;
  };
  const service = (host: string, flags: { disabled?: number; forced_down?: number; binary_name?: string } = {}) =>
    db.transaction((tx) =>
      tx.insert('services', {
        uuid: randomUUID(),
        host,
        binary_name: 'nova-compute',
        topic: 'compute',
        disabled: 0,
        forced_down: 0,
        last_seen_at: 5,
        report_count: 1,
        version: 1,
        created_at: 1,
        ...flags,
      }),
    );
  const aggregate = async (name: string, metadata: Record<string, string>, hosts: string[]): Promise<void> => {
    const { id } = await aggregates.create({ uuid: randomUUID(), name, metadata }, 1);
    for (const host of hosts) await aggregates.addHost(id, host, 1);
  };
  const found = async (host: string | null) => {
    const { service: s, zone } = (await reads.find(await serverOn(host)))!;
    return { service: s, zone };
  };

  it('tells the state of the service and the zone of the host', async () => {
    await service('h1', { disabled: 1 });
    await service('h1', { binary_name: 'nova-conductor', forced_down: 1 });
    await service('h2', { forced_down: 1 });
    await aggregate('fast', { ssd: 'true', 'x"availability_zone': 'odd', note: '"availability_zone":"no"' }, [
      'h1',
      'h2',
    ]);
    await aggregate('zone', { availability_zone: 'Zürich "1"' }, ['h1']);
    await aggregate('big', { availability_zone: 'elsewhere' }, ['h3']);
    expect(await found('h1')).toEqual({
      service: { disabled: true, forcedDown: false, lastSeenAt: 5 },
      zone: 'Zürich "1"',
    });
    expect(await found('h2')).toEqual({ service: { disabled: false, forcedDown: true, lastSeenAt: 5 }, zone: null });
    expect(await found('h3')).toEqual({ service: null, zone: 'elsewhere' });
    expect(await found(null)).toEqual({ service: null, zone: null });
  });

  it('is the server as it is read alone, by one statement', async () => {
    const id = await serverOn('h1');
    const servers = new ServersRepository(db);
    expect((await reads.find(id))?.server).toEqual(await servers.find(id));
    expect(await statementsOf(db, () => reads.find(id))).toHaveLength(1);
    await db.transaction((tx) => servers.softDelete(tx, id, 2));
    expect(await reads.find(id)).toBeNull();
    expect(await reads.find(randomUUID())).toBeNull();
  });

  if (dialect === 'mysql')
    it('is found by indexes alone', async () => {
      for (let i = 0; i < 50; i++) await service(`h${i}`);
      await aggregate(
        'all',
        { availability_zone: 'z' },
        Array.from({ length: 50 }, (_, i) => `h${i}`),
      );
      const id = await serverOn('h7');
      const plans = (await plansOf(db, () => reads.find(id))).filter((l) => l.table !== '' && !l.table.startsWith('<'));
      expect(plans.length).toBeGreaterThan(2);
      expect(plans.filter((l) => l.key === null || l.rows > 1)).toEqual([]);
    });
});
