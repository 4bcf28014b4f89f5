/**
 * Which trees have what: one bit a tree for every trait and aggregate, one number a tree for the room of every resource
 * class. Room changes with every claim and all else hardly ever, so a tree's room is brought up to date by itself.
 */
import { roomOf } from './capacity';
import { Bits } from './bits';
import type { Tree } from './provider';
import { RoomIndex } from './room-index';

export class TreeIndex {
  readonly all = new Bits();
  /** Trees of a single provider. */
  readonly flat = new Bits();
  private readonly sets = new Map<string, Bits>();
  private readonly rooms = new Map<string, RoomIndex>();

  add(slot: number, tree: Tree): void {
    this.all.set(slot);
    if (tree.providers.length === 1) this.flat.set(slot);
    for (const key of keysOf(tree)) {
      let bits = this.sets.get(key);
      if (!bits) this.sets.set(key, (bits = new Bits()));
      bits.set(slot);
    }
    this.changeRoom(slot, tree);
  }

  /** The tree in the slot has the same providers, inventories, traits and aggregates as before, and may have other usage. */
  changeRoom(slot: number, tree: Tree): void {
    for (const [resourceClass, room] of roomsOf(tree)) {
      let index = this.rooms.get(resourceClass);
      if (!index) this.rooms.set(resourceClass, (index = new RoomIndex()));
      index.set(slot, room);
    }
  }

  /** The tree that was added to the slot, or one with other usage alone. */
  remove(slot: number, tree: Tree): void {
    this.all.clear(slot);
    this.flat.clear(slot);
    for (const key of keysOf(tree)) this.sets.get(key)?.clear(slot);
    for (const resourceClass of roomsOf(tree).keys()) this.rooms.get(resourceClass)?.set(slot, 0);
  }

  /** Takes out of the set the trees in which no provider can have the amount left in one piece. */
  keepRoom(slots: Bits, resourceClass: string, amount: number): void {
    const index = this.rooms.get(resourceClass);
    if (index) index.keep(slots, amount);
    else slots.clearAll();
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
  for (const provider of tree.providers) for (const trait of provider.traits) keys.add(`t:${trait}`);
  return keys;
}

/** Resource class → the most that one provider has left in one piece; also where that is nothing. */
function roomsOf(tree: Tree): Map<string, number> {
  const rooms = new Map<string, number>();
  for (const provider of tree.providers) {
    for (const resourceClass of provider.inventories.keys()) {
      const room = roomOf(provider, resourceClass);
      rooms.set(resourceClass, Math.max(rooms.get(resourceClass) ?? 0, room));
    }
  }
  return rooms;
}
