import { randomUUID } from 'node:crypto';
import { onMysql } from '@fractus/database/testing';
import { isFractusError } from '@fractus/objects';
import { AllocationsService } from '../src/services/allocations.service';
import { PlacementCore } from '../src/services/placement-core';
import { type World, RULES, ctx, holding, inv, openWorld } from './placement';

const WRITERS = 64;

onMysql('two replicas', (open) => {
  let world: World;
  let services: AllocationsService[];
  const hosts = [randomUUID(), randomUUID(), randomUUID()];

  beforeAll(async () => {
    world = await openWorld(open);
    services = [world.allocations, new AllocationsService(new PlacementCore(world.db, world.replicaOf()))];
    for (const uuid of hosts) {
      await world.providers.create(ctx, { uuid, name: uuid });
      await world.inventories.replace(ctx, uuid, 0, new Map([['VCPU', inv(64)]]), RULES);
    }
  }, 60_000);
  afterAll(() => world.close());

  it('give the last units to exactly as many as fit, over several providers at once', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 4 * WRITERS }, (_, i) => {
        const [a, b] = [hosts[i % 3]!, hosts[(i + 1 + (i % 2)) % 3]!];
        return services[i % 2]!.write(ctx, [
          {
            uuid: randomUUID(),
            projectId: 'p',
            userId: 'u',
            generation: null,
            allocations: holding({ [a]: { VCPU: 1 }, [b]: { VCPU: 1 } }),
          },
        ]);
      }),
    );
    const lost = results.filter((r) => r.status === 'rejected' && !isFractusError(r.reason, 'conflict'));
    expect(lost.map((r) => (r as PromiseRejectedResult).reason as unknown)).toEqual([]);
    await world.replica.sync();
    const used = hosts.map((h) => world.replica.estate.provider(h)!.used.get('VCPU') ?? 0);
    for (const n of used) expect(n).toBeLessThanOrEqual(64);
    const won = results.filter((r) => r.status === 'fulfilled').length;
    expect(used.reduce((a, b) => a + b, 0)).toBe(2 * won);
    expect(won).toBeGreaterThan(90);
    for (const h of hosts)
      expect(world.replica.estate.provider(h)!.generation).toBe(
        1 + (world.replica.estate.provider(h)!.used.get('VCPU') ?? 0),
      );
  }, 120_000);

  it('agree after writers that touch the same consumers have raced', async () => {
    const consumers = Array.from({ length: 8 }, () => randomUUID());
    await world.inventories.replace(
      ctx,
      hosts[0]!,
      (await world.core.get(hosts[0]!)).generation,
      new Map([['VCPU', inv(500)]]),
      RULES,
    );
    const results = await Promise.allSettled(
      Array.from({ length: 2 * WRITERS }, (_, i) => {
        const uuid = consumers[i % 8]!;
        return i % 5 === 4
          ? services[i % 2]!.remove(ctx, uuid)
          : services[i % 2]!.write(ctx, [
              { uuid, projectId: 'p', userId: 'u', allocations: holding({ [hosts[0]!]: { VCPU: 1 + (i % 3) } }) },
            ]);
      }),
    );
    expect(
      results
        .filter((r) => r.status === 'rejected' && !isFractusError(r.reason, 'conflict'))
        .map((r) => String((r as PromiseRejectedResult).reason)),
    ).toEqual([]);
    const other = world.replicaOf();
    await other.sync();
    await world.replica.sync();
    for (const h of hosts) expect(other.estate.provider(h)!.used).toEqual(world.replica.estate.provider(h)!.used);
  }, 120_000);
});
