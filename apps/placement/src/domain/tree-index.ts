/**
 * Which trees have what, as one bit a tree.
 *
 * Free room is kept in powers of two: the set for (class, k) holds the trees in which some provider can give 2^k units
 * or more in one piece. A request for n looks at k = ⌊log2 n⌋, so the index never misses a tree that fits and lets
 * through few that do not; the exact check follows per tree.
 */
import { capacityOf } from './capacity';
import { Bits } from './bits';
import type { Tree } from './provider';

const power = (n: number): number => 31 - Math.clz32(Math.min(n, 2147483647));

export class TreeIndex {
  readonly all = new Bits();
  private readonly sets = new Map<string, Bits>();
  private readonly setsOfSlot = new Map<number, Bits[]>();

  add(slot: number, tree: Tree): void {
    this.all.set(slot);
    const sets: Bits[] = [];
    for (const key of keysOf(tree)) {
      let bits = this.sets.get(key);
      if (!bits) this.sets.set(key, (bits = new Bits()));
      bits.set(slot);
      sets.push(bits);
    }
    this.setsOfSlot.set(slot, sets);
  }

  remove(slot: number): void {
    this.all.clear(slot);
    for (const bits of this.setsOfSlot.get(slot) ?? []) bits.clear(slot);
    this.setsOfSlot.delete(slot);
  }

  /** Trees in which one provider may be able to give the amount. */
  withRoom(resourceClass: string, amount: number): Bits | undefined {
    return this.sets.get(`c:${resourceClass}:${power(amount)}`);
  }
  /** Trees with a provider that has the trait. */
  withTrait(trait: string): Bits | undefined {
    return this.sets.get(`t:${trait}`);
  }
  /** Trees whose root has the trait. */
  withRootTrait(trait: string): Bits | undefined {
    return this.sets.get(`r:${trait}`);
  }
  /** Trees with a member in the aggregate. */
  withMember(aggregate: string): Bits | undefined {
    return this.sets.get(`a:${aggregate}`);
  }
}

function keysOf(tree: Tree): Set<string> {
  const keys = new Set<string>();
  for (const trait of tree.root.traits) keys.add(`r:${trait}`);
  for (const aggregate of tree.aggregates) keys.add(`a:${aggregate}`);
  for (const provider of tree.providers) {
    for (const trait of provider.traits) keys.add(`t:${trait}`);
    for (const [resourceClass, inventory] of provider.inventories) {
      const free = Math.min(capacityOf(inventory) - (provider.used.get(resourceClass) ?? 0), inventory.maxUnit);
      if (free > 0) for (let k = power(free); k >= 0; k--) keys.add(`c:${resourceClass}:${k}`);
    }
  }
  return keys;
}
