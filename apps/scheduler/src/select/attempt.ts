/**
 * One attempt to place one server.
 *
 * request filters → Placement's candidates → filters → weighers → claims, all candidates of a host before the next host.
 * The pure part is libs/scheduling; here are the questions to others and the order of things.
 *
 * Placement is asked for a limited number of candidates, from a place drawn by it. When none of a limited answer comes
 * through, it is asked once more without a limit: that the first hundred hosts do not suit says nothing of the rest.
 */
import type { RequestContext } from '@fractus/objects';
import type { Destination, SelectDestinations } from '@fractus/rpc-contracts';
import {
  type Allocations,
  type Candidate,
  claimFirst,
  type ClaimStage,
  finish,
  type HostView,
  outcomeOfNone,
  type Prepared,
  rank,
  type RankedHost,
  ReportBuilder,
  type ScheduleReport,
  type ScheduleRequest,
} from '@fractus/scheduling';
import { Claimer } from './claimer';
import { explainPlacement } from './placement-reasons';
import { Search, type SearchDeps } from './search';

/** What an attempt came to. */
export interface AttemptResult {
  readonly report: ScheduleReport;
  readonly destination?: Destination;
  readonly alternates: Destination[];
}

interface Round {
  readonly result?: AttemptResult;
  readonly prepared: Prepared;
  readonly claim?: Omit<ClaimStage, 'stage'>;
  /** There may be hosts that this round has not seen. */
  readonly partial: boolean;
}

type Query = Extract<Prepared, { ok: true }>;

export class Attempt {
  private readonly claimer: Claimer;
  private readonly search: Search;

  constructor(
    private readonly deps: SearchDeps,
    private readonly ctx: RequestContext,
    private readonly request: SelectDestinations,
  ) {
    this.claimer = new Claimer(deps.placement, ctx, request);
    this.search = new Search(deps, ctx, `${request.taskId}/${request.fence}`);
  }

  async run(): Promise<AttemptResult> {
    const wanted = await this.search.requestOf(this.request);
    let round = await this.round(wanted, true);
    if (!round.result && round.partial) round = await this.round(wanted, false);
    const shared = this.search.secondQuestion(wanted);
    if (!round.result && shared) round = await this.round(shared, false);
    if (round.result) return round.result;
    const { prepared, claim } = round;
    const kept = prepared.ok ? await this.keepHeld(wanted, prepared) : undefined;
    if (!kept) return { report: await this.nowhere(wanted, round), alternates: [] };
    const { in: hosts = 0, tries = 0, reasons = {} } = claim ?? {};
    const stage = { in: hosts + 1, hosts: hosts + 1, tries: tries + 1, reasons, out: 1 as const };
    return { report: finish(prepared.builder, 'selected', stage, kept.host), destination: kept, alternates: [] };
  }

  private async round(wanted: ScheduleRequest, limited: boolean): Promise<Round> {
    const { prepared, ranked, partial } = await this.search.run(wanted, { limited });
    if (ranked.length === 0) return { prepared, partial };
    const { builder } = prepared;
    const { stage, claimed } = await claimFirst(ranked, (c, host) => this.tryClaim(c, host, wanted), builder);
    if (!claimed) return { prepared, claim: stage, partial };
    const { host, candidate, weight, rest } = claimed;
    const result = {
      report: finish(builder, 'selected', stage, host.host),
      destination: destinationOf(host, candidate.allocations, weight),
      alternates: rest.slice(0, this.request.alternates).flatMap((r) => toAlternate(r)),
    };
    return { prepared, result, partial };
  }

  /** The report of an attempt that found nothing; only here Placement is asked whom it left out, and why. */
  private async nowhere(wanted: ScheduleRequest, { prepared, claim }: Round): Promise<ScheduleReport> {
    const { builder } = prepared;
    const outcome = claim ? 'claims_exhausted' : outcomeOfNone(wanted, builder.soFar);
    const leftOut = builder.soFar.some((s) => s.stage === 'candidates' && s.out < s.in);
    if (prepared.ok && leftOut) await explainPlacement(this.deps, this.ctx, prepared.query, builder);
    return finish(builder, outcome, claim);
  }

  /** While the claim is under way its room counts as taken, so that requests beside this one look elsewhere. */
  private async tryClaim(
    candidate: Candidate,
    { host }: RankedHost,
    { serverId, flavor, bootFromVolume }: ScheduleRequest,
  ) {
    const { claims } = this.deps.cache;
    const diskGb = flavor.ephemeralGb + (bootFromVolume ? 0 : flavor.rootGb);
    claims.add(host.nodeId, { serverId, vcpus: flavor.vcpus, memoryMb: flavor.memoryMb, diskGb, at: Date.now() });
    let held = false;
    try {
      const result = await this.claimer.claim(candidate.allocations);
      held = result.claimed;
      return result;
    } finally {
      if (!held) claims.remove(host.nodeId, serverId);
    }
  }

  /**
   * When nothing else was left: a claim that an earlier call of this task made and could not tell of. It takes up the
   * very room that is looked for, so it is found only by asking what the server holds.
   */
  private async keepHeld(wanted: ScheduleRequest, { query }: Query): Promise<Destination | undefined> {
    const { allocations } = await this.claimer.held();
    const held = sumOf(Object.values(allocations).map((a) => a.resources));
    const asked = sumOf(query.groups.map((g) => g.resources));
    if (Object.keys(asked).length === 0 || !sameAmounts(held, asked)) return undefined;
    const now = Date.now();
    const [host] = Object.keys(allocations).flatMap((id) => this.deps.cache.view(id, now) ?? []);
    if (!host || !this.passes(host, wanted)) return undefined;
    // written again, so that it is certain to be ours and current
    const result = await this.claimer.claim(allocations);
    return result.claimed ? destinationOf(host, allocations, 0) : undefined;
  }

  private passes(host: HostView, request: ScheduleRequest): boolean {
    const { options } = this.deps;
    const builder = new ReportBuilder(1);
    const offers = [{ host, candidates: [] }];
    return rank({ request, builder, offers, unknownRoots: 0, searchStages: [], options, seed: '' }).length > 0;
  }
}

const destinationOf = ({ host, node, nodeId }: HostView, allocations: Allocations, weight: number): Destination => ({
  host,
  node,
  nodeId,
  allocations,
  weight,
});

const toAlternate = ({ host, candidates: [first], weight }: RankedHost): Destination[] =>
  first ? [destinationOf(host, first.allocations, weight)] : [];

function sumOf(list: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const resources of list) {
    for (const [name, amount] of Object.entries(resources)) sum[name] = (sum[name] ?? 0) + amount;
  }
  return sum;
}

function sameAmounts(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((n) => a[n] === b[n]);
}
