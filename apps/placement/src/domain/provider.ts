/**
 * The estate's building blocks: immutable providers, grouped into immutable trees.
 *
 * A tree is the unit of change: whatever is written to one of its providers, the whole tree is read again and swapped
 * in. A search that runs over a tree therefore never sees half of a write, and nothing needs locks.
 */
import { MISC_SHARES_VIA_AGGREGATE } from '@fractus/os-traits';

/** Inventory of one resource class. Amounts are in the class's own unit. */
export interface Inventory {
  readonly total: number;
  readonly reserved: number;
  readonly minUnit: number;
  readonly maxUnit: number;
  readonly stepSize: number;
  readonly allocationRatio: number;
}

/** What an inventory is when only the total is given (upstream's defaults). */
export const INVENTORY_DEFAULTS = {
  reserved: 0,
  minUnit: 1,
  maxUnit: 2147483647,
  stepSize: 1,
  allocationRatio: 1,
} as const;

/** One provider as it is stored: flat, with its parent and root by id. */
export interface ProviderRecord {
  /** Database id; grows with creation. */
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly generation: number;
  /** Grows by one with every write to the provider. */
  readonly revision: number;
  readonly parentId: number | null;
  readonly rootId: number;
  /** Epoch milliseconds of the last write. */
  readonly updatedAt: number;
  readonly inventories: ReadonlyMap<string, Inventory>;
  /** Sum of all allocations by resource class. */
  readonly used: ReadonlyMap<string, number>;
  readonly traits: ReadonlySet<string>;
  readonly aggregates: ReadonlySet<string>;
}

/** One provider as the search sees it. */
export interface Provider extends ProviderRecord {
  readonly tree: Tree;
  readonly parent: Provider | null;
  /** Offers its inventory to every tree with a member in one of its aggregates. */
  readonly sharing: boolean;
}

export interface Tree {
  readonly root: Provider;
  /** All providers, parents before children, each level in order of id. */
  readonly providers: readonly Provider[];
  /** Grows with every write to any provider of the tree, also with those that leave generations alone. */
  readonly revision: number;
  /** Aggregates that any member belongs to. */
  readonly aggregates: ReadonlySet<string>;
  /** Whether any member shares: the tree may then be found from other anchors than its own root. */
  readonly sharing: boolean;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Links the records of one tree. Records whose parent is missing are an inconsistency and throw. */
export function buildTree(records: readonly ProviderRecord[], revision: number): Tree {
  const tree = { revision, providers: [] as Provider[] } as unknown as Mutable<Tree> & { providers: Provider[] };
  const children = new Map<number | null, ProviderRecord[]>();
  for (const record of [...records].sort((a, b) => a.id - b.id)) {
    const siblings = children.get(record.parentId);
    if (siblings) siblings.push(record);
    else children.set(record.parentId, [record]);
  }
  const adopt = (record: ProviderRecord, parent: Provider | null): Provider => {
    const provider: Provider = { ...record, tree, parent, sharing: record.traits.has(MISC_SHARES_VIA_AGGREGATE) };
    tree.providers.push(provider);
    return provider;
  };
  const roots = children.get(null) ?? [];
  const first = roots[0];
  if (!first || roots.length > 1) throw new Error(`a tree has one root, not ${roots.length}`);
  tree.root = adopt(first, null);
  for (let i = 0; i < tree.providers.length; i++) {
    const parent = tree.providers[i] as Provider;
    for (const record of children.get(parent.id) ?? []) adopt(record, parent);
  }
  tree.aggregates = records.length === 1 ? first.aggregates : new Set(records.flatMap((r) => [...r.aggregates]));
  tree.sharing = tree.providers.some((p) => p.sharing);
  if (tree.providers.length !== records.length)
    throw new Error(`tree of ${first.uuid}: ${records.length - tree.providers.length} providers hang on no parent`);
  return tree;
}

/** Whether `ancestor` is `provider` or above it. */
export function isAncestorOrSelf(ancestor: Provider, provider: Provider): boolean {
  for (let p: Provider | null = provider; p; p = p.parent) if (p === ancestor) return true;
  return false;
}
