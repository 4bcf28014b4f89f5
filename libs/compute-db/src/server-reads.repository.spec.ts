import { randomUUID } from 'node:crypto';
import type { Database } from '@fractus/database';
import { eachDatabase, plansOf, statementsOf } from '@fractus/database/testing';
import {
  AggregatesRepository,
  COMPUTE_SCHEMA,
  type HostGlance,
  newServerRow,
  ServerReads,
  ServersRepository,
} from './index';

jest.setTimeout(60_000);

const flavor = { flavorId: 'f1', name: 'f', vcpus: 1, memoryMb: 64, rootGb: 1, ephemeralGb: 0, swapMb: 0, extraSpecs: {} }; // prettier-ignore

eachDatabase('a server and its host', (open, dialect) => {
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
    const glances: Record<string, HostGlance> = {
      h1: { service: { disabled: true, forcedDown: false, lastSeenAt: 5 }, zone: 'Zürich "1"' },
      h2: { service: { disabled: false, forcedDown: true, lastSeenAt: 5 }, zone: null },
      h3: { service: null, zone: 'elsewhere' },
    };
    expect(Object.fromEntries(await reads.glances(['h1', 'h2', 'h3', 'h4']))).toEqual(glances);
    for (const [host, glance] of Object.entries(glances)) expect(await reads.glance(host)).toEqual(glance);
    expect(await reads.glance('h4')).toEqual({ service: null, zone: null });
    expect(await statementsOf(db, () => reads.glances(['h1', 'h2', 'h3']))).toHaveLength(1);
  });

  it('is found by one statement, and however many are asked for at once by a few', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => serverOn('h1')));
    const servers = new ServersRepository(db);
    const id = ids[0]!;
    expect(await reads.find(id)).toEqual(await servers.find(id));
    expect(await statementsOf(db, () => reads.find(id))).toHaveLength(1);
    const all = async () => {
      const found = await Promise.all([...ids, randomUUID()].map((i) => reads.find(i)));
      expect(found.map((s) => s?.id)).toEqual([...ids, undefined]);
    };
    expect(await statementsOf(db, all)).toHaveLength(1);
    await db.transaction((tx) => servers.softDelete(tx, id, 2));
    expect(await reads.find(id)).toBeNull();
  });

  it('is made of parts that servers have in common, which nobody can change', async () => {
    const [a, b] = [(await reads.find(await serverOn('h1')))!, (await reads.find(await serverOn('h2')))!];
    expect(a.flavor).toBe(b.flavor);
    expect(() => Object.assign(a.flavor.extraSpecs, { x: 'y' })).toThrow(TypeError);
    expect(() => Object.assign(a.tags, ['x'])).toThrow(TypeError);
  });

  if (dialect === 'mysql')
    it('is found by indexes alone', async () => {
      const hosts = Array.from({ length: 50 }, (_, i) => `h${i}`);
      for (const host of hosts) await service(host);
      await aggregate('all', { availability_zone: 'z' }, hosts);
      const id = await serverOn('h7');
      await serverOn('h8');
      for (const read of [() => reads.find(id), () => reads.glance('h7')]) {
        const plans = (await plansOf(db, read)).filter((l) => l.table !== '' && !l.table.startsWith('<'));
        expect(plans.length).toBeGreaterThan(0);
        expect(plans.filter((l) => l.key === null || l.rows > 1)).toEqual([]);
      }
    });
});
