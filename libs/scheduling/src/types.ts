import type { RequestGroup } from './candidate-query';

/** A host aggregate: a named set of hosts with metadata. Its uuid is also the aggregate's name in Placement. */
export interface AggregateView {
  readonly id: string;
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** [architecture, hypervisor type, virtual machine mode] that a hypervisor can run. */
export type SupportedInstance = readonly [architecture: string, hypervisorType: string, vmMode: string];

/** A hypervisor as filters and weighers see it. Memory in MiB, disk in GiB. Never changed: a claim makes a new view. */
export interface HostView {
  readonly host: string;
  /** hypervisor_hostname. */
  readonly node: string;
  /** Uuid of the compute node, which is its root provider. */
  readonly nodeId: string;
  readonly service: ServiceView;
  /** The zone of the host's aggregates, or the default zone. */
  readonly availabilityZone: string;
  readonly aggregates: readonly AggregateView[];
  readonly hypervisorType: string;
  readonly hypervisorVersion: number;
  readonly hostIp: string;
  readonly vcpus: number;
  readonly vcpusUsed: number;
  readonly memoryMb: number;
  readonly memoryMbUsed: number;
  readonly diskGb: number;
  readonly diskGbUsed: number;
  /** What may still be claimed; by Placement's account where it is known (overcommit included), else total − used. */
  readonly free: Readonly<{ vcpus: number; memoryMb: number; diskGb: number }>;
  readonly runningGuests: number;
  /** Guests in the middle of a disk-heavy operation. */
  readonly ioOps: number;
  /** Builds that failed since the last that succeeded. */
  readonly failedBuilds: number;
  readonly freePciDevices: number;
  /** Parsed cpu_info. */
  readonly cpuInfo: unknown;
  readonly supportedInstances: readonly SupportedInstance[];
  /** Driver capability flags. */
  readonly capabilities: Readonly<Record<string, boolean>>;
}

export interface ServiceView {
  /** Heard from within the limit, and not forced down. */
  readonly up: boolean;
  readonly disabled: boolean;
  readonly disabledReason: string | null;
  readonly forcedDown: boolean;
  /** Seconds since the last sign of life; null: never heard of. */
  readonly silentSeconds: number | null;
}

/** Memory and swap in MiB, disks in GiB. */
export interface FlavorView {
  readonly name: string;
  readonly vcpus: number;
  readonly memoryMb: number;
  readonly rootGb: number;
  readonly ephemeralGb: number;
  readonly swapMb: number;
  readonly extraSpecs: Readonly<Record<string, string>>;
}

export interface ImageView {
  readonly imageId: string;
  readonly diskFormat?: string;
  readonly properties: Readonly<Record<string, string>>;
}

export const GROUP_POLICIES = ['affinity', 'anti-affinity', 'soft-affinity', 'soft-anti-affinity'] as const;
export type GroupPolicy = (typeof GROUP_POLICIES)[number];

/** The server group that the server belongs to, with where its other members are. */
export interface ServerGroupView {
  readonly groupId: string;
  readonly policy: GroupPolicy;
  /** Rule of anti-affinity; upstream's default is 1. */
  readonly maxServerPerHost: number;
  /** Host → other members there. */
  readonly membersByHost: Readonly<Record<string, number>>;
}

/** One server that wants a place: what the user asked for, and facts about it that callers gather beforehand. */
export interface ScheduleRequest {
  readonly serverId: string;
  readonly projectId: string;
  readonly flavor: FlavorView;
  readonly image: ImageView | null;
  /** The root disk is a volume: DISK_GB leaves it out. */
  readonly bootFromVolume: boolean;
  readonly availabilityZone: string | null;
  readonly requestedHost: string | null;
  readonly requestedNode: string | null;
  readonly schedulerHints: Readonly<Record<string, readonly string[]>>;
  /** Where the server is now, when it is to move. */
  readonly currentHost?: string;
  /** Hosts that have already failed in this task. */
  readonly excludeHosts: readonly string[];
  /** Server named in `same_host` or `different_host` → its host; servers without a host are left out. */
  readonly hintedServers?: Readonly<Record<string, string>>;
  readonly serverGroup?: ServerGroupView;
  /** Request groups of ports and devices; suffixes must not be the flavor's. */
  readonly extraGroups?: readonly RequestGroup[];
  /** Suffixes of groups that must be met in one subtree of a host, one list each (ports with several resources). */
  readonly sameSubtree?: readonly (readonly string[])[];
  /** Ask for shared processors where dedicated ones are wanted: the second question of `fallbackPcpuQuery`. */
  readonly sharedProcessors?: boolean;
  /** Aggregates of the network segments asked for, one list a network interface. */
  readonly networkAggregates?: readonly (readonly string[])[];
  readonly remoteManagedPorts?: boolean;
  /** Any volume that the server boots from, or is given, may be attached to several servers. */
  readonly multiattachVolumes?: boolean;
}

/** The cloud as request filters see it. */
export interface CloudFacts {
  readonly hosts: readonly Pick<HostView, 'host' | 'node' | 'nodeId'>[];
  readonly aggregates: readonly AggregateView[];
  /** Every compute node's provider carries OWNER_NOVA, so it may be required. */
  readonly everyHostOwned: boolean;
}

/** A typed fact of a reason: JSON, and readable as it is. */
export type Fact = string | number | boolean | null | readonly string[];

/** Why something is not possible: a stable code, what there is, what would be needed, and one sentence. */
export interface Reason {
  readonly code: string;
  readonly have: Fact;
  readonly need: Fact;
  readonly sentence: string;
}

export type HostVerdict = { readonly pass: true } | ({ readonly pass: false } & Reason);
