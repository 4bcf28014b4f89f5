import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { isFractusError } from '@fractus/objects';
import { freeOf } from '../src/domain/capacity';
import { trimFences } from '../src/store/consumers';
import { eachDatabase } from '@fractus/database/testing';
import { type World, RULES, ctx, holding, inv, openWorld } from './placement';

const WRITERS = 64;
const CAPACITY = { VCPU: 40, MEMORY_MB: 4096 };

eachDatabase('claims from many writers at once', (open) => {
  let world: World;
  let hosts: string[];

  beforeEach(async () => {
    world = await openWorld(open);
    hosts = [randomUUID(), randomUUID(), randomUUID()];
    for (const uuid of hosts) {
      await world.providers.create(ctx, { uuid, name: uuid });
      await world.inventories.replace(
        ctx,
        uuid,
        0,
        new Map(Object.entries(CAPACITY).map(([rc, n]) => [rc, inv(n)])),
        RULES,
      );
    }
  });
  afterEach(() => world.close());

  /** Sums what consumers hold, straight from their own records. */
  const held = async (): Promise<Map<string, number>> => {
    const sums = new Map<string, number>();
    for (const c of await world.allocations.list(ctx, 10_000)) {
      for (const [p, { resources }] of c.allocations)
        for (const [rc, n] of resources) sums.set(`${p}/${rc}`, (sums.get(`${p}/${rc}`) ?? 0) + n);
    }
    return sums;
  };

  it('never go over capacity, lose nothing, double nothing, and generations only grow', async () => {
    const step = fc.record({
      consumer: fc.nat({ max: 24 }),
      action: fc.constantFrom('put', 'put', 'put', 'delete', 'move'),
      host: fc.nat({ max: 2 }),
      other: fc.nat({ max: 2 }),
      vcpu: fc.integer({ min: 1, max: 9 }),
      memory: fc.integer({ min: 1, max: 900 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: WRITERS, maxLength: WRITERS }), async (steps) => {
        const consumers = Array.from({ length: 25 }, () => randomUUID());
        const before = new Map(hosts.map((h) => [h, world.replica.estate.provider(h)?.generation ?? 0]));
        const acknowledged = new Map<string, Map<string, Map<string, number>>[]>();
        await Promise.all(
          steps.map(async (s) => {
            const uuid = consumers[s.consumer]!;
            const resources = { VCPU: s.vcpu, MEMORY_MB: s.memory };
            const allocations =
              s.action === 'move'
                ? holding({ [hosts[s.host]!]: resources, [hosts[s.other]!]: resources })
                : holding({ [hosts[s.host]!]: resources });
            const write =
              s.action === 'delete'
                ? world.allocations.remove(ctx, uuid)
                : world.allocations.write(ctx, [{ uuid, projectId: 'p', userId: 'u', allocations }]);
            const ok = await write.then(
              () => true,
              (e: unknown) => {
                if (isFractusError(e, 'conflict')) return false;
                throw e;
              },
            );
            if (ok)
              acknowledged.set(uuid, [
                ...(acknowledged.get(uuid) ?? []),
                s.action === 'delete' ? new Map() : allocations,
              ]);
          }),
        );
        await world.replica.sync();
        const sums = await held();
        for (const h of hosts) {
          const provider = world.replica.estate.provider(h)!;
          for (const [rc, capacity] of Object.entries(CAPACITY)) {
            expect(sums.get(`${h}/${rc}`) ?? 0).toBeLessThanOrEqual(capacity);
            expect(provider.used.get(rc) ?? 0).toBe(sums.get(`${h}/${rc}`) ?? 0);
          }
          expect(provider.generation).toBeGreaterThanOrEqual(before.get(h)!);
        }
        // what a consumer holds is one of the writes that were acknowledged to it, whole
        for (const [uuid, writes] of acknowledged) {
          const now = await world.allocations.ofConsumer(ctx, uuid);
          const plain = JSON.stringify(
            [...(now?.allocations ?? [])].map(([p, a]) => [p, [...a.resources].sort()]).sort(),
          );
          expect(writes.map((w) => JSON.stringify([...w].map(([p, r]) => [p, [...r].sort()]).sort()))).toContain(plain);
        }
        for (const uuid of consumers) await world.allocations.remove(ctx, uuid);
      }),
      { numRuns: 8 },
    );
  }, 60_000);

  it('give the last units to exactly as many as fit', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: WRITERS }, () =>
        world.allocations.write(ctx, [
          {
            uuid: randomUUID(),
            projectId: 'p',
            userId: 'u',
            generation: null,
            allocations: holding({ [hosts[0]!]: { VCPU: 1 } }),
          },
        ]),
      ),
    );
    expect(results.filter((r) => r.status === 'fulfilled')).toHaveLength(CAPACITY.VCPU);
    const provider = await world.core.get(hosts[0]!);
    expect(freeOf(provider, 'VCPU')).toBe(0);
    expect(provider.generation).toBe(1 + CAPACITY.VCPU);
  });

  it('are refused under a fence lower than one already seen, also after the consumer is gone', async () => {
    const uuid = randomUUID();
    const claim = (fence: number): Promise<unknown> =>
      world.allocations.write(ctx, [
        {
          uuid,
          projectId: 'p',
          userId: 'u',
          allocations: holding({ [hosts[0]!]: { VCPU: 1 } }),
          owner: { taskId: randomUUID(), fence },
        },
      ]);
    await claim(3);
    await expect(claim(2)).rejects.toMatchObject({ code: 'claim.stale_fence' });
    await claim(3);
    expect(await world.allocations.remove(ctx, uuid, { owner: { taskId: randomUUID(), fence: 5 } })).toBe(true);
    await expect(claim(4)).rejects.toMatchObject({ code: 'claim.stale_fence' });
    expect(await world.allocations.ofConsumer(ctx, uuid)).toBeUndefined();
    await claim(5);
    // a fence lasts as long as its consumer, and a while longer
    expect(await trimFences(world.db, Date.now() + 1)).toBe(0);
    await world.allocations.remove(ctx, uuid);
    expect(await trimFences(world.db, Date.now() - 60_000)).toBe(0);
    expect(await trimFences(world.db, Date.now() + 1)).toBe(1);
  });

  it('are all or nothing over many consumers', async () => {
    const [a, b] = [randomUUID(), randomUUID()];
    const write = world.allocations.write(ctx, [
      { uuid: a, projectId: 'p', userId: 'u', allocations: holding({ [hosts[0]!]: { VCPU: 10 } }) },
      { uuid: b, projectId: 'p', userId: 'u', allocations: holding({ [hosts[0]!]: { VCPU: 31 } }) },
    ]);
    await expect(write).rejects.toMatchObject({ kind: 'conflict' });
    expect(await world.allocations.list(ctx, 10)).toEqual([]);
  });

  it('may leave an overfull provider better than it was, not worse', async () => {
    const host = hosts[0]!;
    const uuid = randomUUID();
    const put = (vcpu: number): Promise<unknown> =>
      world.allocations.write(ctx, [
        { uuid, projectId: 'p', userId: 'u', allocations: holding({ [host]: { VCPU: vcpu } }) },
      ]);
    await put(30);
    await world.inventories.replace(ctx, host, 2, new Map([['VCPU', inv(10, { maxUnit: 40 })]]), RULES);
    await expect(put(31)).rejects.toMatchObject({ code: 'inventory.capacity' });
    await put(20);
    expect((await world.core.get(host)).used.get('VCPU')).toBe(20);
  });
});
