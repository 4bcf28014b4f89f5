/** A replica that applies what the log tells of usage comes to what one sees that reads every tree again. */
import { randomUUID } from 'node:crypto';
import { eachDatabase, statementsOf } from '@fractus/database/testing';
import { isFractusError } from '@fractus/objects';
import fc from 'fast-check';
import { EMPTY_GROUP, EMPTY_QUERY } from '../src/domain/candidate-query';
import type { Estate } from '../src/domain/estate';
import { findCandidates } from '../src/domain/search';
import type { EstateReplica } from '../src/replica/estate-replica';
import { AllocationsService } from '../src/services/allocations.service';
import { PlacementCore } from '../src/services/placement-core';
import { ReshaperService } from '../src/services/reshaper.service';
import { ctx, holding, inv, openWorld, RULES, type World } from './placement';

const sorted = <T>(all: Iterable<T>): T[] => [...all].sort();
const plain = (estate: Estate): unknown[] =>
  [...estate.providers()]
    .sort((a, b) => a.id - b.id)
    .map((p) => ({
      ...p,
      tree: [p.tree.root.id, p.tree.revision, p.tree.providers.map((q) => q.id), sorted(p.tree.aggregates)],
      parent: p.parent?.id,
      inventories: sorted(p.inventories).map(([rc, i]) => [rc, { ...i }]),
      used: sorted(p.used),
      traits: sorted(p.traits),
      aggregates: sorted(p.aggregates),
    }));
/** What the index lets through, too. */
const fitting = (estate: Estate): unknown =>
  [1, 2, 5, 9].map((n) =>
    sorted(
      findCandidates(estate, { ...EMPTY_QUERY, groups: [{ ...EMPTY_GROUP, resources: new Map([['VCPU', n]]) }] }).candidates.map((c) => c.anchor.uuid), // prettier-ignore
    ),
  );

const place = { host: fc.nat({ max: 3 }), other: fc.nat({ max: 3 }), consumer: fc.nat({ max: 9 }) };
const step = fc.record({
  ...place,
  what: fc.constantFrom('claim', 'claim', 'claim', 'claim', 'move', 'move', 'both', 'give up', 'release', 'release', 'release', 'inventory', 'trait', 'reparent', 'custom', 'reshape'), // prettier-ignore
  vcpu: fc.integer({ min: 1, max: 6 }),
  memory: fc.integer({ min: 1, max: 60 }),
  /** Which replica it is done through, and whether the follower looks after it. */
  through: fc.nat({ max: 1 }),
  look: fc.boolean(),
});

