/**
 * One way through the pipeline without a claim: request filters → Placement's candidates → filters → weighers.
 * An attempt claims on what it finds; a dry run tells it.
 */
import type { HostSnapshotsRepository } from '@fractus/compute-db';
import { isFractusError, type RequestContext } from '@fractus/objects';
import type { Client, placementContract, RequestSpec } from '@fractus/rpc-contracts';
import {
  type CandidateQuery,
  type HostView,
  offersOf,
  prepare,
  type Prepared,
  rank,
  type RankedHost,
  type ReportBuilder,
  type ScheduleRequest,
  type SchedulingOptions,
  wantsDedicated,
} from '@fractus/scheduling';
import type { HostCache } from '../hosts/host-cache';
import { type Offered, offeredBy, ROOM_CLASSES } from './offered';

export interface SearchDeps {
  readonly cache: HostCache;
  readonly placement: Client<typeof placementContract>;
  readonly snapshots: HostSnapshotsRepository;
  readonly options: SchedulingOptions;
}

export interface SearchOptions {
  /** Ask for no more candidates than the options say. */
  readonly limited: boolean;
  /** Hosts whose weights the report tells. */
  readonly told?: number;
  /** The question to Placement, changed. */
  readonly change?: (query: CandidateQuery) => CandidateQuery;
  /** A host, changed. */
  readonly see?: (host: HostView) => HostView;
}

export interface Searched {
  readonly prepared: Prepared;
  /** Best first; empty: no host. */
  readonly ranked: readonly RankedHost[];
  /** There may be hosts that this search has not seen. */
  readonly partial: boolean;
}

/** What is asked for, as callers know it. */
export interface Subject {
  readonly serverId: string;
  readonly spec: RequestSpec;
  readonly excludeHosts: readonly string[];
}

export class Search {
  constructor(
    private readonly deps: SearchDeps,
    private readonly ctx: RequestContext,
    /** Decides among equals. */
    private readonly seed: string,
  ) {}

  /** The request with what is known of the servers that its hints name. */
  async requestOf({ serverId, spec, excludeHosts }: Subject): Promise<ScheduleRequest> {
    const { flavor, image, schedulerHints } = spec;
    const named = [...(schedulerHints['same_host'] ?? []), ...(schedulerHints['different_host'] ?? [])];
    const hintedServers = named.length === 0 ? {} : Object.fromEntries(await this.deps.snapshots.hostsOfServers(named));
    return { ...spec, serverId, flavor, image, excludeHosts, hintedServers };
  }

  /** For shared processors, where the request wants dedicated ones and the options allow it. */
  secondQuestion(wanted: ScheduleRequest): ScheduleRequest | undefined {
    return this.deps.options.fallbackPcpuQuery && wantsDedicated(wanted)
      ? { ...wanted, sharedProcessors: true }
      : undefined;
  }

  /** Over all hosts, with the second question where the first finds none. */
  async runWhole(wanted: ScheduleRequest, told?: number): Promise<Searched> {
    const options = { limited: false, ...(told === undefined ? {} : { told }) };
    const first = await this.run(wanted, options);
    const shared = first.ranked.length === 0 ? this.secondQuestion(wanted) : undefined;
    return shared ? this.run(shared, options) : first;
  }

  /** Rejects as Placement does. */
  async run(wanted: ScheduleRequest, options: SearchOptions): Promise<Searched> {
    const { cache, placement } = this.deps;
    const prepared = prepare(wanted, cache.facts(), this.deps.options);
    if (!prepared.ok) return { prepared, ranked: [], partial: false };
    const { builder } = prepared;
    if (!options.limited) delete prepared.query.limit;
    const query = options.change?.(prepared.query) ?? prepared.query;
    const asOf = Date.now();
    const question = { ...query, roomOf: [...ROOM_CLASSES] };
    const answer = await placement.getCandidates(this.ctx, question).catch((e: unknown) => refusedQuery(e, builder));
    if (!answer) return { prepared, ranked: [], partial: false };
    const offered = offeredBy(answer);
    const partial = query.limit !== undefined && offered.candidates.length >= query.limit;
    const offers = this.offers(offered, asOf, options);
    const { told } = options;
    const ranked = rank({
      request: wanted,
      builder,
      ...offers,
      searchStages: answer.stages,
      limited: partial,
      options: this.deps.options,
      seed: this.seed,
      ...(told === undefined ? {} : { told }),
    });
    return { prepared, ranked, partial };
  }

  private offers(offered: Offered, asOf: number, { see }: SearchOptions): ReturnType<typeof offersOf> {
    const now = Date.now();
    return offersOf(offered.candidates, (rootId) => {
      const host = this.deps.cache.view(rootId, now, offered.roomOf(rootId, asOf));
      return host && see ? see(host) : host;
    });
  }
}

/** A class or trait that Placement does not know is on no host: that is an answer, not a failure. */
function refusedQuery(e: unknown, builder: ReportBuilder): undefined {
  if (!isFractusError(e, 'invalid') || e.code.startsWith('rpc.')) throw e;
  const reason = { code: e.code, have: null, need: 'a query that Placement can answer', sentence: e.message };
  builder.stage({ stage: 'request_filter', name: 'placement_query', constraints: [], reason });
  return undefined;
}
