import { IsBoolean, IsIn, IsInt, IsOptional, IsString, IsUUID, Min } from 'class-validator';
import { ListOf, MapOf, Nullable } from '@fractus/dto-schema';

/** A hypervisor as its agent sees it. Memory in MiB, disk in GiB. */
export class HostState {
  @IsString() host: string;
  /** hypervisor_hostname. */
  @IsString() node: string;
  /** Uuid of the compute node, which is also the uuid of its root resource provider. */
  @IsUUID() nodeId: string;
  @IsString() hypervisorType: string;
  @IsInt() hypervisorVersion: number;
  @IsString() hostIp: string;
  @IsInt() vcpus: number;
  @IsInt() memoryMb: number;
  @IsInt() diskGb: number;
  @IsInt() vcpusUsed: number;
  @IsInt() memoryMbUsed: number;
  @IsInt() diskGbUsed: number;
  @IsInt() runningGuests: number;
  /** Guests in the middle of a disk-heavy operation. */
  @IsInt() ioOps: number;
  /** Builds that failed here since the last that succeeded. */
  @IsInt() failedBuilds: number;
  /** JSON text as the API shows it. */
  @IsString() cpuInfo: string;
  @IsString() architecture: string;
  /** Driver capability flags, see libs/hypervisors-capabilities. */
  @MapOf('boolean') capabilities: Record<string, boolean>;
  @ListOf('string') traits: string[];
  /** Seconds since the hypervisor started. */
  @IsInt() @Min(0) uptimeSeconds: number;
}

export class RegisterHosts {
  @IsString() agentId: string;
  /** Grows with every start of the agent process. */
  @IsInt() incarnation: number;
  @IsInt() serviceVersion: number;
  @ListOf(() => HostState) hosts: HostState[];
}
export class RegisteredHost {
  @IsString() host: string;
  @IsUUID() serviceId: string;
  @IsUUID() nodeId: string;
  @IsBoolean() disabled: boolean;
  @Nullable() @IsString() disabledReason: string | null;
}
export class RegisteredHosts {
  @ListOf(() => RegisteredHost) hosts: RegisteredHost[];
}

/** One batched message per agent process: every host that is alive, and the full state of those that changed. */
export class HostReport {
  @IsString() agentId: string;
  @IsInt() incarnation: number;
  @IsInt() seq: number;
  @ListOf('string') alive: string[];
  @ListOf(() => HostState) changed: HostState[];
}

export class HostGuest {
  @IsUUID() serverId: string;
  @IsInt() fence: number;
  @IsInt() powerState: number;
}
/** What a returning agent finds on its host; asked before it consumes anything. */
export class ReattachHost {
  @IsString() agentId: string;
  @IsString() host: string;
  @ListOf(() => HostGuest) guests: HostGuest[];
  /** When the guests were looked at: epoch milliseconds by the agent's clock, as in its answers and events. */
  @IsOptional() @IsInt() at?: number;
}
export const GUEST_VERDICTS = ['keep', 'destroy', 'wait'] as const;
export class GuestVerdict {
  @IsUUID() serverId: string;
  /** `wait`: a task of this server is open; it will say what becomes of the guest. */
  @IsIn(GUEST_VERDICTS) verdict: (typeof GUEST_VERDICTS)[number];
  @IsInt() fence: number;
}
export class ReattachVerdicts {
  @ListOf(() => GuestVerdict) guests: GuestVerdict[];
}

/** A guest changed its power state without being asked to. */
export class GuestEvent {
  @IsUUID() serverId: string;
  @IsString() host: string;
  @IsInt() fence: number;
  @IsInt() powerState: number;
  /** Epoch milliseconds. */
  @IsInt() at: number;
}

export class SetHostEnabled {
  @IsBoolean() enabled: boolean;
  @IsOptional() @IsString() reason?: string;
}
export class Empty {}
export class HostUptime {
  /** As `uptime(1)` prints it. */
  @IsString() uptime: string;
}
