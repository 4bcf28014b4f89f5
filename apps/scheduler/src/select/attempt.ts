/**
 * One attempt to place one server.
 *
 * request filters → Placement's candidates → filters → weighers → claims, all candidates of a host before the next host.
 * The pure part is libs/scheduling; here are the questions to others and the order of things.
 *
 * Placement is asked for a limited number of candidates, from a place drawn by it. When none of a limited answer comes
 * through, it is asked once more without a limit: that the first hundred hosts do not suit says nothing of the rest.
 */
import type { HostSnapshotsRepository } from '@fractus/compute-db';
import { isFractusError, type RequestContext } from '@fractus/objects';
import type { Candidates, Client, Destination, placementContract, SelectDestinations } from '@fractus/rpc-contracts';
import {
  type Allocations,
  type Candidate,
  claimFirst,
  type ClaimStage,
  finish,
  type HostView,
  offersOf,
  type Outcome,
  prepare,
  type Prepared,
  rank,
  type RankedHost,
  ReportBuilder,
  type ScheduleReport,
  type ScheduleRequest,
  type SchedulingOptions,
  wantsDedicated,
} from '@fractus/scheduling';
import type { HostCache } from '../hosts/host-cache';
import { Claimer } from './claimer';
import { type Offered, offeredBy, ROOM_CLASSES } from './offered';

export interface AttemptDeps {
  readonly cache: HostCache;
  readonly placement: Client<typeof placementContract>;
  readonly snapshots: HostSnapshotsRepository;
  readonly options: SchedulingOptions;
}

/** What an attempt came to. */
export interface AttemptResult {
  readonly report: ScheduleReport;
  readonly destination?: Destination;
  readonly alternates: Destination[];
}

interface Round {
  readonly result?: AttemptResult;
  readonly prepared: Prepared;
  readonly outcome: Outcome;
  readonly claim?: Omit<ClaimStage, 'stage'>;
  /** There may be hosts that this round has not seen. */
  readonly partial: boolean;
}

type Query = Extract<Prepared, { ok: true }>;

export class Attempt {
  private readonly claimer: Claimer;

  constructor(
    private readonly deps: AttemptDeps,
    private readonly ctx: RequestContext,
    private readonly request: SelectDestinations,
  ) {
    this.claimer = new Claimer(deps.placement, ctx, request);
  }

  async run(): Promise<AttemptResult> {
    const wanted = await this.scheduleRequest();
    let round = await this.round(wanted, true);
    if (!round.result && round.partial) round = await this.round(wanted, false);
    if (!round.result && this.deps.options.fallbackPcpuQuery && wantsDedicated(wanted))
      round = await this.round({ ...wanted, sharedProcessors: true }, false);
    if (round.result) return round.result;
    const { prepared, outcome, claim } = round;
    const kept = prepared.ok ? await this.keepHeld(wanted, prepared) : undefined;
    if (!kept) return { report: finish(prepared.builder, outcome, claim), alternates: [] };
    const { in: hosts = 0, tries = 0, reasons = {} } = claim ?? {};
    const stage = { in: hosts + 1, hosts: hosts + 1, tries: tries + 1, reasons, out: 1 as const };
    return { report: finish(prepared.builder, 'selected', stage, kept.host), destination: kept, alternates: [] };
  }

  /** The request with what is known of the servers that its hints name. */
  private async scheduleRequest(): Promise<ScheduleRequest> {
    const { serverId, spec, excludeHosts } = this.request;
    const { flavor, image, schedulerHints } = spec;
    const named = [...(schedulerHints['same_host'] ?? []), ...(schedulerHints['different_host'] ?? [])];
    const hintedServers = named.length === 0 ? {} : Object.fromEntries(await this.deps.snapshots.hostsOfServers(named));
    return { ...spec, serverId, flavor, image, excludeHosts, hintedServers };
  }

  private async round(wanted: ScheduleRequest, limited: boolean): Promise<Round> {
    const { cache, placement, options } = this.deps;
    const prepared = prepare(wanted, cache.facts(), options);
    if (!prepared.ok) return { prepared, outcome: 'no_valid_host', partial: false };
    const { query, builder } = prepared;
    if (!limited) delete query.limit;
    const asOf = Date.now();
    const question = { ...query, roomOf: [...ROOM_CLASSES] };
    const answer = await placement.getCandidates(this.ctx, question).catch((e: unknown) => refusedQuery(e, builder));
    if (!answer) return { prepared, outcome: 'no_valid_host', partial: false };
    const offered = offeredBy(answer);
    const partial = query.limit !== undefined && offered.candidates.length >= query.limit;
    const ranked = this.rank(wanted, prepared, offered, answer.stages, asOf, partial);
    if (ranked.length === 0) return { prepared, outcome: 'no_valid_host', partial };
    const { stage, claimed } = await claimFirst(ranked, (c, host) => this.tryClaim(c, host, wanted), builder);
    if (!claimed) return { prepared, outcome: 'claims_exhausted', claim: stage, partial };
    const { host, candidate, weight, rest } = claimed;
    const result = {
      report: finish(builder, 'selected', stage, host.host),
      destination: destinationOf(host, candidate.allocations, weight),
      alternates: rest.slice(0, this.request.alternates).flatMap((r) => toAlternate(r)),
    };
    return { prepared, outcome: 'selected', result, partial };
  }

  private rank(
    wanted: ScheduleRequest,
    { builder }: Query,
    offered: Offered,
    searchStages: Candidates['stages'],
    asOf: number,
    limited: boolean,
  ): RankedHost[] {
    const { cache, options } = this.deps;
    const now = Date.now();
    const offers = offersOf(offered.candidates, (rootId) => cache.view(rootId, now, offered.roomOf(rootId, asOf)));
    const seed = `${this.request.taskId}/${this.request.fence}`;
    return rank({ request: wanted, builder, ...offers, searchStages, limited, options, seed });
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

/** A class or trait that Placement does not know is on no host: that is an answer, not a failure. */
function refusedQuery(e: unknown, builder: ReportBuilder): undefined {
  if (!isFractusError(e, 'invalid') || e.code.startsWith('rpc.')) throw e;
  const reason = { code: e.code, have: null, need: 'a query that Placement can answer', sentence: e.message };
  builder.stage({ stage: 'request_filter', name: 'placement_query', constraints: [], reason });
  return undefined;
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
