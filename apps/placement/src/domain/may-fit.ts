/** Narrows the estate to trees that may satisfy a query, by the index alone. It never drops one that does. */
import { Bits } from './bits';
import { canGive } from './capacity';
import type { CandidateQuery, RequestGroup } from './candidate-query';
import type { Estate } from './estate';

/** Slots of the trees left; undefined when the query can match nothing. */
export function mayFit(estate: Estate, query: CandidateQuery): Bits | undefined {
  const { index } = estate;
  const slots = index.all.clone();
  for (const trait of query.rootRequired) slots.and(index.withRootTrait(trait));
  for (const trait of query.rootForbidden) slots.andNot(index.withRootTrait(trait));
  for (const group of query.groups) {
    if (slots.isEmpty()) return undefined;
    if (group.suffix === '') narrowSpread(estate, group, slots);
    else slots.and(singleBits(estate, group));
  }
  return slots.isEmpty() ? undefined : slots;
}

const anyOf = (names: readonly string[], bitsOf: (name: string) => Bits | undefined): Bits => {
  const bits = new Bits();
  for (const name of names) bits.or(bitsOf(name));
  return bits;
};

/** The tree with the given provider, alone; empty for an unknown one. */
function treeBits(estate: Estate, uuid: string): Bits {
  const bits = new Bits();
  const provider = estate.provider(uuid);
  if (provider) bits.set(estate.slotOf(provider.tree));
  return bits;
}

function singleBits(estate: Estate, group: RequestGroup): Bits {
  const { index } = estate;
  const bits = index.all.clone();
  for (const [rc, amount] of group.resources) bits.and(index.withRoom(rc, amount));
  for (const set of group.required) bits.and(anyOf(set, (t) => index.withTrait(t)));
  for (const set of group.memberOf) bits.and(anyOf(set, (a) => index.withMember(a)));
  if (group.inTree !== undefined) bits.and(treeBits(estate, group.inTree));
  for (const provider of estate.sharingProviders()) {
    if ([...group.resources].every(([rc, n]) => canGive(provider, rc, n))) bits.or(estate.servedBy(provider));
  }
  return bits;
}

function narrowSpread(estate: Estate, group: RequestGroup, slots: Bits): void {
  const { index } = estate;
  if (group.inTree !== undefined) slots.and(treeBits(estate, group.inTree));
  const sharing = group.inTree === undefined ? [...estate.sharingProviders()] : [];
  for (const [rc, amount] of group.resources) {
    const bits = new Bits().or(index.withRoom(rc, amount));
    for (const provider of sharing) if (canGive(provider, rc, amount)) bits.or(estate.servedBy(provider));
    slots.and(bits);
  }
  for (const set of group.required) {
    const bits = anyOf(set, (t) => index.withTrait(t));
    for (const provider of sharing) if (set.some((t) => provider.traits.has(t))) bits.or(estate.servedBy(provider));
    slots.and(bits);
  }
  if (sharing.length === 0) for (const set of group.memberOf) slots.and(anyOf(set, (a) => index.withMember(a)));
}
