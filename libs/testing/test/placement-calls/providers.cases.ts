import { randomUUID } from 'node:crypto';
import { inventory, type PlacementWorld } from './world';

export function describeProviders(world: () => PlacementWorld): void {
  describe('providers', () => {
    const child = (providerId: string, parentId: string | null) => ({ providerId, name: `p-${providerId}`, parentId });

    it('are made once, parents before children, and a tree is found by any of it', async () => {
      const { calls, ctx } = world();
      const [root, numa, pci] = [randomUUID(), randomUUID(), randomUUID()];
      const providers = [child(root, null), child(numa, root), child(pci, numa)];
      const first = await calls.ensureProviders(ctx, { providers });
      expect(first.providers.map((p) => [p.providerId, p.parentId, p.rootId, p.generation])).toEqual([
        [root, null, root, 0],
        [numa, root, root, 0],
        [pci, numa, root, 0],
      ]);
      expect(first.providers[0]).toMatchObject({ inventories: {}, usages: {}, traits: [], aggregates: [] });
      expect(await calls.ensureProviders(ctx, { providers })).toEqual(first);
      const { providers: tree } = await calls.getTrees(ctx, { rootIds: [pci, root, randomUUID()] });
      expect(tree.map((p) => p.providerId).sort()).toEqual([root, numa, pci].sort());
    });

    it('that do not exist are left out', async () => {
      const { calls, ctx } = world();
      expect(await calls.getProviders(ctx, { providerIds: [randomUUID()] })).toEqual({ providers: [] });
      expect(await calls.getTrees(ctx, { rootIds: [randomUUID()] })).toEqual({ providers: [] });
      expect(await calls.getProviders(ctx, { providerIds: [] })).toEqual({ providers: [] });
    });

    it('cannot bear the name of another, nor hang below one that does not exist', async () => {
      const { calls, ctx } = world();
      const one = randomUUID();
      await calls.ensureProviders(ctx, { providers: [child(one, null)] });
      const namesake = { ...child(one, null), providerId: randomUUID() };
      await expect(calls.ensureProviders(ctx, { providers: [namesake] })).rejects.toMatchObject({
        kind: 'conflict',
        code: 'placement.duplicate_name',
      });
      const lost = child(randomUUID(), randomUUID());
      await expect(calls.ensureProviders(ctx, { providers: [lost] })).rejects.toMatchObject({
        kind: 'invalid',
        code: 'provider.parent',
      });
    });

    it('are told as they were set, custom names included', async () => {
      const { calls, ctx, read, mark } = bound(world());
      const providerId = randomUUID();
      await calls.ensureProviders(ctx, { providers: [child(providerId, null)] });
      const inventories = {
        VCPU: inventory(8, { allocationRatio: 4, reserved: 1, maxUnit: 6 }),
        [`${mark}_UNIT`]: inventory(10, { minUnit: 2, stepSize: 2 }),
      };
      const [one, two] = [randomUUID(), randomUUID()].sort() as [string, string];
      const traits = ['COMPUTE_NODE', mark];
      const update = { providerId, generation: 0, inventories, traits, aggregates: [one, two] };
      const { results } = await calls.updateProviders(ctx, { updates: [update] });
      const record = await read(providerId);
      expect(results).toEqual([{ providerId, generation: record.generation }]);
      expect(record.generation).toBeGreaterThan(0);
      expect(record).toMatchObject({ inventories, usages: { VCPU: 0, [`${mark}_UNIT`]: 0 } });
      expect([...record.traits].sort()).toEqual([...traits].sort());
      expect([...record.aggregates].sort()).toEqual([one, two]);
      const { results: second } = await calls.updateProviders(ctx, {
        updates: [{ providerId, generation: record.generation, traits: [] }],
      });
      expect(second[0]!.generation).toBeGreaterThan(record.generation);
      expect(await read(providerId)).toMatchObject({ inventories, traits: [] });
    });

    it('fail each by itself: a generation that moved, a provider that is not there', async () => {
      const { calls, ctx, provider, read } = bound(world());
      const [moved, fine, gone] = [await provider({}), await provider({}), randomUUID()];
      const { generation } = await read(fine);
      const inventories = { VCPU: inventory(2) };
      const { results } = await calls.updateProviders(ctx, {
        updates: [
          { providerId: moved, generation: 99, inventories },
          { providerId: fine, generation, inventories },
          { providerId: gone, generation: 0, inventories },
        ],
      });
      expect(results).toEqual([
        expect.objectContaining({ providerId: moved, generation: null, error: 'placement.concurrent_update' }),
        { providerId: fine, generation: expect.any(Number) },
        expect.objectContaining({ providerId: gone, generation: null, error: 'resource_provider.not_found' }),
      ]);
      expect((await read(moved)).inventories).toEqual({});
    });

    it.each([
      ['an unknown class', { NO_SUCH_CLASS: inventory(1) }, 'resource_class.unknown'],
      ['more reserved than there is', { VCPU: inventory(1, { reserved: 2 }) }, 'inventory.capacity'],
    ])('refuse %s', async (_what, inventories, error) => {
      const { calls, ctx, provider, read } = bound(world());
      const providerId = await provider({});
      const { generation } = await read(providerId);
      const { results } = await calls.updateProviders(ctx, { updates: [{ providerId, generation, inventories }] });
      expect(results).toMatchObject([{ providerId, generation: null, error }]);
    });

    it('keep inventory that is in use', async () => {
      const { calls, ctx, provider, read, write, consumer } = bound(world());
      const providerId = await provider({ VCPU: inventory(2), MEMORY_MB: inventory(64) });
      await write(consumer({ [providerId]: { VCPU: 1 } }));
      const { generation } = await read(providerId);
      const update = { providerId, generation, inventories: { MEMORY_MB: inventory(32) } };
      const { results } = await calls.updateProviders(ctx, { updates: [update] });
      expect(results).toMatchObject([{ generation: null, error: 'placement.inventory.inuse' }]);
      expect(await read(providerId)).toMatchObject({ usages: { VCPU: 1, MEMORY_MB: 0 } });
    });

    it('go when nothing hangs on them', async () => {
      const { calls, ctx, provider, write, consumer } = bound(world());
      const parent = await provider({});
      const leaf = await provider({ VCPU: inventory(1) }, { parent });
      const holder = consumer({ [leaf]: { VCPU: 1 } });
      await write(holder);
      const remove = (providerId: string) => calls.deleteProvider(ctx, { providerId });
      await expect(remove(leaf)).rejects.toMatchObject({ kind: 'conflict', code: 'placement.resource_provider.inuse' });
      await expect(remove(parent)).rejects.toMatchObject({
        kind: 'conflict',
        code: 'placement.resource_provider.cannot_delete_parent',
      });
      await calls.deleteAllocations(ctx, { consumerId: holder.consumerId });
      expect([await remove(leaf), await remove(parent), await remove(parent)]).toEqual([
        { deleted: true },
        { deleted: true },
        { deleted: false },
      ]);
    });
  });
}

/** The world's methods, to be taken apart. */
export function bound(world: PlacementWorld) {
  const { calls, ctx, mark, under } = world;
  return {
    calls,
    ctx,
    mark,
    under,
    provider: world.provider.bind(world),
    read: world.read.bind(world),
    candidates: world.candidates.bind(world),
    explain: world.explain.bind(world),
    roots: world.roots.bind(world),
    consumer: world.consumer.bind(world),
    write: world.write.bind(world),
    held: world.held.bind(world),
  };
}
