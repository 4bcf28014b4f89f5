import { findCandidates } from '../src/domain/search';
import { Trace } from '../src/domain/trace';
import { toSearchStages } from '../src/rpc/search-stages';
import { type GroupSketch, type Sketch, estateOf, query } from './estates';

const host = (name: string, more: Partial<Sketch> = {}): Sketch => ({ name, inv: { VCPU: 8, DISK_GB: 100 }, ...more });

function told(sketches: Sketch[], groups: GroupSketch[], more: Parameters<typeof query>[1] = {}): string[] {
  const trace = new Trace();
  findCandidates(estateOf(sketches), query(groups, more), { trace });
  return trace.stages
    .flatMap(toSearchStages)
    .map(
      (s) => `${s.group}/${s.check} ${s.detail} ${s.in}>${s.out}${s.bestFree === undefined ? '' : ` ${s.bestFree}`}`,
    );
}

describe('the stages in short', () => {
  it('leave out that providers have inventory at all, and ask only those that have the class', () => {
    const pool = { name: 'pool', inv: { DISK_GB: 50 }, aggs: ['g'], traits: ['MISC_SHARES_VIA_AGGREGATE'] };
    const hosts = ['a', 'b'].map((name) => ({ name, inv: { VCPU: 8 }, aggs: ['g'] }));
    expect(told([...hosts, pool], [{ resources: { VCPU: 1, DISK_GB: 60 } }])).toEqual([
      '/resource VCPU:1 2>2 8',
      '/resource DISK_GB:60 1>0 50',
    ]);
  });

  it('name a class that nobody has as one that nobody could be asked for', () => {
    const hosts = [host('a'), host('b')];
    expect(told(hosts, [{ resources: { VCPU: 1, CUSTOM_GPU: 1 } }])).toEqual([
      '/resource VCPU:1 2>2 8',
      '/resource CUSTOM_GPU:1 0>0',
    ]);
    expect(told(hosts, [{ resources: { CUSTOM_GPU: 1 } }])).toEqual(['/resource CUSTOM_GPU:1 0>0']);
    expect(told(hosts, [{ suffix: '_g', resources: { VCPU: 1, CUSTOM_GPU: 1 } }])).toEqual([
      '_g/resource CUSTOM_GPU:1 0>0',
    ]);
    // each somewhere, but nowhere together
    const apart: Sketch[] = [
      { name: 'a', inv: { VCPU: 1 } },
      { name: 'b', inv: { DISK_GB: 1 } },
    ];
    expect(told(apart, [{ suffix: '_g', resources: { VCPU: 1, DISK_GB: 1 } }])).toEqual([
      '_g/resource VCPU:1 0>0',
      '_g/resource DISK_GB:1 0>0',
    ]);
  });

  it('count roots where roots are asked, or groups together', () => {
    const wide = (name: string, more: Partial<Sketch> = {}): Sketch[] => [
      { name, traits: ['COMPUTE_NODE'], ...more },
      { name: `${name}0`, parent: name, inv: { CUSTOM_NIC: 1 } },
      { name: `${name}1`, parent: name, inv: { CUSTOM_NIC: 1 } },
    ];
    const estate = [...wide('a'), ...wide('b'), ...wide('c', { traits: [] })];
    const groups = ['_1', '_2', '_3'].map((suffix) => ({ suffix, resources: { CUSTOM_NIC: 1 } }));
    expect(told(estate, groups, { groupPolicy: 'none', rootRequired: ['COMPUTE_NODE'] })).toEqual([
      '/root_required COMPUTE_NODE 3>2',
      '_1/resource CUSTOM_NIC:1 4>4 1',
      '_2/resource CUSTOM_NIC:1 4>4 1',
      '_3/resource CUSTOM_NIC:1 4>4 1',
      '/capacity together 2>0',
    ]);
  });

  it('say where traits cannot be had together, and nothing where they can', () => {
    const estate: Sketch[] = [
      { name: 'cn', inv: { DISK_GB: 10 } },
      { name: 'numa', parent: 'cn', inv: { VCPU: 4 }, traits: ['CUSTOM_T'] },
      { name: 'gpu', parent: 'cn', inv: { DISK_GB: 10 }, traits: ['CUSTOM_U'] },
    ];
    expect(told(estate, [{ resources: { VCPU: 1 }, required: ['CUSTOM_T'] }])).toEqual([
      '/required CUSTOM_T 1>1',
      '/resource VCPU:1 1>1 4',
    ]);
    expect(told(estate, [{ resources: { VCPU: 5, DISK_GB: 20 }, required: ['CUSTOM_T', 'CUSTOM_U'] }])).toEqual([
      '/required CUSTOM_T 1>1',
      '/required CUSTOM_U 1>1',
      '/resource VCPU:5 1>0 4',
    ]);
    const little = [...estate.slice(0, 2), { ...estate[2]!, inv: { DISK_GB: 5 } }];
    expect(told(little, [{ resources: { VCPU: 1, DISK_GB: 10 }, required: ['CUSTOM_U'] }])).toEqual([
      '/required CUSTOM_U 1>1',
      '/resource VCPU:1 1>1 4',
      '/resource DISK_GB:10 2>1 10',
      '/required together 1>0',
    ]);
  });
});
