import { explain } from '../src/domain/explain';
import { sentenceOf } from '../src/domain/relaxations';
import { type GroupSketch, type Sketch, estateOf, query } from './estates';

const host = (name: string, more: Partial<Sketch> = {}): Sketch => ({
  name,
  inv: { VCPU: 8, DISK_GB: { total: 100, reserved: 10 } },
  traits: ['COMPUTE_NODE'],
  ...more,
});
const told = (sketches: Sketch[], groups: GroupSketch[], more: Parameters<typeof query>[1] = {}): string[] =>
  explain(estateOf(sketches), query(groups, more)).wouldFitIf.map((f) => `${f.anchors}: ${sentenceOf(f)}`);

describe('what would give candidates', () => {
  it('is the most of a resource that is left somewhere, in whole steps and above the least', () => {
    const estate = [
      host('a', { inv: { DISK_GB: { total: 100, stepSize: 8 } }, used: { DISK_GB: 31 } }),
      host('b', { inv: { DISK_GB: { total: 64 } } }),
      host('c', { inv: { DISK_GB: { total: 500, minUnit: 80, maxUnit: 80 } }, used: { DISK_GB: 450 } }),
    ];
    expect(told(estate, [{ resources: { DISK_GB: 70 } }])).toEqual(['2: ask for 64 instead of 70 DISK_GB']);
    const stepped = estate.slice(0, 1);
    expect(told(stepped, [{ resources: { DISK_GB: 200 } }])).toEqual(['1: ask for 64 instead of 200 DISK_GB']);
    expect(told(estate.slice(2), [{ resources: { DISK_GB: 79 } }])).toEqual([]);
  });

  it('counts what other groups take of the same provider', () => {
    const groups = [
      { suffix: '_a', resources: { VCPU: 6 } },
      { suffix: '_b', resources: { VCPU: 3 } },
    ];
    expect(told([host('a')], groups, { groupPolicy: 'none' })).toEqual([
      '1: ask for 5 instead of 6 VCPU in group _a',
      '1: ask for 2 instead of 3 VCPU in group _b',
    ]);
  });

  it('is any one term that alone stands in the way, those first that help most', () => {
    const estate = [
      host('a', { traits: ['COMPUTE_NODE', 'CUSTOM_OLD'] }),
      host('b', { traits: ['CUSTOM_OLD'], aggs: ['zone'] }),
      host('c', { traits: ['COMPUTE_NODE', 'CUSTOM_OLD'], aggs: ['zone'] }),
      host('d', { traits: ['COMPUTE_NODE'] }),
    ];
    expect(
      told(estate, [
        { resources: { VCPU: 1 }, required: ['COMPUTE_NODE'], forbidden: ['CUSTOM_OLD'], memberOf: [['zone']] },
      ]),
    ).toEqual(['1: do not insist on membership of zone', '1: do not forbid CUSTOM_OLD']);
    expect(
      told(estate, [{ resources: { VCPU: 1 } }], { rootRequired: ['COMPUTE_NODE', 'CUSTOM_NEW'], rootForbidden: [] }),
    ).toEqual(['3: do not require CUSTOM_NEW of the root']);
    expect(told(estate, [{ resources: { VCPU: 1 }, notMemberOf: ['zone'], inTree: 'c' }])).toEqual([
      '2: do not insist on the tree of c',
      '1: do not exclude members of zone',
    ]);
  });

  it('is a policy between groups', () => {
    const numa: Sketch[] = [
      { name: 'cn' },
      { name: 'n0', parent: 'cn', inv: { VCPU: 4 } },
      { name: 'n1', parent: 'cn', inv: { CUSTOM_NIC: 4 } },
    ];
    const groups = (one: string, other: string): GroupSketch[] => [
      { suffix: '_a', resources: { [one]: 1 } },
      { suffix: '_b', resources: { [other]: 1 } },
    ];
    expect(told(numa, groups('VCPU', 'CUSTOM_NIC'), { groupPolicy: 'none', sameSubtree: [['_a', '_b']] })).toEqual([
      '1: do not keep _a,_b in one subtree',
    ]);
    expect(told(numa, groups('VCPU', 'VCPU'), { groupPolicy: 'isolate' })).toEqual([
      '1: let groups share providers (group_policy none)',
    ]);
  });

  it('keeps to queries that the API takes: a group without resources keeps a term and its subtree', () => {
    const groups: GroupSketch[] = [
      { suffix: '_n', required: ['HW_NUMA_ROOT'] },
      { suffix: '_a', resources: { VCPU: 1 } },
    ];
    const q = { groupPolicy: 'none' as const, sameSubtree: [['_n', '_a']] };
    expect(told([host('a')], groups, q)).toEqual([]);
  });

  it('tells the eight that help most roots, and says that there are more', () => {
    const traits = Array.from({ length: 12 }, (_, i) => `CUSTOM_T${i}`);
    // host i lacks trait i alone; trait 11 is what most lack
    const estate = [...traits, 'CUSTOM_T11'].map((t, i) => host(`h${i}`, { traits: traits.filter((x) => x !== t) }));
    const told = explain(estateOf(estate), query([{ resources: { VCPU: 1 }, required: traits }]));
    expect(told.wouldFitIf).toHaveLength(8);
    expect(told.wouldFitIf[0]).toMatchObject({ relax: 'required', detail: 'CUSTOM_T11', anchors: 2 });
    expect(told.truncated).toBe(true);
  });

  it('spends no more than its budget, and says that it did not look everywhere', () => {
    const estate = Array.from({ length: 300 }, (_, i) => host(`h${i}`));
    const groups = ['_x', '_y'].map((suffix) => ({ suffix, resources: { VCPU: 5 } }));
    const asked = query(groups, { groupPolicy: 'none' });
    expect(explain(estateOf(estate), asked).truncated).toBe(false);
    const told = explain(estateOf(estate), asked, { relaxationBudget: 40 });
    expect([told.truncated, told.failedRoots, told.failures.length]).toEqual([true, 300, 200]);
  });
});

