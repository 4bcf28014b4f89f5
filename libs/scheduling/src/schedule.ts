import { type ClaimedHost, claimFirst, type ClaimResult } from './claims';
import type { Candidate, CandidateQuery, SearchStage } from './candidate-query';
import { DEFAULT_OPTIONS, type SchedulingOptions } from './options';
import { finish, offersOf, outcomeOfNone, prepare, rank, type RankedHost } from './pipeline';
import type { ScheduleReport } from './report';
import type { CloudFacts, HostView, ScheduleRequest } from './types';

export interface ScheduleInput {
  readonly request: ScheduleRequest;
  readonly facts: CloudFacts;
  readonly options?: SchedulingOptions;
  readonly seed: string;
  hostOf(rootId: string): HostView | undefined;
  search(query: CandidateQuery): { candidates: Candidate[]; stages: SearchStage[] };
  /** Left out: a dry run, which takes the best host for claimed. */
  claim?(candidate: Candidate, host: RankedHost): ClaimResult;
}

export interface Scheduled {
  readonly report: ScheduleReport;
  readonly claimed?: ClaimedHost;
}

/** The whole pipeline over pure functions: for the simulator, dry runs and tests. */
export async function schedule(input: ScheduleInput): Promise<Scheduled> {
  const { request, facts, seed, options = DEFAULT_OPTIONS } = input;
  const prepared = prepare(request, facts, options);
  const { builder } = prepared;
  const none = (): Scheduled => ({ report: finish(builder, outcomeOfNone(request, builder.soFar)) });
  if (!prepared.ok) return none();
  delete prepared.query.limit; // a pure search can afford to look at everything
  const { candidates, stages: searchStages } = input.search(prepared.query);
  const offered = offersOf(candidates, (id) => input.hostOf(id));
  const ranked = rank({ request, builder, ...offered, searchStages, options, seed });
  if (ranked.length === 0) return none();
  const claim = (candidate: Candidate, host: RankedHost): ClaimResult =>
    input.claim?.(candidate, host) ?? { claimed: true };
  const { stage, claimed } = await claimFirst(ranked, claim, builder);
  if (!claimed) return { report: finish(builder, 'claims_exhausted', stage) };
  return { claimed, report: finish(builder, 'selected', stage, claimed.host.host) };
}
