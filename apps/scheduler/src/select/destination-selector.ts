/**
 * The scheduler's one job: from a request to a claimed host with alternates, and a report of how it came to that.
 *
 * request filters → Placement's candidates → filters → weighers → claims, all candidates of a host before the next host.
 * The pure part is libs/scheduling; here are the questions to others and the order of things.
 */
import { randomUUID } from 'node:crypto';
import type { HostSnapshotsRepository, ScheduleAttemptsRepository } from '@fractus/compute-db';
import { isFractusError, type RequestContext } from '@fractus/objects';
import type {
  Candidates,
  Client,
  Destination,
  placementContract,
  SelectDestinations,
  Selection,
} from '@fractus/rpc-contracts';
import {
  type Allocations,
  type Candidate,
  claimFirst,
  finish,
  type HostView,
  offersOf,
  prepare,
  type Prepared,
  rank,
  type RankedHost,
  ReportBuilder,
  type ScheduleReport,
  type ScheduleRequest,
  type SchedulingOptions,
} from '@fractus/scheduling';
import { type Logger, requestLogger } from '@fractus/telemetry';
import type { HostCache, ProviderRoom } from '../hosts/host-cache';
import { Claimer } from './claimer';
import type { SchedulerMetrics } from './scheduler-metrics';

export interface SelectorDeps {
  readonly cache: HostCache;
  readonly placement: Client<typeof placementContract>;
  readonly snapshots: HostSnapshotsRepository;
  readonly attempts: ScheduleAttemptsRepository;
  readonly options: SchedulingOptions;
  readonly logger: Logger;
  readonly metrics: SchedulerMetrics;
}

/** What an attempt came to, before it is recorded. */
interface Attempt {
  readonly report: ScheduleReport;
  readonly destination?: Destination;
  readonly alternates: Destination[];
}

export class DestinationSelector {
  constructor(private readonly deps: SelectorDeps) {}

  /**
   * A host for the server, claimed; or a typed outcome that says why there is none. May be called again for the same
   * task: what an earlier call has claimed is kept or replaced. Rejects as Placement or the database does, and with
   * `conflict` code `claim.stale_fence` when the task's lease was lost.
   */
  async select(ctx: RequestContext, request: SelectDestinations): Promise<Selection> {
    const startedAt = Date.now();
    const attempt = await this.attempt(ctx, request);
    const durationMs = Date.now() - startedAt;
    const { report, destination, alternates } = attempt;
    const { outcome, summary } = report;
    const attemptId = randomUUID();
    await this.deps.attempts.add({
      attemptId,
      serverId: request.serverId,
      taskId: request.taskId,
      requestId: ctx.requestId,
      operation: request.operation,
      outcome,
      summary,
      report,
      startedAt,
      durationMs,
    });
    this.deps.metrics.attempt(request.operation, outcome, durationMs / 1000);
    if (outcome !== 'selected') {
      requestLogger(this.deps.logger, ctx, { serverId: request.serverId }).info(
        { attempt_id: attemptId, operation: request.operation, outcome, duration_ms: durationMs },
        `no host: ${summary}`,
      );
    }
    return { outcome, attemptId, summary, alternates, ...(destination && { destination }) };
  }

  private async attempt(ctx: RequestContext, request: SelectDestinations): Promise<Attempt> {
    const { cache, placement, options } = this.deps;
    const wanted = await this.scheduleRequest(request);
    const prepared = prepare(wanted, cache.facts(), options);
    if (!prepared.ok) return { report: finish(prepared.builder, 'no_valid_host'), alternates: [] };
    const asOf = Date.now();
    const answer = await placement.getCandidates(ctx, prepared.query).catch((e: unknown) => refusedQuery(e, prepared));
    if (!answer) return { report: finish(prepared.builder, 'no_valid_host'), alternates: [] };
    const ranked = this.rank(wanted, prepared, answer, asOf, request);
    const claimer = new Claimer(placement, ctx, request);
    const { stage, claimed } = await claimFirst(
      ranked,
      (candidate, host) => this.tryClaim(claimer, candidate, host, wanted),
      prepared.builder,
    );
    if (claimed) {
      const { host, candidate, weight, rest } = claimed;
      const alternates = rest.slice(0, request.alternates).flatMap((r) => toAlternate(r));
      const report = finish(prepared.builder, 'selected', stage, host.host);
      return { report, destination: destinationOf(host, candidate.allocations, weight), alternates };
    }
    const kept = await this.keepHeld(claimer, wanted, prepared);
    if (kept) {
      const claim = {
        ...stage,
        in: ranked.length + 1,
        hosts: stage.hosts + 1,
        tries: stage.tries + 1,
        out: 1 as const,
      };
      return { report: finish(prepared.builder, 'selected', claim, kept.host), destination: kept, alternates: [] };
    }
    const outcome = ranked.length > 0 ? 'claims_exhausted' : 'no_valid_host';
    return { report: finish(prepared.builder, outcome, ranked.length > 0 ? stage : undefined), alternates: [] };
  }

