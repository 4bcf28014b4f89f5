/**
 * The scheduler's pure core, in two halves around the question to Placement:
 *
 *   prepare   request filters and the flavor → the query        (may refuse the request)
 *   rank      Placement's candidates → filters → weighers → hosts in the order to claim on, each with its candidates
 *
 * Whoever claims records it through `recordClaims`, and `finish` makes the report. `schedule` runs all of it over pure
 * functions, for the simulator and dry runs.
 */
import type { Candidate, CandidateQuery, RequestGroup, SearchStage } from './candidate-query';
import { emptyGroup } from './candidate-query';
import { enabledFilters, type FilterName, type HostFilter } from './filters';
import { DEFAULT_OPTIONS, type SchedulingOptions } from './options';
import { type ClaimStage, MAX_WEIGHED, type Outcome, ReportBuilder, type ScheduleReport, type Stage } from './report';
import { type Constraints, REQUEST_FILTERS } from './request-filters';
import { buildResourceRequest } from './resource-request';
import { summarise } from './summary';
import type { CloudFacts, HostView, Reason, ScheduleRequest } from './types';
import { weigh, type WeighedHost } from './weigh';
import { WEIGHERS } from './weighers';

export type Prepared =
  | { readonly ok: true; readonly query: CandidateQuery; readonly builder: ReportBuilder }
  | { readonly ok: false; readonly reason: Reason; readonly builder: ReportBuilder };

/** From the request to the question for Placement. */
export function prepare(
  request: ScheduleRequest,
  facts: CloudFacts,
  options: SchedulingOptions = DEFAULT_OPTIONS,
): Prepared {
  const builder = new ReportBuilder(facts.hosts.length);
  const refuse = (name: string, reason: Reason): Prepared => {
    builder.stage({ stage: 'request_filter', name, constraints: [], reason });
    return { ok: false, reason, builder };
  };
  if (request.sharedProcessors)
    builder.stage({ stage: 'request_filter', name: 'fallback_pcpu_query', constraints: ['VCPU instead of PCPU'] });
  const built = buildResourceRequest(request);
  if (!built.ok) return refuse('resource_request', built.reason);
  const { groups, groupPolicy } = built.query;
  const query: CandidateQuery = {
    groups,
    sameSubtree: (request.sameSubtree ?? []).map((suffixes) => [...suffixes]),
    rootRequired: [],
    rootForbidden: [],
    limit: options.maxPlacementResults,
  };
  if (groupPolicy) query.groupPolicy = groupPolicy;
  for (const { name, apply } of REQUEST_FILTERS) {
    const result = apply(request, facts, options);
    if (result === null) continue;
    if ('rejected' in result) return refuse(name, result.rejected);
    addConstraints(query, result.constraints);
    builder.stage({ stage: 'request_filter', name, constraints: write(result.constraints) });
  }
  return { ok: true, query, builder };
}

function addConstraints(query: CandidateQuery, c: Constraints): void {
  query.rootRequired = [...new Set([...query.rootRequired, ...(c.rootRequired ?? [])])];
  query.rootForbidden = [...new Set([...query.rootForbidden, ...(c.rootForbidden ?? [])])];
  if (c.unlimited) delete query.limit;
  if (!c.memberOf && !c.notMemberOf && c.inTree === undefined) return;
  const group = unsuffixed(query.groups);
  group.memberOf = [...group.memberOf, ...(c.memberOf ?? []).map((list) => [...list])];
  group.notMemberOf = [...new Set([...group.notMemberOf, ...(c.notMemberOf ?? [])])];
  if (c.inTree !== undefined) group.inTree = c.inTree;
}

function unsuffixed(groups: RequestGroup[]): RequestGroup {
  const found = groups.find((g) => g.suffix === '');
  if (found) return found;
  const group = emptyGroup('');
  groups.unshift(group);
  return group;
}

const write = (c: Constraints): string[] => [
  ...(c.rootRequired ?? []),
  ...(c.rootForbidden ?? []).map((t) => `!${t}`),
  ...(c.memberOf ?? []).map((list) => `member_of in:${list.join(',')}`),
  ...(c.notMemberOf?.length ? [`!member_of in:${c.notMemberOf.join(',')}`] : []),
  ...(c.inTree === undefined ? [] : [`in_tree ${c.inTree}`]),
  ...(c.unlimited ? ['no limit'] : []),
];

export interface RankInput {
  readonly request: ScheduleRequest;
  readonly builder: ReportBuilder;
  /** Hosts that Placement offers, with their candidates in the order to try. */
  readonly offers: readonly HostOffer[];
  /** Roots that Placement offers but the scheduler does not know. */
  readonly unknownRoots: number;
  readonly searchStages: readonly SearchStage[];
  /** The answer was cut at the query's limit. */
  readonly limited?: boolean;
  readonly options?: SchedulingOptions;
  /** Hosts whose weights the report tells, the best first. */
  readonly told?: number;
  /** Decides among equals; the same seed gives the same order. */
  readonly seed: string;
}
export interface HostOffer {
  readonly host: HostView;
  readonly candidates: readonly Candidate[];
}
export interface RankedHost extends HostOffer {
  readonly weight: number;
}

/** Candidates put together by host; `hostOf` finds the host of a root provider. */
export function offersOf(
  candidates: readonly Candidate[],
  hostOf: (rootId: string) => HostView | undefined,
): { offers: HostOffer[]; unknownRoots: number } {
  const byRoot = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const list = byRoot.get(candidate.rootId);
    if (list) list.push(candidate);
    else byRoot.set(candidate.rootId, [candidate]);
  }
  const offers: HostOffer[] = [];
  let unknownRoots = 0;
  for (const [rootId, own] of byRoot) {
    const host = hostOf(rootId);
    if (host) offers.push({ host, candidates: own });
    else unknownRoots++;
  }
  return { offers, unknownRoots };
}

