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
}

export const schedulerContract = defineContract('scheduler', 'queue', {
  selectDestinations: call(SelectDestinations, Selection, 60_000),
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
