/**
 * Allocation candidates: a pure function over the estate.
 *
 * 1. The index narrows the estate to trees that may fit, a word at a time.
 * 2. Each anchor left is looked at once: what could meet each part of the query (`choicesFor`).
 * 3. Anchors take turns in giving one candidate each (breadth first), so a limited answer spreads over hosts.
 *
 * A limited query starts at a place of its own in the estate, so that schedulers asking at once get different hosts.
 * With a trace, the index is left out and every anchor is counted check by check; the code that decides is the same, but
 * for anchors of a single provider (`flat-anchor.ts`).
 */
import { Bits } from './bits';
import type { CandidateQuery, RequestGroup } from './candidate-query';
import { type Budget, Combinations, PER_CHOICE_KEPT, type Pick } from './combinations';
import type { Estate } from './estate';
import { FlatCandidate, isFlat, meetsAlone, onlyGroup } from './flat-anchor';
import { choicesFor } from './group-options';
import { type MayFit, mayFit } from './may-fit';
import type { Provider, Tree } from './provider';
import { PickedCandidate } from './picked-candidate';
import type { CheckName, StepAt, Trace } from './trace';

/** One way to satisfy the whole query. */
export interface Candidate {
  /** Root of the non-sharing tree: the compute node. */
  readonly anchor: Provider;
  /** Who gives something; one provider may be named twice. */
  readonly givers: readonly Provider[];
  /** Provider → resource class → units, summed over groups. */
  readonly allocations: ReadonlyMap<Provider, ReadonlyMap<string, number>>;
  /** Suffix → providers that satisfy it. */
  readonly mappings: ReadonlyMap<string, readonly Provider[]>;
}

export interface SearchResult {
  readonly candidates: Candidate[];
  /** All trees that a candidate uses, sharing providers' included, in order of root id. */
  readonly trees: Tree[];
  /** Anchors looked at. */
  readonly visited: number;
  /** The budget ended the search before the estate did. */
  readonly truncated: boolean;
}

export interface SearchOptions {
  /** Where in the estate a limited query begins: 0 ≤ x < 1. Unlimited queries begin at the start. */
  readonly offset?: number;
  /** Partial decisions that one search may look at. */
  readonly budget?: number;
  readonly trace?: Trace;
}

export const DEFAULT_BUDGET = 5_000_000;

/** What one search is about, and what it may still spend. */
export interface Search {
  readonly estate: Estate;
  readonly query: CandidateQuery;
  readonly budget: Budget;
  readonly trace?: Trace;
}

/** An anchor with a candidate, and all its ways to more. */
interface Decided {
  readonly tree: Tree;
  readonly first: Pick;
  readonly combinations: Combinations;
}

export function findCandidates(estate: Estate, query: CandidateQuery, options: SearchOptions = {}): SearchResult {
  const { trace } = options;
  const budget: Budget = { left: options.budget ?? DEFAULT_BUDGET };
  const search: Search = { estate, query, budget, ...(trace && { trace }) };
  const left = trace ? undefined : mayFit(estate, query);
  const slots = trace ? estate.index.all : left?.slots;
  const start = query.limit === undefined ? 0 : Math.floor((options.offset ?? 0) * estate.slotCount);
  const limit = query.limit ?? Infinity;
  const collected = new Collector();
  const alone = trace ? undefined : onlyGroup(query);
  const waiting: Decided[] = [];
  let visited = 0;

  for (const slot of slots?.from(start) ?? []) {
    if (!trace && (collected.candidates.length >= limit || budget.left <= 0)) break;
    const tree = estate.treeAt(slot);
    if (!tree || (left && !left.slots.has(slot))) continue;
    visited++;
    if (alone && isFlat(tree) && estate.sharedWith(tree).length === 0) {
      if (!meetsFlat(search, tree, alone)) continue;
      budget.left -= PER_CHOICE_KEPT;
      collected.candidates.push(new FlatCandidate(tree.root, alone));
      continue;
    }
    const decided = decide(search, tree);
    if (!decided || collected.candidates.length >= limit) continue;
    collected.add(tree, decided.first);
    waiting.push(decided);
    if (left && !left.own.has(slot)) leaveOutServedAlike(estate, left, tree);
  }
  takeTurns(waiting, collected, limit);
  return new Result(collected.candidates, visited, budget.left <= 0);
}

