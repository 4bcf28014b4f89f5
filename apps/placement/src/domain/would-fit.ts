/**
 * Which single thing less would give candidates, found by the search itself: every relaxation that is told has been
 * searched for, and found to fit, with the rules, the usage and the index of any other query.
 */
import type { CandidateQuery, RequestGroup } from './candidate-query';
import { roomOf } from './capacity';
import type { Budget } from './combinations';
import type { Estate } from './estate';
import { mayFit } from './may-fit';
import type { Provider, Tree } from './provider';
import { type Relaxation, dropsOf, lowered, withGroup } from './relaxations';
import { fits } from './search';

export interface WouldFit extends Relaxation {
  /** Roots that would have a candidate; 1 or more. */
  readonly anchors: number;
  /** There may be more: the budget ended the count. */
  readonly atLeast: boolean;
}

export interface WouldFitIf {
  /** Those that help most roots first. */
  readonly relaxations: WouldFit[];
  /** There may be others: more than are told, or not all could be tried. */
  readonly truncated: boolean;
}

/** Relaxations told, and tried. */
export const RELAXATIONS_TOLD = 8;
const RELAXATIONS_TRIED = 64;

/** `budget`: partial decisions that all of it may look at; each relaxation has its share of what is left. */
export function wouldFitIf(estate: Estate, query: CandidateQuery, budget: Budget): WouldFitIf {
  const all = [...attempts(estate, query)];
  const found: WouldFit[] = [];
  let truncated = all.length > RELAXATIONS_TRIED;
  for (const [i, attempt] of all.slice(0, RELAXATIONS_TRIED).entries()) {
    const share = Math.floor(budget.left / (Math.min(all.length, RELAXATIONS_TRIED) - i));
    const own: Budget = { left: share };
    const fitting = attempt(own);
    if (fitting) found.push(fitting);
    truncated ||= own.left <= 0;
    budget.left -= share - Math.max(0, own.left);
  }
  found.sort((a, b) => b.anchors - a.anchors);
  return { relaxations: found.slice(0, RELAXATIONS_TOLD), truncated: truncated || found.length > RELAXATIONS_TOLD };
}

type Attempt = (budget: Budget) => WouldFit | undefined;

function* attempts(estate: Estate, query: CandidateQuery): Generator<Attempt> {
  for (const group of query.groups)
    for (const demand of group.resources) yield (budget) => lessOf(estate, query, group, demand, budget);
  for (const drop of dropsOf(query)) yield (budget) => counted(estate, drop, budget);
}

/** The relaxation with the anchors that fit, or undefined where none was found. */
function counted(estate: Estate, relaxation: Relaxation, budget: Budget): WouldFit | undefined {
  const search = { estate, query: relaxation.query, budget };
  let anchors = 0;
  for (const tree of treesOf(estate, relaxation.query, budget)) if (fits(search, tree)) anchors++;
  return anchors > 0 ? { ...relaxation, anchors, atLeast: budget.left <= 0 } : undefined;
}

/** Less of one resource: the largest amount that any anchor fits with. */
function lessOf(
  estate: Estate,
  query: CandidateQuery,
  group: RequestGroup,
  [resourceClass, from]: readonly [string, number],
  budget: Budget,
): WouldFit | undefined {
  const ask = (to: number): Relaxation => lowered(query, group, { resourceClass, from, to });
  const beside = sumsBeside(query, group, resourceClass);
  const resources = new Map(group.resources);
  resources.delete(resourceClass);
  const half: Budget = { left: Math.floor(budget.left / 2) }; // the rest is for the count
  budget.left -= half.left;
  let best = 0;
  for (const tree of treesOf(estate, withGroup(query, group, { resources }), half)) {
    half.left--;
    for (const to of amountsOf(reachOf(estate, tree), resourceClass, from, beside)) {
      if (to <= best) break;
      if (!fits({ estate, query: ask(to).query, budget: half }, tree)) continue;
      best = to;
      break;
    }
  }
  const unfinished = half.left <= 0;
  budget.left += Math.max(0, half.left);
  const found = best > 0 ? counted(estate, ask(best), budget) : undefined;
  if (unfinished) budget.left = 0; // a larger amount may fit: not all was tried
  return found;
}

/** What the index leaves, until the budget is spent. */
function* treesOf(estate: Estate, query: CandidateQuery, budget: Budget): Generator<Tree> {
  for (const slot of mayFit(estate, query)?.slots.from(0) ?? []) {
    if (budget.left <= 0) return;
    const tree = estate.treeAt(slot);
    if (tree) yield tree;
  }
}

const reachOf = (estate: Estate, tree: Tree): Provider[] => [...tree.providers, ...estate.sharedWith(tree)];

/** Sums of the other groups' demands that one provider might have to meet as well. */
const SUMS_TRIED = 64;

function sumsBeside(query: CandidateQuery, group: RequestGroup, resourceClass: string): number[] {
  const sums = new Set([0]);
  for (const other of query.groups) {
    const amount = other.suffix === group.suffix ? undefined : other.resources.get(resourceClass);
    if (amount === undefined) continue;
    for (const sum of [...sums]) if (sums.size < SUMS_TRIED) sums.add(sum + amount);
  }
  return [...sums];
}

/** Amounts below `from` that one of these could just give, beside each of the sums; falling. */
function amountsOf(
  providers: readonly Provider[],
  resourceClass: string,
  from: number,
  beside: readonly number[],
): number[] {
  const amounts = new Set<number>();
  for (const provider of providers) {
    const inventory = provider.inventories.get(resourceClass);
    if (!inventory) continue;
    for (const sum of beside) {
      const most = Math.min(from - 1, roomOf(provider, resourceClass) - sum);
      const whole = most - (most % inventory.stepSize);
      if (whole >= Math.max(1, inventory.minUnit)) amounts.add(whole);
    }
  }
  return [...amounts].sort((a, b) => b - a);
}