/** Filters and weighs what Placement offers. */
export function rank(input: RankInput): RankedHost[] {
  const { builder, request, offers, unknownRoots, seed, options = DEFAULT_OPTIONS } = input;
  for (const s of input.searchStages) builder.stage(placementStage(s));
  const candidateCount = offers.reduce((n, o) => n + o.candidates.length, 0);
  builder.stage({
    stage: 'candidates',
    in: builder.hostCount,
    out: offers.length,
    candidates: candidateCount,
    unknownRoots,
    ...(input.limited && { limited: true as const }),
  });
  let left = [...offers];
  for (const filter of enabledFilters(options.enabledFilters)) {
    if (left.length === 0) break;
    left = runFilter(filter, left, request, options, builder);
  }
  const candidates = new Map(left.map((o) => [o.host, o.candidates]));
  const weighed = weigh([...candidates.keys()], request, options, seed);
  recordWeights(builder, weighed, input.told);
  return weighed.map(({ host, weight }) => ({ host, weight, candidates: candidates.get(host) ?? [] }));
}

const placementStage = ({ group, check, detail, in: before, out, bestFree, bestMaxUnit }: SearchStage) => ({
  stage: 'placement' as const,
  group,
  check,
  detail,
  in: before,
  out,
  ...(bestFree !== undefined && { best: { free: bestFree, maxUnit: bestMaxUnit ?? bestFree } }),
});

function runFilter(
  filter: HostFilter,
  offers: HostOffer[],
  request: ScheduleRequest,
  options: SchedulingOptions,
  builder: ReportBuilder,
): HostOffer[] {
  const counts = new Map<string, number>();
  const passed = offers.filter(({ host }) => {
    const verdict = filter.verdict(host, request, options);
    if (verdict.pass) return true;
    counts.set(verdict.code, (counts.get(verdict.code) ?? 0) + 1);
    const { code, have, need, sentence } = verdict;
    builder.host(() => ({ host: host.host, stage: 'filter', by: filter.name, code, have, need, sentence }));
    return false;
  });
  // in the order in which the filter declares them, whichever host came first
  const reasons = Object.fromEntries(
    Object.keys(filter.codes).flatMap((c) => (counts.has(c) ? [[c, counts.get(c) ?? 0]] : [])),
  );
  builder.stage({ stage: 'filter', name: filter.name, in: offers.length, out: passed.length, reasons });
  return passed;
}

function recordWeights(builder: ReportBuilder, weighed: readonly WeighedHost[], most = MAX_WEIGHED): void {
  const [first] = weighed;
  const reports = weighed.slice(0, most).map((w) => ({
    host: w.host.host,
    weight: round(w.weight),
    parts: w.parts,
    ...(first && first !== w && { reason: compareWeights(w, first) }),
  }));
  const told = new Set(reports.flatMap((r) => r.parts.map((p) => p.weigher)));
  for (const { name, what } of WEIGHERS) {
    if (told.has(name)) builder.stage({ stage: 'weigher', name, what, in: weighed.length });
  }
  builder.ranked(reports);
}

/** Why a host comes after another: what the weighers make of the two. */
export function compareWeights(host: WeighedHost, better: WeighedHost): Reason {
  const score = (w: WeighedHost, name: string): number =>
    w.parts.filter((p) => p.weigher === name).reduce((sum, p) => sum + p.multiplier * p.normalised, 0);
  const [most] = WEIGHERS.map(({ name, what }) => ({ name, what, gap: score(better, name) - score(host, name) })).sort(
    (a, b) => b.gap - a.gap,
  );
  const [have, need] = [round(host.weight), round(better.weight)];
  const [name, other] = [host.host.host, better.host.host];
  if (!most || most.gap <= 0 || have >= need) {
    const sentence = `${name} weighs ${have}, ${other} ${need}; the order among the best is drawn.`;
    return { code: 'weight.drawn', have, need, sentence };
  }
  const sentence = `${name} weighs ${have}, ${other} ${need}; most of it is ${most.name} (${most.what}).`;
  return { code: 'weight.lower', have, need, sentence };
}

const round = (n: number): number => Math.round(n * 1000) / 1000;

/** What it is called when no host came through: by whose word, if it was the request that left no choice. */
export function outcomeOfNone(request: ScheduleRequest, stages: readonly Stage[]): Outcome {
  if (request.requestedHost !== null || request.requestedNode !== null) return 'target_unfit';
  const last = stages.findLast((s) => s.stage === 'filter' && s.out === 0);
  return last?.stage === 'filter' && GROUP_FILTERS.has(last.name) ? 'group_violated' : 'no_valid_host';
}

const GROUP_FILTERS: ReadonlySet<string> = new Set<FilterName>([
  'ServerGroupAffinityFilter',
  'ServerGroupAntiAffinityFilter',
]);

/** Closes the report. `claims` is absent when nothing was left to claim on. */
export function finish(
  builder: ReportBuilder,
  outcome: Outcome,
  claims?: Omit<ClaimStage, 'stage'>,
  chosen?: string,
): ScheduleReport {
  if (claims) builder.stage({ stage: 'claim', ...claims });
  return builder.finish(outcome, summarise, chosen);
}
