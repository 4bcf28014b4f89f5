import { Estate } from '../src/domain/estate';
import { buildTree } from '../src/domain/provider';
import { type Sketch, estateOf, recordsOf } from './estates';

const host = (name: string, more: Partial<Sketch> = {}): Sketch => ({
  name,
  inv: { VCPU: 8, DISK_GB: { total: 100, reserved: 10 } },
  traits: ['COMPUTE_NODE', 'HW_CPU_X86_AVX'],
  aggs: ['zone'],
  ...more,
});

describe('what hosts have in common', () => {
  it('is kept once, and what differs is kept as it is', () => {
    const estate = estateOf([
      host('a'),
      host('b'),
      host('c', {
        inv: { VCPU: 8, DISK_GB: 100 },
        traits: ['COMPUTE_NODE'],
        aggs: ['zone', 'other'],
        used: { VCPU: 1 },
      }),
    ]);
    const [a, b, c] = ['a', 'b', 'c'].map((uuid) => estate.provider(uuid)!);
    for (const part of ['traits', 'aggregates', 'inventories', 'used'] as const) {
      expect(b![part]).toBe(a![part]);
      expect(c![part]).not.toEqual(a![part]);
    }
    expect(c!.inventories.get('DISK_GB')).toMatchObject({ total: 100, reserved: 0 });
    expect([...c!.aggregates]).toEqual(['zone', 'other']);
    expect(b!.tree.aggregates).toBe(a!.tree.aggregates);
  });

  it('stays apart for hosts that change', () => {
    const estate = estateOf([host('a'), host('b')]);
    const [a] = recordsOf([host('a', { traits: ['COMPUTE_NODE'] })]);
    estate.put(buildTree([{ ...a!, revision: 2 }], 2));
    estate.applyUsage(2, [{ providerId: 2, revision: 2, generation: 1, at: 0, deltas: new Map([['VCPU', 3]]) }]);
    expect([...estate.provider('a')!.traits]).toEqual(['COMPUTE_NODE']);
    expect([...estate.provider('b')!.traits]).toEqual(['COMPUTE_NODE', 'HW_CPU_X86_AVX']);
    expect([...estate.provider('a')!.used]).toEqual([]);
    expect([...estate.provider('b')!.used]).toEqual([['VCPU', 3]]);
  });

  it('is forgotten when there is too much of it, and nothing is lost by that', () => {
    const estate = new Estate();
    const sketches = Array.from({ length: 21_000 }, (_, i) => host(`h${i}`, { traits: [`CUSTOM_${i}`] }));
    for (const record of recordsOf(sketches)) estate.put(buildTree([record], 1));
    for (const i of [0, 19_999, 20_999]) expect([...estate.provider(`h${i}`)!.traits]).toEqual([`CUSTOM_${i}`]);
  });
});
