import { findCandidates } from '../src/domain/search';
import { type Count, Trace } from '../src/domain/trace';
import { type GroupSketch, type Sketch, estateOf, query, show } from './estates';

const host = (name: string, more: Partial<Sketch> = {}): Sketch => ({
  name,
  inv: { VCPU: 8, MEMORY_MB: 4096, DISK_GB: 100 },
  traits: ['COMPUTE_NODE'],
  ...more,
});

/** A host with two NUMA nodes, each with a NIC of its own. */
const numa: Sketch[] = [
  { name: 'cn', inv: { DISK_GB: 100 }, traits: ['COMPUTE_NODE'] },
  { name: 'numa0', parent: 'cn', inv: { VCPU: 4, MEMORY_MB: 2048 }, traits: ['HW_NUMA_ROOT'] },
  { name: 'numa1', parent: 'cn', inv: { VCPU: 4, MEMORY_MB: 2048 }, traits: ['HW_NUMA_ROOT'] },
  { name: 'nic0', parent: 'numa0', inv: { SRIOV_NET_VF: 2 } },
  { name: 'nic1', parent: 'numa1', inv: { SRIOV_NET_VF: 2 } },
];

const stage = (group: string | null, check: string, detail: string, into: Count, out: Count): object => ({
  group,
  check,
  detail,
  in: into,
  out,
  reasons: new Map(),
});

