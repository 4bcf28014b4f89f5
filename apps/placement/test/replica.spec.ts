import { randomUUID } from 'node:crypto';
import { trimChangeLog } from '../src/store/change-log';
import { renewEpoch } from '../src/store/placement-database';
import { eachDatabase } from '@fractus/database/testing';
import { type World, RULES, ctx, holding, inv, openWorld } from './placement';

eachDatabase('a replica', (open) => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld(open);
  });
  afterEach(() => world.close());

  const make = async (parentUuid?: string): Promise<string> => {
    const uuid = randomUUID();
    await world.providers.create(ctx, { uuid, name: uuid, ...(parentUuid === undefined ? {} : { parentUuid }) });
    return uuid;
  };

  it('sees what another process committed before it was asked', async () => {
    const other = world.replicaOf();
    await other.sync();
    const root = await make();
    const child = await make(root);
    await world.traits.create(ctx, 'CUSTOM_NEW');
    await world.traits.setOnProvider(ctx, child, 0, ['CUSTOM_NEW']);
    await other.sync();
    expect(other.estate.provider(child)?.tree.root.uuid).toBe(root);
    expect([...(other.estate.provider(child)?.traits ?? [])]).toEqual(['CUSTOM_NEW']);
    await world.providers.remove(ctx, child);
    await other.sync();
    expect(other.estate.provider(child)).toBeUndefined();
    expect(other.estate.provider(root)?.tree.providers).toHaveLength(1);
  });

  it('follows a subtree from one tree to another and to the top', async () => {
    const other = world.replicaOf();
    const [a, b] = [await make(), await make()];
    const child = await make(a);
    const grandchild = await make(child);
    await other.sync();
    const rule = { reparent: true };
    await world.providers.update(ctx, child, { name: child, parentUuid: b }, rule);
    await other.sync();
    for (const r of [other, world.replica]) {
      expect(r.estate.provider(grandchild)?.tree.root.uuid).toBe(b);
      expect(r.estate.provider(a)?.tree.providers).toHaveLength(1);
    }
    await world.providers.update(ctx, child, { name: child, parentUuid: null }, rule);
    await other.sync();
    expect(other.estate.provider(grandchild)?.tree.root.uuid).toBe(child);
    expect(other.estate.treeCount).toBe(3);
    await expect(
      world.providers.update(ctx, child, { name: child, parentUuid: grandchild }, rule),
    ).rejects.toMatchObject({ kind: 'invalid' });
  });

  it('asks again for numbers that were skipped: transactions commit in any order', async () => {
    const root = await make();
    const other = world.replicaOf();
    await other.sync();
    // a later number becomes visible first, as when an earlier transaction is still open elsewhere
    const [{ last }] = (await world.db.query<{ last: number }>('SELECT MAX(seq) AS last FROM change_log')) as [
      { last: number },
    ];
    const rootId = world.replica.estate.provider(root)!.id;
    await world.db.transaction((tx) => tx.insert('change_log', { seq: last + 2, root_id: rootId, at: 0 }));
    await other.sync();
    await world.db.transaction(async (tx) => {
      await tx.execute('UPDATE resource_providers SET name = ?, revision = revision + 1 WHERE id = ?', [
        'late',
        rootId,
      ]);
      await tx.insert('change_log', { seq: last + 1, root_id: rootId, at: 0 });
    });
    await other.sync();
    expect(other.estate.provider(root)?.name).toBe('late');
  });

  it('reads everything again behind a trimmed log, and after a restore', async () => {
    const other = world.replicaOf();
    await other.sync();
    const uuids = [];
    for (let i = 0; i < 5; i++) uuids.push(await make());
    await trimChangeLog(world.db, 1);
    await other.sync();
    for (const uuid of uuids) expect(other.estate.provider(uuid)).toBeDefined();
    await world.db.transaction((tx) => tx.execute('DELETE FROM resource_providers', []));
    await other.sync();
    expect(other.estate.providerCount).toBe(5);
    await renewEpoch(world.db);
    await other.sync();
    expect(other.estate.providerCount).toBe(0);
  });

  it('claims on a provider that was made again under the same uuid', async () => {
    const uuid = await make();
    await world.core.get(uuid);
    await world.providers.remove(ctx, uuid);
    await world.db.transaction(async (tx) => {
      const id = await tx.insert('resource_providers', {
        uuid,
        name: uuid,
        generation: 0,
        revision: 1,
        parent_id: null,
        root_id: 0,
        created_at: 0,
        updated_at: 0,
      });
      await tx.execute('UPDATE resource_providers SET root_id = id WHERE id = ?', [id]);
      await tx.insert('inventories', {
        provider_id: id,
        resource_class_id: 0,
        total: 4,
        reserved: 0,
        min_unit: 1,
        max_unit: 4,
        step_size: 1,
        allocation_ratio: 1,
        updated_at: 0,
      });
      await tx.insert('change_log', { root_id: id, at: 0 });
    });
    const consumer = randomUUID();
    await world.allocations.write(ctx, [
      { uuid: consumer, projectId: 'p', userId: 'u', allocations: holding({ [uuid]: { VCPU: 2 } }) },
    ]);
    expect((await world.core.get(uuid)).used.get('VCPU')).toBe(2);
    const gone = world.allocations.write(ctx, [
      { uuid: consumer, projectId: 'p', userId: 'u', allocations: holding({ [randomUUID()]: { VCPU: 2 } }) },
    ]);
    await expect(gone).rejects.toMatchObject({ kind: 'invalid', code: 'provider.unknown' });
  });

  it('keeps generations as the API promises them', async () => {
    const uuid = await make();
    const generation = async (): Promise<number> => (await world.core.get(uuid)).generation;
    await world.providers.update(ctx, uuid, { name: 'renamed' }, { reparent: false });
    expect(await generation()).toBe(0);
    await world.inventories.replace(ctx, uuid, 0, new Map([['VCPU', inv(4)]]), RULES);
    await world.inventories.replace(ctx, uuid, 1, new Map([['VCPU', inv(4)]]), RULES);
    expect(await generation()).toBe(2);
    await world.traits.setOnProvider(ctx, uuid, 2, ['HW_CPU_X86_AVX']);
    await world.traits.setOnProvider(ctx, uuid, 3, ['HW_CPU_X86_AVX']);
    expect(await generation()).toBe(3);
    await world.aggregates.setOnProvider(ctx, uuid, [randomUUID()]);
    expect(await generation()).toBe(3);
    await world.aggregates.setOnProvider(ctx, uuid, [randomUUID()], 3);
    expect(await generation()).toBe(4);
    await expect(world.inventories.replace(ctx, uuid, 3, new Map(), RULES)).rejects.toMatchObject({
      code: 'placement.concurrent_update',
    });
  });
});
