/**
 * The whole estate in memory: every tree, found by provider, by quality (through the index) and by aggregate.
 * Pure data structure; who keeps it true is the replica's affair.
 */
import { Bits } from './bits';
import { buildTree, type Provider, type ProviderRecord, type Tree } from './provider';
import { SameValues } from './same-values';
import { TreeIndex } from './tree-index';

/** A write to a provider that has changed its usage alone. */
export interface UsageWrite {
  readonly providerId: number;
  /** Revision and generation after the write; the state before had one revision less. */
  readonly revision: number;
  readonly generation: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Resource class → units added, negative for given back. */
  readonly deltas: ReadonlyMap<string, number>;
}

export class Estate {
  readonly index = new TreeIndex();
  private readonly slots: (Tree | undefined)[] = [];
  private readonly freeSlots: number[] = [];
  private readonly slotOfRoot = new Map<number, number>();
  private readonly byUuid = new Map<string, Provider>();
  private readonly byId = new Map<number, Provider>();
  private readonly sharers = new Map<number, Set<Provider>>();
  private readonly sharersOfAggregate = new Map<string, Set<Provider>>();
  private readonly sameValues = new SameValues();
  private nested = 0;

  /** Swaps the tree in, which nobody else has; an older revision of a tree that is already here is ignored. */
  put(tree: Tree): void {
    const known = this.treeOfRoot(tree.root.id);
    if (known && known.revision > tree.revision) return;
    this.sameValues.share(tree);
    // a provider may have moved here from another tree that has not been swapped yet
    for (const provider of tree.providers) {
      const before = this.byId.get(provider.id);
      if (before && before.tree !== known) this.forget(before);
    }
    if (known) this.removeRoot(tree.root.id);
    const slot = this.freeSlots.pop() ?? this.slots.length;
    this.slots[slot] = tree;
    this.slotOfRoot.set(tree.root.id, slot);
    this.index.add(slot, tree);
    for (const provider of tree.providers) this.learn(provider);
    if (tree.providers.length > 1) this.nested++;
  }

  /**
   * Brings the usage of providers of one tree up to date. Does nothing where the tree has these writes already; false,
   * and nothing done, where anything but these writes is missing here.
   */
  applyUsage(rootId: number, writes: readonly UsageWrite[]): boolean {
    const slot = this.slotOfRoot.get(rootId);
    const tree = slot === undefined ? undefined : this.slots[slot];
    const known = writes.map((w) => this.byId.get(w.providerId));
    if (slot === undefined || !tree || known.some((p) => p?.tree !== tree)) return false;
    const behind = (i: number): number => (writes[i]?.revision ?? 0) - (known[i]?.revision ?? 0);
    if (writes.every((_, i) => behind(i) <= 0)) return true;
    if (!writes.every((_, i) => behind(i) === 1)) return false;
    const byId = new Map(writes.map((w) => [w.providerId, w]));
    const records = tree.providers.map((p) => {
      const write = byId.get(p.id);
      return write ? afterWrite(p, write) : p;
    });
    const after = buildTree(records, tree.revision + writes.length);
    for (const provider of tree.providers) this.forget(provider);
    this.slots[slot] = after;
    this.index.changeRoom(slot, after);
    for (const provider of after.providers) this.learn(provider);
    return true;
  }

  /** Takes a tree out by the id of its root; unknown ids are fine. */
  removeRoot(rootId: number): void {
    const slot = this.slotOfRoot.get(rootId);
    const tree = slot === undefined ? undefined : this.slots[slot];
    if (slot === undefined || !tree) return;
    for (const provider of tree.providers) this.forget(provider);
    this.index.remove(slot, tree);
    this.slots[slot] = undefined;
    this.slotOfRoot.delete(rootId);
    this.freeSlots.push(slot);
    if (tree.providers.length > 1) this.nested--;
  }

  clear(): void {
    for (const rootId of [...this.slotOfRoot.keys()]) this.removeRoot(rootId);
    this.sameValues.clear();
  }

  provider(uuid: string): Provider | undefined {
    return this.byUuid.get(uuid);
  }
  providerById(id: number): Provider | undefined {
    return this.byId.get(id);
  }
  treeOfRoot(rootId: number): Tree | undefined {
    const slot = this.slotOfRoot.get(rootId);
    return slot === undefined ? undefined : this.slots[slot];
  }
  treeAt(slot: number): Tree | undefined {
    return this.slots[slot];
  }
  slotOf(tree: Tree): number {
    return this.slotOfRoot.get(tree.root.id) ?? -1;
  }
  /** One more than the highest slot that was ever in use. */
  get slotCount(): number {
    return this.slots.length;
  }
  get treeCount(): number {
    return this.slotOfRoot.size;
  }
  get providerCount(): number {
    return this.byId.size;
  }
  /** Whether any tree has more than its root. */
  get hasNested(): boolean {
    return this.nested > 0;
  }
  providers(): IterableIterator<Provider> {
    return this.byId.values();
  }

  /** Sharing providers, of whatever tree. */
  *sharingProviders(): Generator<Provider> {
    for (const set of this.sharers.values()) yield* set;
  }

  /** Providers of other trees that share with this one, in order of id. */
  sharedWith(tree: Tree): Provider[] {
    if (this.sharersOfAggregate.size === 0) return [];
    const found = new Set<Provider>();
    for (const aggregate of tree.aggregates) {
      for (const provider of this.sharersOfAggregate.get(aggregate) ?? [])
        if (provider.tree !== tree) found.add(provider);
    }
    return [...found].sort((a, b) => a.id - b.id);
  }

  /** Adds the trees that the sharing provider serves, its own included. */
  addServed(provider: Provider, bits: Bits): void {
    for (const aggregate of provider.aggregates) bits.or(this.index.withMember(aggregate));
    bits.set(this.slotOf(provider.tree));
  }

  /** The opposite: only trees that the provider does not serve are left. */
  removeServed(provider: Provider, bits: Bits): void {
    for (const aggregate of provider.aggregates) bits.andNot(this.index.withMember(aggregate));
    bits.clear(this.slotOf(provider.tree));
  }

  private learn(provider: Provider): void {
    this.byUuid.set(provider.uuid, provider);
    this.byId.set(provider.id, provider);
    if (!provider.sharing) return;
    add(this.sharers, provider.tree.root.id, provider);
    for (const aggregate of provider.aggregates) add(this.sharersOfAggregate, aggregate, provider);
  }

  private forget(provider: Provider): void {
    // by identity: the same uuid may already stand for its successor
    if (this.byUuid.get(provider.uuid) === provider) this.byUuid.delete(provider.uuid);
    if (this.byId.get(provider.id) === provider) this.byId.delete(provider.id);
    if (!provider.sharing) return;
    remove(this.sharers, provider.tree.root.id, provider);
    for (const aggregate of provider.aggregates) remove(this.sharersOfAggregate, aggregate, provider);
  }
}

function afterWrite(record: ProviderRecord, { revision, generation, at, deltas }: UsageWrite): ProviderRecord {
  const used = new Map(record.used);
  for (const [rc, delta] of deltas) {
    const now = (used.get(rc) ?? 0) + delta;
    if (now === 0) used.delete(rc);
    else used.set(rc, now);
  }
  return { ...record, revision, generation, updatedAt: at, used };
}

function add<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const set = map.get(key);
  if (set) set.add(value);
  else map.set(key, new Set([value]));
}

function remove<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const set = map.get(key);
  set?.delete(value);
  if (set?.size === 0) map.delete(key);
}
