import { IsBoolean, IsIn, IsInt, IsNumber, IsOptional, IsString, IsUUID, Min } from 'class-validator';
import { ListOf, MapOf, Nested, Nullable } from '@fractus/dto-schema';
import { call, defineContract, news } from './contract';
import { HostReport } from './hosts.dto';
import { AllocationResources, FlavorSnapshot, ImageSnapshot } from './operations.dto';

/** What the user asked for; stored with the server, and never changed by an attempt. */
export class RequestSpec {
  @IsString() projectId: string;
  @IsString() userId: string;
  @Nested(() => FlavorSnapshot) flavor: FlavorSnapshot;
  @Nullable() @Nested(() => ImageSnapshot) image: ImageSnapshot | null;
  /** Whether the root disk is a volume: then DISK_GB leaves the root out. */
  @IsBoolean() bootFromVolume: boolean;
  @Nullable() @IsString() availabilityZone: string | null;
  /** A host or hypervisor the user named (2.74), or null. */
  @Nullable() @IsString() requestedHost: string | null;
  @Nullable() @IsString() requestedNode: string | null;
  /** Hints as they came, each a list of strings. */
  @MapOf({ type: 'array', items: { type: 'string' } }) schedulerHints: Record<string, string[]>;
}

export class SelectDestinations {
  @IsUUID() serverId: string;
  @IsUUID() taskId: string;
  /** Fence of the task's lease; Placement refuses a claim with a lower one than it has seen. */
  @IsInt() @Min(1) fence: number;
  /** `create`, later `resize`, `migrate`, `unshelve`, …; names the attempt in the report. */
  @IsString() operation: string;
  @Nested(() => RequestSpec) spec: RequestSpec;
  /** Hosts that have already failed in this task. */
  @ListOf('string') excludeHosts: string[];
  /** How many other hosts to name beside the chosen one. */
  @IsInt() @Min(0) alternates: number;
}

export class Destination {
  @IsString() host: string;
  @IsString() node: string;
  @IsUUID() nodeId: string;
  /** Provider uuid → resources; for the chosen destination these are claimed, for an alternate they are what to claim. */
  @MapOf(() => AllocationResources) allocations: Record<string, AllocationResources>;
  @IsNumber() weight: number;
}

export const SCHEDULE_OUTCOMES = ['selected', 'no_valid_host', 'claims_exhausted'] as const;
export class Selection {
  @IsIn(SCHEDULE_OUTCOMES) outcome: (typeof SCHEDULE_OUTCOMES)[number];
  @IsOptional() @Nested(() => Destination) destination?: Destination;
  @ListOf(() => Destination) alternates: Destination[];
  /** Where the report of this attempt is kept. */
  @IsUUID() attemptId: string;
  /** One line for people: what remained after which stage and why nothing did. Safe for the server's owner. */
  @IsString() summary: string;
  /**
   * What exactly it came to: `group_violated` and `target_unfit` are kinds of `no_valid_host`, and `outcome` says that,
   * for those that know no more. More kinds may be added.
   */
  @IsOptional() @IsString() kind?: string;
}

/** A request that is only thought through: nothing is claimed, and no attempt is recorded. */
export class DryRun {
  /** The server, or any other uuid for one that is not there yet: it decides the order among equals. */
  @IsUUID() serverId: string;
  @IsString() operation: string;
  @Nested(() => RequestSpec) spec: RequestSpec;
  /** Hosts that the operation must not end on, such as the one that a resize leaves. */
  @ListOf('string') excludeHosts: string[];
}
/** One thing less that alone would do; found out by running the request without it. */
export class ScheduleRelaxation {
  /**
   * Of the request: `availability_zone`, `host`, `scheduler_hint`, `server_group`, `extra_spec`, `image_property`,
   * `excluded_host`. Of the question to Placement: its own names (`resource`, `required`, …). `enable_host`: a host that
   * is disabled would take it.
   */
  @IsString() relax: string;
  @IsString() detail: string;
  /** What to change, in words. */
  @IsString() sentence: string;
  /** Hosts that would take it then. */
  @IsInt() hosts: number;
  /** It names hosts or aggregates, or is an operator's to do. */
  @IsBoolean() operatorsOnly: boolean;
}
export class DryRunAnswer {
  /** `selected`, `no_valid_host`, `group_violated` or `target_unfit`; more may be added. */
  @IsString() outcome: string;
  /** Hosts that would take it. */
  @IsInt() fitting: number;
  /** Report of libs/scheduling as JSON, with at most 200 hosts and their weights. */
  @IsString() report: string;
  /** At most 8; empty where there is a host. */
  @ListOf(() => ScheduleRelaxation) wouldFitIf: ScheduleRelaxation[];
  /** Time, or the number of tries, was up before every single term had been left out, or more than 8 helped. */
  @IsBoolean() truncated: boolean;
}

export const schedulerContract = defineContract('scheduler', 'queue', {
  selectDestinations: call(SelectDestinations, Selection, 60_000),
  dryRun: call(DryRun, DryRunAnswer, 30_000),
});

export class AggregatesChanged {
  @ListOf('string') aggregates: string[];
}
export class ServiceChanged {
  @IsString() host: string;
}

/** Heard by every scheduler; a lost item costs a retry, never correctness. */
export const schedulerNews = defineContract('scheduler-news', 'queue', {
  hosts: news(HostReport),
  aggregatesChanged: news(AggregatesChanged),
  serviceChanged: news(ServiceChanged),
});