describe('candidate search', () => {
  it('finds every host with room, and none without', () => {
    const estate = estateOf([host('a'), host('b', { used: { VCPU: 7 } }), host('c', { inv: { VCPU: 8 } })]);
    expect(show(findCandidates(estate, query([{ resources: { VCPU: 2, MEMORY_MB: 512 } }])).candidates)).toEqual([
      'a{MEMORY_MB:512,VCPU:2} | =a',
    ]);
  });

  it('keeps a NIC with its NUMA node by same_subtree, also when the node gives nothing', () => {
    const groups: GroupSketch[] = [
      { suffix: '_cpu', resources: { VCPU: 2 }, required: ['HW_NUMA_ROOT'] },
      { suffix: '_nic', resources: { SRIOV_NET_VF: 1 } },
    ];
    const together = findCandidates(
      estateOf(numa),
      query(groups, { groupPolicy: 'none', sameSubtree: [['_cpu', '_nic']] }),
    ).candidates;
    expect(show(together)).toEqual([
      'nic0{SRIOV_NET_VF:1} numa0{VCPU:2} | _cpu=numa0 _nic=nic0',
      'nic1{SRIOV_NET_VF:1} numa1{VCPU:2} | _cpu=numa1 _nic=nic1',
    ]);
    const bare: GroupSketch[] = [
      { suffix: '_node', required: ['HW_NUMA_ROOT'] },
      { suffix: '_a', resources: { SRIOV_NET_VF: 1 } },
      { suffix: '_b', resources: { SRIOV_NET_VF: 1 } },
    ];
    const paired = findCandidates(
      estateOf(numa),
      query(bare, { groupPolicy: 'none', sameSubtree: [['_node', '_a', '_b']] }),
    ).candidates;
    expect(paired).toHaveLength(2);
  });

  it('shares a pool with every host of its aggregate, and counts what two groups take of one provider', () => {
    const estate = estateOf([
      { name: 'a', inv: { VCPU: 8 }, aggs: ['g'] },
      { name: 'b', inv: { VCPU: 8 } },
      { name: 'pool', inv: { DISK_GB: 50 }, aggs: ['g'], traits: ['MISC_SHARES_VIA_AGGREGATE'] },
    ]);
    expect(show(findCandidates(estate, query([{ resources: { VCPU: 1, DISK_GB: 10 } }])).candidates)).toEqual([
      'a{VCPU:1} pool{DISK_GB:10} | =a,pool',
    ]);
    const twice = query(
      [
        { suffix: '1', resources: { DISK_GB: 30 } },
        { suffix: '2', resources: { DISK_GB: 30 } },
      ],
      { groupPolicy: 'none' },
    );
    expect(findCandidates(estate, twice).candidates).toEqual([]);
  });

  it('never offers more than is left with usage, however groups add up', () => {
    // two groups of two on a provider with six of eight used: upstream's wide-tree shortcut offers them
    const estate = estateOf([{ name: 'cn', inv: { VCPU: 8 }, used: { VCPU: 6 } }]);
    const groups = ['1', '2'].map((suffix) => ({ suffix, resources: { VCPU: 2 } }));
    expect(findCandidates(estate, query(groups, { groupPolicy: 'none' })).candidates).toEqual([]);
    expect(findCandidates(estate, query(groups.slice(0, 1))).candidates).toHaveLength(1);
  });

  it('visits about as many hosts as it returns, and starts each query elsewhere', () => {
    const estate = estateOf(
      Array.from({ length: 500 }, (_, i) => host(`h${i}`, { traits: i % 100 === 0 ? ['CUSTOM_RARE'] : [] })),
    );
    const some = (offset: number): ReturnType<typeof findCandidates> =>
      findCandidates(estate, query([{ resources: { VCPU: 1 } }], { limit: 10 }), { offset });
    expect(some(0).visited).toBe(10);
    expect(show(some(0).candidates)).toEqual(show(some(0).candidates));
    expect(show(some(0).candidates)).not.toEqual(show(some(0.5).candidates));
    const rare = findCandidates(estate, query([{ resources: { VCPU: 1 }, required: ['CUSTOM_RARE'] }]));
    expect([rare.candidates.length, rare.visited]).toEqual([5, 5]);
  });

  it('gives every host one candidate before any gets a second', () => {
    const wide = (n: number): Sketch[] => [
      { name: `r${n}` },
      ...['x', 'y', 'z'].map((c) => ({ name: `r${n}${c}`, parent: `r${n}`, inv: { CUSTOM_PCI: 1 } })),
    ];
    const found = findCandidates(
      estateOf([0, 1, 2].flatMap(wide)),
      query([{ suffix: '1', resources: { CUSTOM_PCI: 1 } }], { limit: 3 }),
    );
    expect(found.candidates.map((c) => c.anchor.uuid)).toEqual(['r0', 'r1', 'r2']);
  });

  it('stops at its budget and says so', () => {
    const children = Array.from({ length: 9 }, (_, i) => ({ name: `c${i}`, parent: 'r', inv: { CUSTOM_PCI: 1 } }));
    const groups = Array.from({ length: 9 }, (_, i) => ({ suffix: `${i + 1}`, resources: { CUSTOM_PCI: 1 } }));
    const found = findCandidates(estateOf([{ name: 'r' }, ...children]), query(groups, { groupPolicy: 'isolate' }), {
      budget: 5_000,
    });
    expect(found.truncated).toBe(true);
    expect(found.candidates.length).toBeGreaterThan(0);
  });

  it('gives no more candidates than can be kept and written out', () => {
    const functions = Array.from({ length: 40 }, (_, i) => ({
      name: `pf${i}`,
      parent: 'cn',
      inv: { SRIOV_NET_VF: 8 },
    }));
    const estate = estateOf([{ name: 'cn', inv: { VCPU: 8 } }, ...functions]);
    const groups = Array.from({ length: 8 }, (_, i) => ({ suffix: `_${i}`, resources: { SRIOV_NET_VF: 1 } }));
    const found = findCandidates(estate, query(groups, { groupPolicy: 'none' }));
    expect(found.truncated).toBe(true);
    expect(found.candidates.length).toBeGreaterThan(20_000);
    expect(found.candidates.length).toBeLessThan(100_000);
  });

  it('tells what each check let through and what failed first where', () => {
    const trace = new Trace();
    const estate = estateOf([
      host('a', { traits: ['COMPUTE_STATUS_DISABLED'] }),
      host('b'),
      host('c', { traits: ['COMPUTE_NODE', 'HW_CPU_X86_AVX'], used: { DISK_GB: 40 } }),
    ]);
    findCandidates(
      estate,
      query([{ resources: { DISK_GB: 80 }, required: ['HW_CPU_X86_AVX'] }], {
        rootForbidden: ['COMPUTE_STATUS_DISABLED'],
      }),
      { trace },
    );
    const all = (n: number) => ({ providers: n, trees: n, anchors: n });
    expect(trace.stages).toEqual([
      stage(null, 'root_forbidden', 'COMPUTE_STATUS_DISABLED', all(3), all(2)),
      stage('', 'inventory', 'DISK_GB:80', all(2), all(2)),
      stage('', 'required', 'HW_CPU_X86_AVX', all(2), all(1)),
      {
        ...stage('', 'resource', 'DISK_GB:80', all(1), all(0)),
        reasons: new Map([['used', 1]]),
        resource: { resourceClass: 'DISK_GB', need: 80, offered: 1, bestFree: 60, bestMaxUnit: 2147483647 },
      },
    ]);
    expect(Object.fromEntries([...trace.firstFailure].map(([root, f]) => [root, f.check]))).toEqual({
      a: 'root_forbidden',
      b: 'required',
      c: 'resource',
    });
  });
});
