/**
 * Which trees have what, as one bit a tree.
 *
 * Free room is kept in powers of two: the set for (class, k) holds the trees in which some provider can give 2^k units
 * or more in one piece. A request for n looks at k = ⌊log2 n⌋, so the index never misses a tree that fits and lets
 * through few that do not; the exact check follows per tree. Room changes with every claim and all else hardly ever, so
 * a tree's room is brought up to date by itself, power by power.
 */
import { capacityOf } from './capacity';
import { Bits } from './bits';
import type { Tree } from './provider';

const power = (n: number): number => 31 - Math.clz32(Math.min(n, 2147483647));
const NO_ROOM: ReadonlyMap<string, number> = new Map();

export class TreeIndex {
  readonly all = new Bits();
  private readonly sets = new Map<string, Bits>();
  private readonly setsOfSlot = new Map<number, Bits[]>();
  /** Resource class → the set of each power. */
  private readonly roomSets = new Map<string, Bits[]>();
  /** Slot → resource class → highest power that some provider can give. */
  private readonly roomOfSlot = new Map<number, ReadonlyMap<string, number>>();

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
    this.setRoom(slot, roomOf(tree));
  }

  /** The tree in the slot has the same providers, traits and aggregates as before, and may have other room. */
  changeRoom(slot: number, tree: Tree): void {
    this.setRoom(slot, roomOf(tree));
  }

  remove(slot: number): void {
    this.all.clear(slot);
    for (const bits of this.setsOfSlot.get(slot) ?? []) bits.clear(slot);
    this.setsOfSlot.delete(slot);
    this.setRoom(slot, NO_ROOM);
    this.roomOfSlot.delete(slot);
  }

  /** Trees in which one provider may be able to give the amount. */
  withRoom(resourceClass: string, amount: number): Bits | undefined {
    return this.roomSets.get(resourceClass)?.[power(amount)];
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

  private setRoom(slot: number, room: ReadonlyMap<string, number>): void {
    const before = this.roomOfSlot.get(slot) ?? NO_ROOM;
    this.roomOfSlot.set(slot, room);
    for (const resourceClass of before.keys()) {
      if (!room.has(resourceClass)) this.raise(slot, resourceClass, before.get(resourceClass) ?? -1, -1);
    }
    for (const [resourceClass, highest] of room)
      this.raise(slot, resourceClass, before.get(resourceClass) ?? -1, highest);
  }

  /** From one highest power to another, in either direction. */
  private raise(slot: number, resourceClass: string, from: number, to: number): void {
    if (from === to) return;
    let sets = this.roomSets.get(resourceClass);
    if (!sets) this.roomSets.set(resourceClass, (sets = []));
    for (let k = sets.length; k <= to; k++) sets.push(new Bits());
    for (let k = from + 1; k <= to; k++) sets[k]?.set(slot);
    for (let k = to + 1; k <= from; k++) sets[k]?.clear(slot);
  }
}

function keysOf(tree: Tree): Set<string> {
  const keys = new Set<string>();
  for (const trait of tree.root.traits) keys.add(`r:${trait}`);
  for (const aggregate of tree.aggregates) keys.add(`a:${aggregate}`);
  for (const provider of tree.providers) for (const trait of provider.traits) keys.add(`t:${trait}`);
  return keys;
}

/** Resource class → highest power of two that one provider can give. */
function roomOf(tree: Tree): Map<string, number> {
  const room = new Map<string, number>();
  for (const provider of tree.providers) {
    for (const [resourceClass, inventory] of provider.inventories) {
      const free = Math.min(capacityOf(inventory) - (provider.used.get(resourceClass) ?? 0), inventory.maxUnit);
      if (free > 0) room.set(resourceClass, Math.max(room.get(resourceClass) ?? 0, power(free)));
    }
  }
  return room;
}