  /** The request with what is known of the servers that its hints name. */
  private async scheduleRequest({ serverId, spec, excludeHosts }: SelectDestinations): Promise<ScheduleRequest> {
    const { flavor, image, schedulerHints } = spec;
    const named = [...(schedulerHints['same_host'] ?? []), ...(schedulerHints['different_host'] ?? [])];
    const hintedServers = named.length === 0 ? {} : Object.fromEntries(await this.deps.snapshots.hostsOfServers(named));
    return { ...spec, serverId, flavor, image, excludeHosts, hintedServers };
  }

  private rank(
    wanted: ScheduleRequest,
    prepared: Extract<Prepared, { ok: true }>,
    { candidates, summaries, stages }: Candidates,
    asOf: number,
    request: SelectDestinations,
  ): RankedHost[] {
    const now = Date.now();
    const hostOf = (rootId: string): HostView | undefined =>
      this.deps.cache.view(rootId, now, roomOf(summaries[rootId], asOf));
    const { offers, unknownRoots } = offersOf(candidates, hostOf);
    return rank({
      request: wanted,
      builder: prepared.builder,
      offers,
      unknownRoots,
      searchStages: stages,
      options: this.deps.options,
      seed: `${request.taskId}/${request.fence}`,
    });
  }

  /** While the claim is under way its room counts as taken, so that requests beside this one look elsewhere. */
  private async tryClaim(claimer: Claimer, candidate: Candidate, { host }: RankedHost, wanted: ScheduleRequest) {
    const { claims } = this.deps.cache;
    const { serverId, flavor } = wanted;
    const diskGb = flavor.ephemeralGb + (wanted.bootFromVolume ? 0 : flavor.rootGb);
    claims.add(host.nodeId, { serverId, vcpus: flavor.vcpus, memoryMb: flavor.memoryMb, diskGb, at: Date.now() });
    let held = false;
    try {
      const result = await claimer.claim(candidate.allocations);
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
  private async keepHeld(
    claimer: Claimer,
    wanted: ScheduleRequest,
    prepared: Extract<Prepared, { ok: true }>,
  ): Promise<Destination | undefined> {
    const { allocations } = await claimer.held();
    const resources = sumOf(Object.values(allocations).map((a) => a.resources));
    const asked = sumOf(prepared.query.groups.map((g) => g.resources));
    if (Object.keys(asked).length === 0 || !sameAmounts(resources, asked)) return undefined;
    const now = Date.now();
    const [host] = Object.keys(allocations).flatMap((id) => this.deps.cache.view(id, now) ?? []);
    if (!host || !this.passes(host, wanted)) return undefined;
    // written again, so that it is certain to be ours and current
    const result = await claimer.claim(allocations);
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
function refusedQuery(e: unknown, { builder }: Prepared): undefined {
  if (!isFractusError(e, 'invalid') || e.code.startsWith('rpc.')) throw e;
  const reason = { code: e.code, have: null, need: null, sentence: e.message };
  builder.stage({ stage: 'request_filter', name: 'placement_query', constraints: [], reason });
  return undefined;
}

function roomOf(summary: Candidates['summaries'][string] | undefined, asOf: number): ProviderRoom {
  const free = (name: string): number | undefined => {
    const found = summary?.resources[name];
    return found && found.capacity - found.used;
  };
  return { asOf, vcpus: free('VCPU'), memoryMb: free('MEMORY_MB'), diskGb: free('DISK_GB') };
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
