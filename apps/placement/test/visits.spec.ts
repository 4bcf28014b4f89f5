/** How much of the estate a limited query looks at: counted, for estates of any size, whatever it asks. */
import type { CandidateQuery } from '../src/domain/candidate-query';
import { Estate } from '../src/domain/estate';
import { type Inventory, type ProviderRecord, buildTree } from '../src/domain/provider';
import { findCandidates } from '../src/domain/search';
import { type GroupSketch, query } from './estates';
import { inv } from './placement';

const SIZES = [1_000, 10_000, 100_000];
const NONE: ReadonlySet<string> = new Set();
const NO_USE: ReadonlyMap<string, number> = new Map();
const SHARES = new Set(['MISC_SHARES_VIA_AGGREGATE']);

interface Part {
  inventories: ReadonlyMap<string, Inventory>;
  used?: ReadonlyMap<string, number>;
  traits?: ReadonlySet<string>;
  aggregates?: ReadonlySet<string>;
}

/** Adds one tree after the other; the first part is the root, the others are its children. */
class Builder {
  readonly estate = new Estate();
  private next = 1;

  tree(root: Part, ...children: Part[]): void {
    const rootId = this.next;
    const record = (part: Part, parentId: number | null): ProviderRecord => ({
      id: this.next,
      uuid: `p${this.next}`,
      name: `p${this.next++}`,
      generation: 0,
      revision: 1,
      parentId,
      rootId,
      updatedAt: 0,
      used: NO_USE,
      traits: NONE,
      aggregates: NONE,
      ...part,
    });
    this.estate.put(buildTree([record(root, null), ...children.map((c) => record(c, rootId))], 1));
  }
}

const FULL = new Map(Object.entries({ VCPU: inv(16), MEMORY_MB: inv(65536), DISK_GB: inv(1000) }));
const COMPUTE = new Map(Object.entries({ VCPU: inv(16), MEMORY_MB: inv(65536) }));
const DISK = new Map(Object.entries({ DISK_GB: inv(100_000) }));

/** A trait on half, on most, and two on 1 % that are together on 0.01 %, and on one host at least. */
const HALF = new Set(['CUSTOM_HALF', 'CUSTOM_MOST']);
const MOST = new Set(['CUSTOM_MOST']);
const [A, B, BOTH] = [['CUSTOM_A'], ['CUSTOM_B'], ['CUSTOM_A', 'CUSTOM_B']].map((t) => new Set(t));
const traitsOf = (i: number): ReadonlySet<string> => {
  if (i % 10_000 === 50) return BOTH!;
  if (i % 100 === 50) return A!;
  if (i % 100 === 51) return B!;
  return i % 2 ? HALF : i % 8 ? MOST : NONE;
};

type Fill = (b: Builder, i: number) => void;
const flat: Fill = (b, i) => b.tree({ inventories: FULL, traits: traitsOf(i) });

/** All but one in 100 have two VCPU left, and the others three; the memory that is left differs everywhere. */
const nearlyFull: Fill = (b, i) =>
  b.tree({
    inventories: FULL,
    traits: traitsOf(i),
    used: new Map([
      ['VCPU', i % 100 === 50 ? 13 : 14],
      ['MEMORY_MB', 64_000 - (i % 1000)],
    ]),
  });

/** A hundred hosts have their disk from one pool. */
const pooled: Fill = (b, i) => {
  const aggregates = new Set([`pool${Math.floor(i / 100)}`]);
  if (i % 100 === 0) b.tree({ inventories: DISK, traits: SHARES, aggregates });
  b.tree({ inventories: COMPUTE, traits: traitsOf(i), aggregates });
};

/** Two NUMA nodes under a root that has the disk. */
const numa: Fill = (b, i) =>
  b.tree({ inventories: DISK, traits: traitsOf(i) }, { inventories: COMPUTE }, { inventories: COMPUTE });

const estateOf = (fill: Fill, size: number): Estate => {
  const builder = new Builder();
  for (let i = 0; i < size; i++) fill(builder, i);
  return builder.estate;
};

