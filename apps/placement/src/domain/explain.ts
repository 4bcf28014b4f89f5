/** Why a query has the candidates it has, or none: the search with a trace, and what would help where it found nothing. */
import type { CandidateQuery } from './candidate-query';
import type { Estate } from './estate';
import { findCandidates } from './search';
import { type Count, type Failure, type Stage, Trace } from './trace';
import { type WouldFit, wouldFitIf } from './would-fit';

export interface Explanation {
  /** Candidates that there are whatever the query's limit, counted up to `CANDIDATES_COUNTED`. */
  readonly candidates: number;
  /** There are more than that. */
  readonly more: boolean;
  /** What there was to ask: the whole estate. */
  readonly asked: Count;
  readonly stages: readonly Stage[];
  /** Roots without a candidate, all of them. */
  readonly failedRoots: number;
  /** Of the first `ROOTS_TOLD` of them, the check that ended their chance. */
  readonly failures: readonly Failure[];
  /** Where there is no candidate: each single thing less that would give some. */
  readonly wouldFitIf: readonly WouldFit[];
  /** Not everything was looked at, or told of `wouldFitIf`: there may be more candidates, or ways to some. */
  readonly truncated: boolean;
}

export const CANDIDATES_COUNTED = 1000;

export interface ExplainOptions {
  /** Partial decisions that the search for candidates may look at. */
  readonly budget?: number;
  /** As many again that the search for relaxations may. */
  readonly relaxationBudget?: number;
}

/** Enough for a few passes over all trees as well. */
const relaxationBudgetOf = (estate: Estate): number => 1_000_000 + 20 * estate.treeCount;

/** The query's limit is left out of account: it takes nothing from the answer to whether there is one. */
export function explain(estate: Estate, query: CandidateQuery, options: ExplainOptions = {}): Explanation {
  const trace = new Trace();
  const { budget, relaxationBudget = relaxationBudgetOf(estate) } = options;
  const unlimited: CandidateQuery = { ...query, limit: CANDIDATES_COUNTED + 1 };
  const found = findCandidates(estate, unlimited, { trace, ...(budget === undefined ? {} : { budget }) });
  const candidates = Math.min(found.candidates.length, CANDIDATES_COUNTED);
  const relaxed = candidates > 0 ? undefined : wouldFitIf(estate, query, { left: relaxationBudget });
  return {
    candidates,
    more: found.candidates.length > candidates,
    asked: { providers: estate.providerCount, trees: estate.treeCount, anchors: estate.treeCount },
    stages: trace.stages,
    failedRoots: trace.failedRoots,
    failures: [...trace.firstFailure.values()],
    wouldFitIf: relaxed?.relaxations ?? [],
    truncated: found.truncated || (relaxed?.truncated ?? false),
  };
}