eachDatabase('a replica that follows', (open) => {
  let world: World;
  let services: AllocationsService[];
  let hosts: string[];
  let follower: EstateReplica;

  beforeEach(async () => {
    world = await openWorld(open);
    services = [world.allocations, new AllocationsService(new PlacementCore(world.db, world.replicaOf()))];
    follower = world.replicaOf();
    hosts = Array.from({ length: 4 }, () => randomUUID());
    for (const [i, uuid] of hosts.entries()) {
      await world.providers.create(ctx, { uuid, name: uuid, ...(i === 3 ? { parentUuid: hosts[2]! } : {}) });
      await stock(uuid, 16);
    }
    await world.traits.create(ctx, 'CUSTOM_FAST');
  });
  afterEach(() => world.close());

  const stock = async (uuid: string, vcpu: number): Promise<unknown> =>
    world.inventories.replace(
      ctx,
      uuid,
      (await world.core.get(uuid)).generation,
      new Map(Object.entries({ VCPU: inv(vcpu, { maxUnit: 40 }), MEMORY_MB: inv(400) })),
      RULES,
    );

  const consumers = Array.from({ length: 10 }, () => randomUUID());
  type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

  const act = async (s: Step): Promise<unknown> => {
    const service = services[s.through]!;
    const [uuid, host, other] = [consumers[s.consumer]!, hosts[s.host]!, hosts[s.other]!];
    const put = (spec: Record<string, Record<string, number>>, more: object = {}): Promise<unknown> =>
      service.write(ctx, [{ uuid, projectId: 'p', userId: 'u', allocations: holding(spec), ...more }]);
    const resources = { VCPU: s.vcpu, MEMORY_MB: s.memory };
    const generation = async (): Promise<number> => (await world.core.get(host)).generation;
    switch (s.what) {
      case 'claim':
        return put({ [host]: resources }, { owner: { taskId: randomUUID(), fence: s.vcpu } });
      case 'move':
        return put({ [host]: resources, [other]: { VCPU: 1 } });
      case 'both':
        return service.write(ctx, [0, 1].map((n) => ({ uuid: consumers[(s.consumer + n) % 10]!, projectId: 'p', userId: 'u', allocations: holding({ [n ? host : other]: resources }) }))); // prettier-ignore
      case 'give up':
        return put({});
      case 'custom':
        return put({ [host]: { CUSTOM_PONY: 1 } });
      case 'release':
        return service.remove(ctx, uuid);
      case 'inventory':
        return stock(host, 10 + s.vcpu);
      case 'trait':
        return world.traits.setOnProvider(ctx, host, await generation(), s.vcpu > 3 ? ['CUSTOM_FAST'] : []);
      case 'reparent':
        return world.providers.update(ctx, hosts[3]!, { name: hosts[3]!, parentUuid: [null, hosts[0]!, hosts[2]!][s.vcpu % 3]! }, { reparent: true }); // prettier-ignore
      case 'reshape':
        return new ReshaperService(world.core).reshape(
          ctx,
          new Map([[host, { generation: await generation(), inventories: new Map([['VCPU', inv(20)], ['MEMORY_MB', inv(400)]]) }]]), // prettier-ignore
          [{ uuid, projectId: 'p', userId: 'u', allocations: holding({ [host]: { VCPU: 1 } }) }],
        );
    }
  };
  const tolerated = (e: unknown): void => {
    if (!isFractusError(e, 'conflict', 'invalid')) throw e;
  };
  const compare = async (): Promise<void> => {
    const fresh = world.replicaOf();
    await Promise.all([follower.sync(), fresh.sync()]);
    expect(plain(follower.estate)).toEqual(plain(fresh.estate));
    expect(fitting(follower.estate)).toEqual(fitting(fresh.estate));
  };

  it('sees the same, step by step', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
        for (const s of steps) {
          await act(s).catch(tolerated);
          if (s.look) await compare();
        }
        await compare();
      }),
      { numRuns: 10 },
    );
  }, 120_000);

  it('sees the same when many write at once, while it looks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 60 }), async (steps) => {
        let writing = true;
        const looking = (async () => {
          while (writing) {
            await follower.sync();
            await new Promise((resolve) => setImmediate(resolve));
          }
        })();
        await Promise.all(steps.map((s) => act(s).catch(tolerated))).finally(() => (writing = false));
        await looking;
        await compare();
      }),
      { numRuns: 6, endOnFailure: true },
    );
  }, 120_000);

  it('asks the log alone after claims and releases, and reads a tree again after anything else', async () => {
    await follower.sync();
    const claim = (host: string): Promise<unknown> =>
      services[0]!.write(ctx, [{ uuid: consumers[0]!, projectId: 'p', userId: 'u', allocations: holding({ [host]: { VCPU: 2 } }) }]); // prettier-ignore
    const asked = async (): Promise<number> => (await statementsOf(world.db, () => follower.sync())).length;
    for (const host of hosts) {
      await claim(host);
      expect(await asked()).toBe(1);
    }
    await services[1]!.remove(ctx, consumers[0]!);
    expect(await asked()).toBe(1);
    await stock(hosts[0]!, 12);
    expect(await asked()).toBeGreaterThan(1);
    await compare();
  });

  it('reads a tree again where a write of it is missing here', async () => {
    await follower.sync();
    const claim = (n: number): Promise<unknown> =>
      services[0]!.write(ctx, [{ uuid: consumers[n]!, projectId: 'p', userId: 'u', allocations: holding({ [hosts[0]!]: { VCPU: 2 } }) }]); // prettier-ignore
    await claim(0);
    await claim(1);
    // as if the first had been written by a release that tells no detail, and its row were still to come
    await world.db.execute("UPDATE change_log SET detail = NULL WHERE detail LIKE ? ORDER BY seq LIMIT 1".replace(world.db.dialect === 'sqlite' ? ' ORDER BY seq LIMIT 1' : '!', ''), ['%']); // prettier-ignore
    await compare();
    await claim(2);
    await compare();
  });
});
