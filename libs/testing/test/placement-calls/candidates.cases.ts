import { randomUUID } from 'node:crypto';
import { bound } from './providers.cases';
import { group, inventory, type PlacementWorld } from './world';

/** Two NUMA nodes with memory below a root with processors, a device below the first of them. */
async function nested(world: PlacementWorld) {
  const root = await world.provider({ VCPU: inventory(8) });
  const numa0 = await world.provider({ MEMORY_MB: inventory(512) }, { parent: root, traits: ['HW_NUMA_ROOT'] });
  const numa1 = await world.provider({ MEMORY_MB: inventory(512) }, { parent: root, traits: ['HW_NUMA_ROOT'] });
  const device = await world.provider({ PCI_DEVICE: inventory(2) }, { parent: numa0 });
  return { root, numa0, numa1, device };
}

export function describeCandidates(world: () => PlacementWorld): void {
  describe('candidates', () => {
    it('have room, tell what each takes, and how full its tree is', async () => {
      const { provider, candidates, consumer, write } = bound(world());
      const big = await provider({ VCPU: inventory(8, { allocationRatio: 2 }), MEMORY_MB: inventory(64) });
      await provider({ VCPU: inventory(2) });
      await write(consumer({ [big]: { VCPU: 3 } }));
      const found = await candidates([group({ VCPU: 4, MEMORY_MB: 16 })]);
      expect(found).toEqual({
        candidates: [
          { rootId: big, allocations: { [big]: { resources: { VCPU: 4, MEMORY_MB: 16 } } }, mappings: { '': [big] } },
        ],
        summaries: {
          [big]: {
            resources: { VCPU: { used: 3, capacity: 16 }, MEMORY_MB: { used: 0, capacity: 64 } },
            traits: [world().mark],
            parentId: null,
            rootId: big,
          },
        },
        stages: [],
      });
    });

    it('are none where nothing fits, which is no error', async () => {
      const { provider, candidates } = bound(world());
      await provider({ VCPU: inventory(2) });
      expect(await candidates([group({ VCPU: 3 })])).toMatchObject({ candidates: [], summaries: {} });
    });

    it('that are none are explained, or it is said that this Placement does not', async () => {
      const { provider, explain, under } = bound(world());
      const node = await provider({ VCPU: inventory(2), MEMORY_MB: inventory(64) });
      const explanation = explain([group({ VCPU: 3, MEMORY_MB: 8 }, { forbidden: ['HW_CPU_X86_AVX'] })]);
      if (!under.explains) {
        const unimplemented = { kind: 'unimplemented', code: 'placement.explain' };
        return expect(explanation).rejects.toMatchObject(unimplemented);
      }
      const vcpu = { check: 'resource', detail: 'VCPU:3' };
      const { stages, roots, wouldFitIf, ...rest } = await explanation;
      expect(rest).toMatchObject({ candidates: 0, more: false, truncated: false });
      expect(stages).toContainEqual({
        group: '',
        ...vcpu,
        in: expect.objectContaining({ anchors: 1 }),
        out: { providers: 0, trees: 0, anchors: 0 },
        reasons: { max_unit: 1 },
        resourceClass: 'VCPU',
        need: 3,
        offered: 1,
        bestFree: 2,
        bestMaxUnit: 2,
      });
      expect(roots).toContainEqual({
        rootId: node,
        name: node,
        group: '',
        ...vcpu,
        shortage: 'max_unit',
        have: 2,
        need: 3,
      });
      // other tests' roots may have the room, without this one's mark
      const less = { relax: 'resource', group: '', detail: 'VCPU:3', anchors: 1, atLeast: false };
      const sentence = 'ask for 2 instead of 3 VCPU';
      expect(wouldFitIf).toContainEqual({ ...less, sentence, resourceClass: 'VCPU', from: 3, to: 2 });
      return undefined;
    });

    it('have and lack traits as asked, of the group and of the root', async () => {
      const { provider, roots } = bound(world());
      const vcpu = { VCPU: inventory(2) };
      const plain = await provider(vcpu);
      const avx = await provider(vcpu, { traits: ['HW_CPU_X86_AVX'] });
      const both = await provider(vcpu, { traits: ['HW_CPU_X86_AVX', 'HW_CPU_X86_SSE'] });
      const sse = await provider(vcpu, { traits: ['HW_CPU_X86_SSE'] });
      const one = { VCPU: 1 };
      expect(await roots([group(one, { required: ['HW_CPU_X86_AVX'] })])).toEqual([avx, both].sort());
      expect(await roots([group(one, { required: ['HW_CPU_X86_AVX', 'HW_CPU_X86_SSE'] })])).toEqual([both]);
      expect(await roots([group(one, { forbidden: ['HW_CPU_X86_AVX'] })])).toEqual([plain, sse].sort());
      expect(await roots([group(one, { required: ['HW_CPU_X86_AVX'], forbidden: ['HW_CPU_X86_SSE'] })])).toEqual([avx]);
      const either = [['HW_CPU_X86_AVX', 'HW_CPU_X86_SSE']];
      expect(await roots([group(one, { anyOf: either })])).toEqual([avx, both, sse].sort());
      expect(await roots([group(one, { anyOf: [['HW_CPU_X86_AVX'], ...either] })])).toEqual([avx, both].sort());
      expect(await roots([group(one)], { rootRequired: ['HW_CPU_X86_SSE'] })).toEqual([both, sse].sort());
      expect(await roots([group(one)], { rootForbidden: ['HW_CPU_X86_SSE'] })).toEqual([avx, plain].sort());
    });

    it('are in and out of aggregates as asked, or in a tree that is named', async () => {
      const { provider, roots } = bound(world());
      const [a, b] = [randomUUID(), randomUUID()];
      const vcpu = { VCPU: inventory(2) };
      const none = await provider(vcpu);
      const inA = await provider(vcpu, { aggregates: [a] });
      const inBoth = await provider(vcpu, { aggregates: [a, b] });
      const inB = await provider(vcpu, { aggregates: [b] });
      const one = { VCPU: 1 };
      expect(await roots([group(one, { memberOf: [[a]] })])).toEqual([inA, inBoth].sort());
      expect(await roots([group(one, { memberOf: [[a, b]] })])).toEqual([inA, inB, inBoth].sort());
      expect(await roots([group(one, { memberOf: [[a], [b]] })])).toEqual([inBoth]);
      expect(await roots([group(one, { notMemberOf: [a] })])).toEqual([inB, none].sort());
      expect(await roots([group(one, { notMemberOf: [a, b] })])).toEqual([none]);
      expect(await roots([group(one, { memberOf: [[b]], notMemberOf: [a] })])).toEqual([inB]);
      expect(await roots([group(one, { inTree: inB })])).toEqual([inB]);
    });

    it('take of a whole tree for the plain group, of one provider for a group of its own', async () => {
      const tree = await nested(world());
      const { candidates } = bound(world());
      const spread = await candidates([group({ VCPU: 1, MEMORY_MB: 64 })]);
      expect(spread.candidates.map((c) => Object.keys(c.allocations).sort()).sort()).toEqual(
        [[tree.root, tree.numa0].sort(), [tree.root, tree.numa1].sort()].sort(),
      );
      expect(new Set(spread.candidates.map((c) => c.rootId))).toEqual(new Set([tree.root]));
      expect(spread.summaries[tree.device]).toMatchObject({ parentId: tree.numa0, rootId: tree.root });
      const apart = await candidates([group({ VCPU: 1, MEMORY_MB: 64 }, { suffix: '_one' })]);
      expect(apart.candidates).toEqual([]);
    });

    it('keep groups apart, or together, and on one subtree', async () => {
      const { root, numa0, numa1, device } = await nested(world());
      const { candidates } = bound(world());
      const memory = (suffix: string) => group({ MEMORY_MB: 256 }, { suffix });
      const groups = [group({ VCPU: 2 }), memory('_A'), memory('_B')];
      const places = (found: Awaited<ReturnType<typeof candidates>>) =>
        found.candidates.map((c) => [c.mappings['_A']?.[0], c.mappings['_B']?.[0]]);
      const isolated = places(await candidates(groups, { groupPolicy: 'isolate' }));
      expect(new Set(isolated.map(String))).toEqual(new Set([String([numa0, numa1]), String([numa1, numa0])]));
      const free = places(await candidates(groups, { groupPolicy: 'none' }));
      expect(new Set(free.map(String))).toEqual(
        new Set([numa0, numa1].flatMap((x) => [numa0, numa1].map((y) => String([x, y])))),
      );
      const near = [memory('_A'), group({ PCI_DEVICE: 1 }, { suffix: '_P' }), group({ VCPU: 1 })];
      const close = await candidates(near, { groupPolicy: 'none', sameSubtree: [['_A', '_P']] });
      expect(close.candidates.map((c) => c.mappings)).toEqual([{ '': [root], _A: [numa0], _P: [device] }]);
      expect(close.candidates[0]!.allocations).toEqual({
        [root]: { resources: { VCPU: 1 } },
        [numa0]: { resources: { MEMORY_MB: 256 } },
        [device]: { resources: { PCI_DEVICE: 1 } },
      });
      const anchored = [...near, group({}, { suffix: '_N', required: ['HW_NUMA_ROOT'] })];
      const within = await candidates(anchored, { groupPolicy: 'none', sameSubtree: [['_N', '_A', '_P']] });
      expect(within.candidates.map((c) => c.mappings)).toEqual([
        { '': [root], _A: [numa0], _N: [numa0], _P: [device] },
      ]);
    });

    it('take of a shared pool, and are of the tree that is not the pool', async () => {
      const { provider, candidates, ctx, calls } = bound(world());
      const aggregate = randomUUID();
      const node = await provider({ VCPU: inventory(4) }, { aggregates: [aggregate] });
      const pool = randomUUID();
      await calls.ensureProviders(ctx, { providers: [{ providerId: pool, name: pool, parentId: null }] });
      const update = {
        providerId: pool,
        generation: 0,
        inventories: { DISK_GB: inventory(100) },
        traits: ['MISC_SHARES_VIA_AGGREGATE'],
        aggregates: [aggregate],
      };
      await calls.updateProviders(ctx, { updates: [update] });
      const found = await candidates([group({ VCPU: 1, DISK_GB: 10 })]);
      expect(found.candidates.map(({ rootId, allocations }) => ({ rootId, allocations }))).toEqual([
        { rootId: node, allocations: { [node]: { resources: { VCPU: 1 } }, [pool]: { resources: { DISK_GB: 10 } } } },
      ]);
    });

    it('are no more than asked for', async () => {
      const { provider, candidates } = bound(world());
      for (let i = 0; i < 4; i++) await provider({ VCPU: inventory(1) });
      expect((await candidates([group({ VCPU: 1 })], { limit: 3 })).candidates).toHaveLength(3);
      expect((await candidates([group({ VCPU: 1 })])).candidates).toHaveLength(4);
    });

    it('cannot be of a class or with a trait that Placement does not know', async () => {
      const { provider, candidates } = bound(world());
      await provider({ VCPU: inventory(1) });
      const invalid = (code: string) => ({ kind: 'invalid', code });
      await expect(candidates([group({ CUSTOM_NOBODY_HAS_IT: 1 })])).rejects.toMatchObject(
        invalid('resource_class.unknown'),
      );
      const odd = group({ VCPU: 1 }, { required: ['CUSTOM_NOBODY_HAS_IT'] });
      await expect(candidates([odd])).rejects.toMatchObject(invalid('trait.unknown'));
    });
  });
}
