/**
 * Hosts of one kind have the same traits, aggregates and inventories: kept once, these are a third of what they are kept
 * for each. Values are found again by their content and never change, so sharing them is seen by nobody.
 */
import type { Inventory, Provider, Tree } from './provider';

type Shared = 'inventories' | 'traits' | 'aggregates' | 'used';
type Own = { -readonly [K in Shared]: Provider[K] };

/** Values remembered; beyond that all are forgotten and remembered anew, so that what has gone is not kept for ever. */
const REMEMBERED = 20_000;

export class SameValues {
  private readonly sets = new Map<string, ReadonlySet<string>>();
  private readonly inventories = new Map<string, Provider['inventories']>();

  /** Gives the providers of a tree that nobody else has seen yet the values that others have already. */
  share(tree: Tree): void {
    if (this.sets.size + this.inventories.size > REMEMBERED) this.clear();
    for (const provider of tree.providers) {
      const own: Own = provider;
      own.traits = known(this.sets, setKey(provider.traits), provider.traits);
      own.aggregates = known(this.sets, setKey(provider.aggregates), provider.aggregates);
      own.inventories = known(this.inventories, inventoriesKey(provider.inventories), provider.inventories);
      if (provider.used.size === 0) own.used = UNUSED;
    }
    if (tree.providers.length === 1) (tree as { aggregates: Tree['aggregates'] }).aggregates = tree.root.aggregates;
  }

  clear(): void {
    this.sets.clear();
    this.inventories.clear();
  }
}

const UNUSED: Provider['used'] = new Map();

function known<V>(values: Map<string, V>, key: string, value: V): V {
  const before = values.get(key);
  if (before !== undefined) return before;
  values.set(key, value);
  return value;
}

/** In the order given: the same names in another order are kept twice, which costs less than putting them in order. */
const setKey = (names: ReadonlySet<string>): string => [...names].join(' ');

function inventoriesKey(inventories: ReadonlyMap<string, Inventory>): string {
  let key = '';
  for (const [resourceClass, i] of inventories)
    key += `${resourceClass} ${i.total} ${i.reserved} ${i.minUnit} ${i.maxUnit} ${i.stepSize} ${i.allocationRatio} `;
  return key;
}