/**
 * The tree gives nothing itself and has candidates all the same: they are made of what is shared with it. Others that give
 * nothing themselves and that nothing else is shared with could only give the same candidates again.
 */
function leaveOutServedAlike(estate: Estate, { slots, own }: MayFit, tree: Tree): void {
  const here = new Set(estate.sharedWith(tree));
  const alike = new Bits();
  for (const provider of here) estate.addServed(provider, alike);
  alike.and(slots).andNot(own);
  for (const provider of estate.sharingProviders()) if (!here.has(provider)) estate.removeServed(provider, alike);
  slots.andNot(alike);
}

/** Each gives one candidate in turn until none has more. */
function takeTurns(waiting: Decided[], collected: Collector, limit: number): void {
  while (waiting.length > 0 && collected.candidates.length < limit) {
    const again: Decided[] = [];
    for (const turn of waiting) {
      if (collected.candidates.length >= limit) break;
      const pick = turn.combinations.next();
      if (!pick) continue;
      collected.add(turn.tree, pick);
      again.push(turn);
    }
    waiting = again;
  }
}

/** Whether the anchor has a candidate: all that a search decides of one tree. */
export function fits(search: Search, tree: Tree): boolean {
  const alone = onlyGroup(search.query);
  return alone && isFlat(tree) && search.estate.sharedWith(tree).length === 0
    ? meetsFlat(search, tree, alone)
    : decide(search, tree) !== undefined;
}

function meetsFlat({ estate, query, budget }: Search, { root }: Tree, group: RequestGroup): boolean {
  budget.left--;
  return rootSuits(query, root.tree) && meetsAlone(root, group, (uuid) => estate.provider(uuid)?.tree);
}

function decide({ estate, query, budget, trace }: Search, tree: Tree): Decided | undefined {
  budget.left--;
  if (!rootSuits(query, tree, trace)) return undefined;
  const reach = { tree, shared: estate.sharedWith(tree) };
  const choices = choicesFor(query, reach, (uuid) => estate.provider(uuid)?.tree, trace);
  if (!choices) return undefined;
  const combinations = new Combinations(choices, query, budget);
  const first = combinations.next();
  trace?.decided(tree, [...new Set(choices.flatMap((c) => c.options))], first ? undefined : combinations.worstRefusal);
  return first && { tree, first, combinations };
}

class Result implements SearchResult {
  constructor(
    readonly candidates: Candidate[],
    readonly visited: number,
    readonly truncated: boolean,
  ) {}

  /** Worked out when it is asked for, which is for a full answer only. */
  get trees(): Tree[] {
    const trees = new Set<Tree>();
    for (const c of this.candidates) for (const p of c.givers) trees.add(p.tree);
    return [...trees].sort((a, b) => a.root.id - b.root.id);
  }
}

function rootSuits({ rootRequired, rootForbidden }: CandidateQuery, tree: Tree, trace?: Trace): boolean {
  const { traits } = tree.root;
  for (const [i, trait] of rootRequired.entries()) {
    const ok = traits.has(trait);
    trace?.step(rootCheck('root_required', trait, tree, i), tree.providers, ok ? tree.providers : []);
    if (!ok) return false;
  }
  for (const [i, trait] of rootForbidden.entries()) {
    const ok = !traits.has(trait);
    const place = rootRequired.length + i;
    trace?.step(rootCheck('root_forbidden', trait, tree, place), tree.providers, ok ? tree.providers : []);
    if (!ok) return false;
  }
  return true;
}

const rootCheck = (check: CheckName, trait: string, tree: Tree, place: number): StepAt => ({
  tree,
  group: null,
  place,
  check,
  detail: () => trait,
});

class Collector {
  readonly candidates: Candidate[] = [];
  private readonly seen = new Set<string>();

  add(tree: Tree, pick: Pick): void {
    // What comes from sharing providers alone is found from every anchor they serve; it is one candidate.
    if (pick.chosen.every((p) => p.sharing)) {
      const key = pick.chosen
        .map((p, i) => `${pick.choices[i]?.group.suffix}=${pick.choices[i]?.demand.map(([rc]) => rc).join()}@${p.id}`)
        .sort()
        .join(' ');
      if (this.seen.has(key)) return;
      this.seen.add(key);
    }
    this.candidates.push(new PickedCandidate(tree.root, pick));
  }
}
