/**
 * Narrows the estate to trees that may satisfy a query, by the index alone. It never drops one that does.
 *
 * What is asked of one provider is asked of the tree's own (by the index) and of whatever shares with it (which are few,
 * and are asked one by one): a tree stays for its own sake, or because it is served by one that meets the demand.
 */
import { Bits } from './bits';
import { canGive } from './capacity';
import type { CandidateQuery, RequestGroup } from './candidate-query';
import type { Estate } from './estate';
import type { Provider } from './provider';

export interface MayFit {
  readonly slots: Bits;
  /** Trees that may give some part themselves; candidates of the others are made of shared providers alone. */
  readonly own: Bits;
}

/** Undefined when the query can match nothing. */
export function mayFit(estate: Estate, query: CandidateQuery): MayFit | undefined {
  const { index } = estate;
  const slots = index.all.clone();
  for (const trait of query.rootRequired) slots.and(index.withRootTrait(trait));
  for (const trait of query.rootForbidden) slots.andNot(index.withRootTrait(trait));
  const own = new Bits();
  for (const group of query.groups) {
    if (slots.isEmpty()) return undefined;
    own.or(group.suffix === '' ? narrowSpread(estate, group, slots) : narrowSingle(estate, group, slots));
  }
  if (query.groups.length > 1) narrowTogether(estate, query, slots);
  return slots.isEmpty() ? undefined : { slots, own };
}

const anyOf = (names: readonly string[], bitsOf: (name: string) => Bits | undefined): Bits => {
  const bits = new Bits();
  for (const name of names) bits.or(bitsOf(name));
  return bits;
};
const hasAny = (set: ReadonlySet<string>, names: readonly string[]): boolean => names.some((n) => set.has(n));

/** The tree with the given provider, alone; empty for an unknown one. */
function treeBits(estate: Estate, uuid: string): Bits {
  const bits = new Bits();
  const provider = estate.provider(uuid);
  if (provider) bits.set(estate.slotOf(provider.tree));
  return bits;
}

/** A suffixed group: one provider has it all. Returns the trees that may meet it themselves. */
function narrowSingle(estate: Estate, group: RequestGroup, slots: Bits): Bits {
  const { index } = estate;
  const own = membersOnly(estate, group, slots.clone());
  for (const set of group.required) own.and(anyOf(set, (t) => index.withTrait(t)));
  if (group.inTree !== undefined) own.and(treeBits(estate, group.inTree));
  for (const [rc, amount] of group.resources) index.keepRoom(own, rc, amount);
  const tree = group.inTree === undefined ? undefined : estate.provider(group.inTree)?.tree;
  const sharers = sharersFor(estate, group).filter(
    (p) =>
      (group.inTree === undefined || p.tree === tree) &&
      group.required.every((set) => hasAny(p.traits, set)) &&
      [...group.resources].every(([rc, n]) => canGive(p, rc, n)),
  );
  slots.and(served(estate, sharers).or(own));
  return own;
}

/** The unsuffixed group: each class may come from another provider. Returns the trees that may give one of them. */
function narrowSpread(estate: Estate, group: RequestGroup, slots: Bits): Bits {
  const { index } = estate;
  if (group.inTree !== undefined) slots.and(treeBits(estate, group.inTree));
  // an excluded aggregate of the root excludes its tree, and what is shared with it as well
  for (const aggregate of group.notMemberOf) slots.andNot(index.flat.clone().and(index.withMember(aggregate)));
  const mayGive = membersOnly(estate, group, slots.clone());
  const sharers = group.inTree === undefined ? sharersFor(estate, group) : [];
  for (const set of group.required) {
    const able = sharers.filter((p) => hasAny(p.traits, set) && [...group.resources].some((d) => canGive(p, ...d)));
    slots.and(served(estate, able).or(anyOf(set, (t) => index.withTrait(t)).and(mayGive)));
  }
  const own = new Bits();
  for (const [rc, amount] of group.resources) {
    const giving = mayGive.clone().and(slots);
    index.keepRoom(giving, rc, amount);
    own.or(giving);
    const able = sharers.filter((p) => canGive(p, rc, amount));
    slots.and(served(estate, able).or(giving));
  }
  return own;
}

/** Where a tree is a single provider that nothing is shared with, it has to meet all groups at once. */
function narrowTogether(estate: Estate, query: CandidateQuery, slots: Bits): void {
  const single = slots
    .clone()
    .and(estate.index.flat)
    .andNot(served(estate, [...estate.sharingProviders()]));
  const fitting = single.clone();
  const suffixed = query.groups.filter((g) => g.suffix !== '');
  if (query.groupPolicy === 'isolate' && suffixed.length > 1) fitting.clearAll();
  const sums = new Map<string, number>();
  for (const { resources } of query.groups)
    for (const [rc, amount] of resources) sums.set(rc, (sums.get(rc) ?? 0) + amount);
  for (const [rc, sum] of sums) estate.index.keepRoom(fitting, rc, sum);
  slots.andNot(single.andNot(fitting));
}

/** Takes out the trees whose own providers are all outside the aggregates asked for, or have what is not wanted. */
function membersOnly({ index }: Estate, group: RequestGroup, trees: Bits): Bits {
  for (const set of group.memberOf) trees.and(anyOf(set, (a) => index.withMember(a)));
  for (const aggregate of group.notMemberOf) trees.andNot(index.flat.clone().and(index.withMember(aggregate)));
  for (const trait of group.forbidden) trees.andNot(index.flat.clone().and(index.withRootTrait(trait)));
  return trees;
}

/** Sharing providers that pass the group's checks of aggregates and forbidden traits. */
function sharersFor(estate: Estate, { memberOf, notMemberOf, forbidden }: RequestGroup): Provider[] {
  return [...estate.sharingProviders()].filter(
    ({ aggregates, traits }) =>
      memberOf.every((set) => hasAny(aggregates, set)) &&
      !hasAny(aggregates, notMemberOf) &&
      !hasAny(traits, forbidden),
  );
}

function served(estate: Estate, sharers: readonly Provider[]): Bits {
  const bits = new Bits();
  for (const provider of sharers) estate.addServed(provider, bits);
  return bits;
}
