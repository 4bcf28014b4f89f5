import fc from 'fast-check';
import { Bits } from '../src/domain/bits';
import { RoomIndex } from '../src/domain/room-index';

/** Far enough apart for many words, near enough to meet. */
const member = fc.oneof(fc.nat({ max: 40 }), fc.integer({ min: 300, max: 340 }), fc.nat({ max: 2000 }));
const members = fc.array(member, { maxLength: 12 });
const operation = fc.record({
  name: fc.constantFrom('and', 'andNot', 'or', 'set', 'clear', 'filter', 'keepAtLeast', 'clearAll'),
  other: members,
});

const bitsOf = (list: readonly number[]): Bits => {
  const bits = new Bits();
  for (const i of list) bits.set(i);
  return bits;
};
const sorted = (list: Iterable<number>): number[] => [...list].sort((a, b) => a - b);

function apply(bits: Bits, model: Set<number>, name: string, other: readonly number[]): Set<number> {
  const has = new Set(other);
  const keep = (test: (i: number) => boolean): Set<number> => new Set([...model].filter(test));
  if (name === 'and') return (bits.and(bitsOf(other)), keep((i) => has.has(i)));
  if (name === 'andNot') return (bits.andNot(bitsOf(other)), keep((i) => !has.has(i)));
  if (name === 'or') return (bits.or(bitsOf(other)), new Set([...model, ...other]));
  if (name === 'clearAll') return (bits.clearAll(), new Set());
  if (name === 'filter') return (bits.filter((i) => i % 2 === 0), keep((i) => i % 2 === 0));
  if (name === 'keepAtLeast') {
    const values = Int32Array.from({ length: 320 }, (_, i) => i % 5);
    return (bits.keepAtLeast(values, 2), keep((i) => i < 320 && i % 5 >= 2));
  }
  for (const i of other) bits[name === 'set' ? 'set' : 'clear'](i);
  return name === 'set' ? new Set([...model, ...other]) : keep((i) => !has.has(i));
}

describe('a set of slots', () => {
  it('is the set that it stands for, whatever is done to it', () => {
    fc.assert(
      fc.property(members, fc.array(operation, { maxLength: 8 }), member, (first, operations, start) => {
        let bits = bitsOf(first);
        let model = new Set(first);
        for (const { name, other } of operations) {
          const copy = bits.clone();
          model = apply(copy, model, name, other);
          bits = copy;
          expect(sorted(bits.from(0))).toEqual(sorted(model));
          expect([bits.count(), bits.isEmpty()]).toEqual([model.size, model.size === 0]);
          for (const i of other) expect(bits.has(i)).toBe(model.has(i));
        }
        const order = [...bits.from(start)];
        expect(sorted(order)).toEqual(sorted(model));
        expect(new Set(order).size).toBe(order.length);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the room of trees', () => {
  it('is kept as it was set, for few trees and for many', () => {
    const change = fc.tuple(fc.nat({ max: 3000 }), fc.oneof(fc.constant(0), fc.integer({ min: -5, max: 50 })));
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1500 }),
        fc.array(change, { maxLength: 60 }),
        fc.integer({ min: 1, max: 40 }),
        (many, changes, amount) => {
          const index = new RoomIndex();
          const model = new Map<number, number>();
          const all: [number, number][] = Array.from({ length: many }, (_, i) => [i, (i * 7) % 45]);
          for (const [slot, room] of [...all, ...changes]) {
            index.set(slot, room);
            model.set(slot, room);
          }
          const slots = bitsOf([...model.keys(), 5000]);
          index.keep(slots, amount);
          expect([...slots.from(0)]).toEqual(sorted([...model].filter(([, r]) => r >= amount).map(([s]) => s)));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('has no more than an integer of the database holds', () => {
    const index = new RoomIndex();
    index.set(3, 2 ** 40);
    const atMost = bitsOf([3]);
    index.keep(atMost, 2147483647);
    const beyond = bitsOf([3]);
    index.keep(beyond, 2147483648);
    expect([[...atMost.from(0)], beyond.isEmpty()]).toEqual([[3], true]);
  });
});
