import type { Database } from '@fractus/database';
import { eachDatabase } from '@fractus/database/testing';
import { AggregatesRepository, COMPUTE_SCHEMA } from './index';

eachDatabase('aggregates', (open) => {
  let db: Database;
  let aggregates: AggregatesRepository;
  beforeEach(async () => {
    db = await open(COMPUTE_SCHEMA);
    aggregates = new AggregatesRepository(db);
  });
  afterEach(() => db.close());
  const make = (name: string, metadata: Record<string, string> = {}) =>
    aggregates.create({ uuid: `uuid-${name}`, name, metadata }, 1);

  it('are made, changed, filled, emptied and removed', async () => {
    const { id } = await make('a', { ssd: 'true' });
    await aggregates.addHost(id, 'c2', 2);
    await aggregates.addHost(id, 'c1', 3);
    const changed = await aggregates.update(id, { name: 'b', metadata: { ssd: null, rack: 'r1' } }, 4);
    expect(changed).toEqual({
      id,
      uuid: 'uuid-a',
      name: 'b',
      metadata: { rack: 'r1' },
      hosts: ['c1', 'c2'],
      createdAt: 1,
      updatedAt: 4,
    });
    expect(await aggregates.list()).toEqual([changed]);
    expect(await aggregates.findByUuids(['uuid-a', 'uuid-x'])).toEqual([changed]);
    await expect(aggregates.delete(id)).rejects.toMatchObject({ kind: 'conflict', code: 'aggregate.not_empty' });
    await aggregates.removeHost(id, 'c1', 5);
    await aggregates.removeHost(id, 'c2', 5);
    await aggregates.delete(id);
    expect(await aggregates.list()).toEqual([]);
  });

  it('refuse doubles and what does not exist', async () => {
    const { id } = await make('a');
    const other = await make('b');
    await expect(make('a')).rejects.toMatchObject({ kind: 'conflict', code: 'aggregate.exists' });
    await expect(aggregates.update(other.id, { name: 'a' }, 2)).rejects.toMatchObject({ code: 'aggregate.exists' });
    await aggregates.addHost(id, 'c1', 2);
    await expect(aggregates.addHost(id, 'c1', 2)).rejects.toMatchObject({
      kind: 'conflict',
      code: 'aggregate.host_exists',
    });
    await expect(aggregates.removeHost(id, 'c9', 2)).rejects.toMatchObject({
      kind: 'not_found',
      code: 'aggregate.host_not_found',
    });
    for (const act of [aggregates.get(9e9), aggregates.addHost(9e9, 'c1', 1), aggregates.delete(9e9)]) {
      await expect(act).rejects.toMatchObject({ kind: 'not_found', code: 'aggregate.not_found' });
    }
  });

  it('keep a host in one zone, however it would get into two', async () => {
    const east = await make('east', { availability_zone: 'east' });
    const west = await make('west', { availability_zone: 'west' });
    const plain = await make('plain');
    const eastToo = await make('east-too', { availability_zone: 'east' });
    await aggregates.addHost(east.id, 'c1', 2);
    await aggregates.addHost(plain.id, 'c1', 2);
    await aggregates.addHost(eastToo.id, 'c1', 2);
    await expect(aggregates.addHost(west.id, 'c1', 3)).rejects.toMatchObject({
      kind: 'conflict',
      code: 'aggregate.zone_conflict',
      details: { host: 'c1', zone: 'east' },
    });
    await expect(aggregates.update(plain.id, { metadata: { availability_zone: 'west' } }, 3)).rejects.toMatchObject({
      code: 'aggregate.zone_conflict',
    });
    expect((await aggregates.get(west.id)).hosts).toEqual([]);
    expect((await aggregates.get(plain.id)).metadata).toEqual({});
  });
});