const ASKED = { VCPU: 3, MEMORY_MB: 1000, DISK_GB: 10 };
const TRAITS: GroupSketch[] = [
  {},
  { required: ['CUSTOM_HALF'] },
  { required: ['CUSTOM_A'] },
  { required: ['CUSTOM_A', 'CUSTOM_B'] },
  { forbidden: ['CUSTOM_HALF'] },
  { forbidden: ['CUSTOM_MOST'] },
];

function expectFewVisits(estate: Estate, asked: CandidateQuery, most: number): void {
  for (const limit of [10, 100]) {
    for (const offset of [0, 0.37, 0.999]) {
      const { visited, candidates } = findCandidates(estate, { ...asked, limit }, { offset });
      expect(candidates.length).toBe(Math.min(limit, most));
      expect(visited).toBeLessThanOrEqual(20 * candidates.length);
    }
  }
}

const count = (estate: Estate, asked: CandidateQuery): number =>
  findCandidates(estate, { ...asked, limit: 100 }, {}).candidates.length;

describe.each(SIZES)('a limited query over %i hosts looks at no more than 20 times what it returns', (size) => {
  it('without a trait, with a trait on half, on 1 %, with two that meet on 0.01 %, and with traits not wanted', () => {
    const estate = estateOf(flat, size);
    const found = TRAITS.map((traits) => {
      const asked = query([{ resources: ASKED, ...traits }]);
      const most = count(estate, asked);
      expectFewVisits(estate, asked, most);
      return most;
    });
    expect(found).toEqual([100, 100, Math.min(100, size / 100), Math.ceil(size / 10_000), 100, 100]);
    const root = query([{ resources: ASKED }], { rootRequired: ['CUSTOM_A'], rootForbidden: ['CUSTOM_HALF'] });
    expectFewVisits(estate, root, Math.min(100, size / 100));
  });

  it('where nearly every host is full', () => {
    const estate = estateOf(nearlyFull, size);
    expectFewVisits(estate, query([{ resources: ASKED }]), Math.min(100, size / 100));
    expectFewVisits(
      estate,
      query([{ resources: { VCPU: 2, MEMORY_MB: 2500 } }]),
      count(estate, query([{ resources: { MEMORY_MB: 2500 } }])),
    );
    const groups = [1, 2].map((n) => ({ suffix: `_${n}`, resources: { VCPU: n } }));
    expectFewVisits(estate, query(groups, { groupPolicy: 'none' }), Math.min(100, size / 100));
    expect(findCandidates(estate, query(groups, { groupPolicy: 'isolate', limit: 100 })).visited).toBe(0);
    const none = findCandidates(estate, query([{ resources: { VCPU: 4 } }], { limit: 100 }));
    expect([none.candidates.length, none.visited]).toEqual([0, 0]);
  });

  it('where disks are shared', () => {
    const estate = estateOf(pooled, size);
    for (const traits of TRAITS.slice(0, 4)) {
      const asked = query([{ resources: ASKED, ...traits }]);
      expectFewVisits(estate, asked, count(estate, asked));
      expect(count(estate, asked)).toBeGreaterThan(0);
    }
    expectFewVisits(estate, query([{ resources: ASKED, memberOf: [['pool7']] }]), 100);
    const granular = query([
      { resources: { VCPU: 3 }, required: ['CUSTOM_A'] },
      { suffix: '_d', resources: { DISK_GB: 10 } },
    ]);
    expectFewVisits(estate, granular, Math.min(100, size / 100));
    // one candidate a pool, found from any of its hosts
    expectFewVisits(estate, query([{ resources: { DISK_GB: 10 } }]), Math.min(100, size / 100));
    const lacking = query([{ suffix: '_d', resources: { DISK_GB: 10 }, required: ['CUSTOM_A'] }], { limit: 100 });
    expect(findCandidates(estate, lacking).visited).toBe(0);
  });

  it('where hosts are trees', () => {
    const estate = estateOf(numa, Math.ceil(size / 3));
    for (const traits of TRAITS.slice(0, 4)) {
      const asked = query([{ resources: ASKED, ...traits }]);
      expectFewVisits(estate, asked, count(estate, asked));
      expect(count(estate, asked)).toBeGreaterThan(0);
    }
  });
});
