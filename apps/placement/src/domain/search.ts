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
import type { CandidateQuery } from './candidate-query';
import { type Budget, Combinations, PER_CHOICE_KEPT, type Pick, traceCombinations } from './combinations';
import type { Estate } from './estate';
import { FlatCandidate, isFlat, meetsAlone, onlyGroup } from './flat-anchor';
import { choicesFor } from './group-options';
import { mayFit } from './may-fit';
import type { Provider, Tree } from './provider';
import type { Trace } from './trace';

/** One way to satisfy the whole query. */
export interface Candidate {
  /** Root of the non-sharing tree: the compute node. */
  readonly anchor: Provider;
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

export function findCandidates(estate: Estate, query: CandidateQuery, options: SearchOptions = {}): SearchResult {
  const { trace } = options;
  const budget: Budget = { left: options.budget ?? DEFAULT_BUDGET };
  const slots = trace ? estate.index.all : mayFit(estate, query);
  const start = query.limit === undefined ? 0 : Math.floor((options.offset ?? 0) * estate.slotCount);
  const limit = query.limit ?? Infinity;
  const collected = new Collector();
  const alone = trace ? undefined : onlyGroup(query);
  const treeOf = (uuid: string): Tree | undefined => estate.provider(uuid)?.tree;
  let waiting: { tree: Tree; combinations: Combinations }[] = [];
  let visited = 0;

  for (const slot of slots?.from(start) ?? []) {
    if (collected.candidates.length >= limit && !trace) break;
    const tree = estate.treeAt(slot);
    if (!tree) continue;
    visited++;
    if (!rootSuits(query, tree.root, trace)) continue;
    const shared = estate.sharedWith(tree);
    if (alone && shared.length === 0 && isFlat(tree)) {
      if (budget.left-- <= 0 || !meetsAlone(tree.root, alone, treeOf)) continue;
      budget.left -= PER_CHOICE_KEPT;
      collected.candidates.push(new FlatCandidate(tree.root, alone));
      continue;
    }
    const choices = choicesFor(query, { tree, shared }, treeOf, trace);
    if (!choices) continue;
    const combinations = new Combinations(choices, query, budget);
    const first = combinations.next();
    if (first && collected.candidates.length < limit) collected.add(tree, first);
    if (first) waiting.push({ tree, combinations });
    else if (trace) traceCombinations(trace, tree.root, combinations);
  }
  while (waiting.length > 0 && collected.candidates.length < limit) {
    const again: typeof waiting = [];
    for (const turn of waiting) {
      if (collected.candidates.length >= limit) break;
      const pick = turn.combinations.next();
      if (!pick) continue;
      collected.add(turn.tree, pick);
      again.push(turn);
    }
    waiting = again;
  }
  return new Result(collected.candidates, visited, budget.left <= 0);
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
    for (const c of this.candidates) for (const p of c.allocations.keys()) trees.add(p.tree);
    return [...trees].sort((a, b) => a.root.id - b.root.id);
  }
}

function rootSuits(query: CandidateQuery, root: Provider, trace?: Trace): boolean {
  for (const trait of query.rootRequired) {
    const ok = root.traits.has(trait);
    trace?.count('', 'root_required', trait, 1, ok ? 1 : 0);
    if (ok) continue;
    trace?.failed(root, '', 'root_required', trait);
    return false;
  }
  for (const trait of query.rootForbidden) {
    const ok = !root.traits.has(trait);
    trace?.count('', 'root_forbidden', trait, 1, ok ? 1 : 0);
    if (ok) continue;
    trace?.failed(root, '', 'root_forbidden', trait);
    return false;
  }
  return true;
}

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
    this.candidates.push(toCandidate(tree, pick));
  }
}

function toCandidate(tree: Tree, pick: Pick): Candidate {
  const allocations = new Map<Provider, Map<string, number>>();
  const mappings = new Map<string, Provider[]>();
  pick.chosen.forEach((provider, i) => {
    const choice = pick.choices[i];
    if (!choice) return;
    if (choice.demand.length) {
      let amounts = allocations.get(provider);
      if (!amounts) allocations.set(provider, (amounts = new Map()));
      for (const [rc, n] of choice.demand) amounts.set(rc, (amounts.get(rc) ?? 0) + n);
    }
    const mapped = mappings.get(choice.group.suffix);
    if (!mapped) mappings.set(choice.group.suffix, [provider]);
    else if (!mapped.includes(provider)) mapped.push(provider);
  });
  return { anchor: tree.root, allocations, mappings };
}
