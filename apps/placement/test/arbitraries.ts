/** Random small estates and queries, so mixed that about half of the queries find something. */
import fc from 'fast-check';
import type { CandidateQuery, RequestGroup } from '../src/domain/candidate-query';
import type { Sketch } from './estates';

const CLASSES = ['VCPU', 'DISK_GB', 'CUSTOM_NIC'];
const TRAITS = ['CUSTOM_T1', 'CUSTOM_T2', 'CUSTOM_T3'];
const AGGREGATES = ['agg1', 'agg2', 'agg3'];
const SHARES = 'MISC_SHARES_VIA_AGGREGATE';

const amount = fc.integer({ min: 1, max: 6 });
const inventory = fc.record(
  {
    total: fc.integer({ min: 1, max: 12 }),
    reserved: fc.constantFrom(0, 0, 1),
    minUnit: fc.constantFrom(1, 1, 2),
    maxUnit: fc.constantFrom(12, 12, 4),
    stepSize: fc.constantFrom(1, 1, 2),
    allocationRatio: fc.constantFrom(1, 1, 1.5, 2),
  },
  { requiredKeys: ['total'] },
);
export const sketch = fc.record({
  /** Index of the parent among those before, or beyond them for a root. */
  parent: fc.nat({ max: 14 }),
  inv: fc.dictionary(fc.constantFrom(...CLASSES), inventory, { maxKeys: 3 }),
  load: fc.constantFrom(0, 0, 0, 2, 5),
  traits: fc.subarray([...TRAITS]),
  shares: fc.constantFrom(false, false, false, true),
  aggs: fc.subarray([...AGGREGATES], { maxLength: 2 }),
});
export const estate = fc.array(sketch, { minLength: 1, maxLength: 7 }).map((list): Sketch[] =>
  list.map((s, i) => ({
    name: `p${i}`,
    ...(s.parent < i ? { parent: `p${s.parent}` } : {}),
    inv: s.inv as Record<string, { total: number }>,
    used: Object.fromEntries(Object.keys(s.inv).map((rc) => [rc, s.load])),
    traits: s.shares ? [...s.traits, SHARES] : s.traits,
    aggs: s.aggs,
  })),
);

export const group = (suffix: string): fc.Arbitrary<RequestGroup> =>
  fc.record({
    suffix: fc.constant(suffix),
    resources: fc
      .dictionary(fc.constantFrom(...CLASSES), amount, { minKeys: 1, maxKeys: 2 })
      .map((d) => new Map(Object.entries(d))),
    required: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(fc.subarray([...TRAITS], { minLength: 1, maxLength: 2 }), { maxLength: 2 }) },
    ),
    forbidden: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.subarray([...TRAITS], { maxLength: 1 }) },
    ),
    memberOf: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(fc.subarray([...AGGREGATES], { minLength: 1 }), { maxLength: 2 }) },
    ),
    notMemberOf: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.subarray([...AGGREGATES], { maxLength: 1 }) },
    ),
    inTree: fc.constantFrom(undefined, undefined, undefined, undefined, 'p0', 'p2', 'nobody'),
  });

export const query: fc.Arbitrary<CandidateQuery> = fc
  .tuple(
    fc.subarray(['', '1', '_X', '_Y'], { minLength: 1, maxLength: 3 }),
    fc.constantFrom('none' as const, 'isolate' as const),
  )
  .chain(([suffixes, groupPolicy]) =>
    fc.record({
      groups: fc.tuple(...suffixes.map(group)).map((g) => g as RequestGroup[]),
      groupPolicy: fc.constant(groupPolicy),
      sameSubtree: fc.oneof(
        fc.constant([]),
        fc
          .subarray(
            suffixes.filter((s) => s !== ''),
            { minLength: 0 },
          )
          .map((s) => (s.length ? [s] : [])),
      ),
      rootRequired: fc.oneof(
        { weight: 4, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.subarray([...TRAITS], { maxLength: 1 }) },
      ),
      rootForbidden: fc.oneof(
        { weight: 4, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.subarray([...TRAITS], { maxLength: 1 }) },
      ),
      nestedAware: fc.constantFrom(true, true, true, false),
    }),
  );
