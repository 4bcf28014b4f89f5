import { randomUUID } from 'node:crypto';
import { bound } from './providers.cases';
import { inventory, PROJECT, USER, type PlacementWorld } from './world';

const CONFLICT = { kind: 'conflict', code: 'placement.concurrent_update' };
const stock = { VCPU: inventory(4), MEMORY_MB: inventory(64, { minUnit: 8, stepSize: 8, maxUnit: 32 }) };

export function describeAllocations(world: () => PlacementWorld): void {
  describe('claims', () => {
    it('are told with the generation that they then have', async () => {
      const { provider, consumer, write, calls, ctx } = bound(world());
      const node = await provider(stock);
      const claim = consumer({ [node]: { VCPU: 2, MEMORY_MB: 16 } });
      const [first] = await write({ ...claim, consumerGeneration: null });
      const read = () => calls.getAllocations(ctx, { consumerId: claim.consumerId });
      expect(await read()).toMatchObject({
        consumerId: claim.consumerId,
        consumerGeneration: first!.consumerGeneration,
        projectId: PROJECT,
        userId: USER,
        consumerType: 'INSTANCE',
        allocations: claim.allocations,
      });
      const smaller = { ...claim, allocations: { [node]: { resources: { VCPU: 1 } } } };
      const [second] = await write({ ...smaller, consumerGeneration: first!.consumerGeneration });
      expect(second!.consumerGeneration).toBeGreaterThan(first!.consumerGeneration!);
      expect(await read()).toMatchObject({
        consumerGeneration: second!.consumerGeneration,
        allocations: smaller.allocations,
      });
    });

    it('expect what they say: nothing there, just this generation, or whatever there is', async () => {
      const { provider, consumer, write, held } = bound(world());
      const node = await provider(stock);
      const claim = consumer({ [node]: { VCPU: 1 } });
      await expect(write({ ...claim, consumerGeneration: 3 })).rejects.toMatchObject(CONFLICT);
      await write({ ...claim, consumerGeneration: null });
      await expect(write({ ...claim, consumerGeneration: null })).rejects.toMatchObject(CONFLICT);
      const { generation } = await held(claim.consumerId);
      await expect(write({ ...claim, consumerGeneration: generation! + 1 })).rejects.toMatchObject(CONFLICT);
      await write(claim);
      const after = await held(claim.consumerId);
      expect(after.holds).toEqual({ [node]: { VCPU: 1 } });
      expect(after.generation).toBeGreaterThan(generation!);
    });

    it.each([
      ['more than there is', { VCPU: 5 }, 'conflict', 'inventory.constraints'],
      ['more than one may take', { MEMORY_MB: 40 }, 'conflict', 'inventory.constraints'],
      ['less than one must take', { MEMORY_MB: 4 }, 'conflict', 'inventory.constraints'],
      ['what no step leads to', { MEMORY_MB: 12 }, 'conflict', 'inventory.constraints'],
      ['of what there is none', { DISK_GB: 1 }, 'conflict', 'inventory.missing'],
      ['of what nobody has heard of', { CUSTOM_NOBODY_HAS_IT: 1 }, 'invalid', 'resource_class.unknown'],
    ])('cannot take %s', async (_what, resources, kind, code) => {
      const { provider, consumer, write, held } = bound(world());
      const claim = consumer({ [await provider(stock)]: resources as Record<string, number> });
      await expect(write(claim)).rejects.toMatchObject({ kind, code });
      expect(await held(claim.consumerId)).toEqual({ generation: null, holds: {} });
    });

    it('cannot take of a provider that does not exist', async () => {
      const { consumer, write } = bound(world());
      const claim = consumer({ [randomUUID()]: { VCPU: 1 } });
      await expect(write(claim)).rejects.toMatchObject({ kind: 'invalid', code: 'provider.unknown' });
    });

    it('succeed for all consumers or for none', async () => {
      const { provider, consumer, write, held } = bound(world());
      const node = await provider(stock);
      const [one, two] = [consumer({ [node]: { VCPU: 3 } }), consumer({ [node]: { VCPU: 2 } })];
      await expect(write(one, two)).rejects.toMatchObject({ kind: 'conflict', code: 'inventory.capacity' });
      expect([await held(one.consumerId), await held(two.consumerId)]).toEqual([
        { generation: null, holds: {} },
        { generation: null, holds: {} },
      ]);
      const written = await write(one, { ...two, allocations: { [node]: { resources: { VCPU: 1 } } } });
      expect(written.map((c) => c.consumerId)).toEqual([one.consumerId, two.consumerId]);
      expect((await held(two.consumerId)).holds).toEqual({ [node]: { VCPU: 1 } });
    });

    it('swap what two consumers hold, though there is no room for both', async () => {
      const { provider, consumer, write, held, read } = bound(world());
      const [full, other] = [await provider({ VCPU: inventory(4) }), await provider({ VCPU: inventory(4) })];
      const server = consumer({ [full]: { VCPU: 4 } });
      await write(server);
      const migration = consumer({ [full]: { VCPU: 4 } }, { consumerType: 'MIGRATION', consumerGeneration: null });
      const { generation } = await held(server.consumerId);
      const moved = { ...server, allocations: { [other]: { resources: { VCPU: 4 } } }, consumerGeneration: generation };
      await write(migration, moved);
      expect((await held(server.consumerId)).holds).toEqual({ [other]: { VCPU: 4 } });
      expect((await held(migration.consumerId)).holds).toEqual({ [full]: { VCPU: 4 } });
      const back = { ...migration, allocations: {}, consumerGeneration: (await held(migration.consumerId)).generation };
      const home = {
        ...server,
        allocations: server.allocations,
        consumerGeneration: (await held(server.consumerId)).generation,
      };
      const [gone, there] = await write(back, home);
      expect(gone).toEqual({ consumerId: migration.consumerId, consumerGeneration: null, allocations: {} });
      expect(there).toMatchObject({ allocations: server.allocations });
      expect([(await read(full)).usages, (await read(other)).usages]).toEqual([{ VCPU: 4 }, { VCPU: 0 }]);
    });

    it('of a lower fence than was leased are refused, and take nothing away', async () => {
      const { provider, consumer, write, held, calls, ctx, under } = bound(world());
      const node = await provider(stock);
      const taskId = randomUUID();
      const claim = consumer({ [node]: { VCPU: 1 } });
      const stale = { kind: 'conflict', code: 'claim.stale_fence' };
      under.leased(claim.consumerId, 7);
      await write({ ...claim, owner: { taskId, fence: 7 } });
      const late = { ...claim, allocations: { [node]: { resources: { VCPU: 2 } } }, owner: { taskId, fence: 6 } };
      await expect(write(late)).rejects.toMatchObject(stale);
      const { consumerId } = claim;
      await expect(calls.deleteAllocations(ctx, { consumerId, owner: late.owner })).rejects.toMatchObject(stale);
      expect((await held(consumerId)).holds).toEqual({ [node]: { VCPU: 1 } });
      under.leased(consumerId, 9);
      const owner = { taskId: randomUUID(), fence: 9 };
      expect(await calls.deleteAllocations(ctx, { consumerId, owner })).toEqual({ deleted: true });
      await expect(write({ ...late, owner: { taskId, fence: 8 } })).rejects.toMatchObject(stale);
      expect(await calls.deleteAllocations(ctx, { consumerId, owner })).toEqual({ deleted: false });
    });
  });

  describe('consumers', () => {
    it('that hold nothing do not exist', async () => {
      const { calls, ctx } = bound(world());
      const consumerId = randomUUID();
      const nothing = { consumerId, consumerGeneration: null, allocations: {} };
      expect(await calls.getAllocations(ctx, { consumerId })).toEqual(nothing);
      expect(await calls.deleteAllocations(ctx, { consumerId })).toEqual({ deleted: false });
      expect(await calls.deleteAllocations(ctx, { consumerId, consumerGeneration: 4 })).toEqual({ deleted: false });
    });

    it('give everything back, whatever it is or if it is still what was seen', async () => {
      const { provider, consumer, write, held, read, calls, ctx } = bound(world());
      const [node, other] = [await provider(stock), await provider(stock)];
      const one = consumer({ [node]: { VCPU: 1 }, [other]: { VCPU: 2 } });
      await write(one);
      expect(await calls.deleteAllocations(ctx, { consumerId: one.consumerId })).toEqual({ deleted: true });
      const two = consumer({ [node]: { VCPU: 1 } });
      await write(two);
      const { consumerId } = two;
      const generation = (await held(consumerId)).generation!;
      const remove = (consumerGeneration: number) => calls.deleteAllocations(ctx, { consumerId, consumerGeneration });
      await expect(remove(generation + 1)).rejects.toMatchObject(CONFLICT);
      expect(await remove(generation)).toEqual({ deleted: true });
      expect([(await read(node)).usages['VCPU'], (await read(other)).usages['VCPU']]).toEqual([0, 0]);
    });

    it('are listed in order of uuid, each once, page by page', async () => {
      const { provider, consumer, write, calls, ctx } = bound(world());
      const [node, other] = [await provider({ VCPU: inventory(9) }), await provider({ VCPU: inventory(9) })];
      const made = Array.from({ length: 5 }, () => consumer({ [node]: { VCPU: 1 }, [other]: { VCPU: 1 } }));
      await write(...made);
      const seen: string[] = [];
      for (let marker: string | undefined; ; marker = seen.at(-1)) {
        const { consumers } = await calls.listConsumers(ctx, { limit: 2, ...(marker === undefined ? {} : { marker }) });
        seen.push(...consumers.map((c) => c.consumerId));
        for (const c of consumers.filter((c) => made.some((m) => m.consumerId === c.consumerId)))
          expect(c).toMatchObject({ consumerType: 'INSTANCE', allocations: made[0]!.allocations });
        if (consumers.length < 2) break;
      }
      expect(seen).toEqual([...new Set(seen)].sort());
      expect(seen.filter((id) => made.some((m) => m.consumerId === id))).toEqual(made.map((m) => m.consumerId).sort());
    });
  });
}