describe('the checks that are told', () => {
  it('say how much was asked of whom, what the best has, and why the others cannot', () => {
    const { stages, failures } = explain(
      estateOf([
        host('used', { used: { DISK_GB: 50 } }),
        host('small', { inv: { DISK_GB: 20 } }),
        host('reserved', { inv: { DISK_GB: { total: 90, reserved: 80 } } }),
        host('max', { inv: { DISK_GB: { total: 500, maxUnit: 50 } } }),
        host('step', { inv: { DISK_GB: { total: 400, stepSize: 50 } } }),
        host('min', { inv: { DISK_GB: { total: 300, minUnit: 100 } } }),
        host('none', { inv: { VCPU: 8 } }),
      ]),
      query([{ suffix: '_d', resources: { DISK_GB: 80 } }]),
    );
    const all = (n: number): object => ({ providers: n, trees: n, anchors: n });
    expect(stages).toEqual([
      {
        group: '_d',
        check: 'inventory',
        detail: 'DISK_GB:80',
        in: all(7),
        out: all(6),
        reasons: new Map([['DISK_GB', 1]]),
      },
      {
        group: '_d',
        check: 'resource',
        detail: 'DISK_GB:80',
        in: all(6),
        out: all(0),
        reasons: new Map([
          ['used', 1],
          ['total', 1],
          ['reserved', 1],
          ['max_unit', 1],
          ['step_size', 1],
          ['min_unit', 1],
        ]),
        resource: { resourceClass: 'DISK_GB', need: 80, offered: 6, bestFree: 500, bestMaxUnit: 50 },
      },
    ]);
    expect(failures.map((f) => [f.root.name, f.check, f.shortage, f.have, f.need])).toEqual([
      ['used', 'resource', 'used', 40, 80],
      ['small', 'resource', 'total', 20, 80],
      ['reserved', 'resource', 'reserved', 10, 80],
      ['max', 'resource', 'max_unit', 50, 80],
      ['step', 'resource', 'step_size', 50, 80],
      ['min', 'resource', 'min_unit', 100, 80],
      ['none', 'inventory', undefined, undefined, undefined],
    ]);
  });

  it('count a shared pool once, and the hosts that it serves each', () => {
    const { stages } = explain(
      estateOf([
        host('a', { inv: { VCPU: 8 }, aggs: ['g'] }),
        host('b', { inv: { VCPU: 8 }, aggs: ['g'] }),
        { name: 'pool', inv: { DISK_GB: 50 }, aggs: ['g'], traits: ['MISC_SHARES_VIA_AGGREGATE'] },
      ]),
      query([{ resources: { VCPU: 1, DISK_GB: 60 } }]),
    );
    expect(stages.map((s) => [s.check, s.in, s.out])).toEqual([
      ['inventory', { providers: 3, trees: 3, anchors: 3 }, { providers: 3, trees: 3, anchors: 3 }],
      ['resource', { providers: 3, trees: 3, anchors: 3 }, { providers: 3, trees: 3, anchors: 2 }],
      ['resource', { providers: 3, trees: 3, anchors: 2 }, { providers: 0, trees: 0, anchors: 0 }],
    ]);
    expect(stages[2]).toMatchObject({
      reasons: new Map([
        ['no_inventory', 2],
        ['total', 1],
      ]),
    });
  });

  it('say which rule between groups refused', () => {
    const { stages, failures } = explain(
      estateOf([host('a'), host('b')]),
      query(
        [
          { suffix: '_a', resources: { VCPU: 1 } },
          { suffix: '_b', resources: { VCPU: 1 } },
        ],
        { groupPolicy: 'isolate' },
      ),
    );
    expect(stages.at(-1)).toMatchObject({
      group: null,
      check: 'combination',
      in: { anchors: 2 },
      out: { anchors: 0 },
      reasons: new Map([['group_policy', 2]]),
    });
    expect(failures.map((f) => [f.root.name, f.check])).toEqual([
      ['a', 'group_policy'],
      ['b', 'group_policy'],
    ]);
  });
});
