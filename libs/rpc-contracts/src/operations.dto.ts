import { IsBoolean, IsIn, IsInt, IsOptional, IsString, IsUUID, Min } from 'class-validator';
import { ListOf, MapOf, Nested, Nullable } from '@fractus/dto-schema';

/** Names one attempt of one step of one task: the idempotency key of everything an agent does. */
export class OperationRef {
  @IsUUID() taskId: string;
  @IsUUID() serverId: string;
  /** The step's name in the task's table. */
  @IsString() step: string;
  @IsInt() @Min(1) attempt: number;
  /** Grows with every lease of any task of this server; an agent refuses a lower one than it has seen. */
  @IsInt() @Min(1) fence: number;
  @IsString() host: string;
  /** Seconds without a sign of life after which conductor gives the step up. The agent reports at least thrice as often. */
  @IsInt() @Min(1) silenceSeconds: number;
}

/** A flavor as it was when the server was created or resized. Memory and swap in MiB, disks in GiB. */
export class FlavorSnapshot {
  @IsString() flavorId: string;
  @IsString() name: string;
  @IsInt() vcpus: number;
  @IsInt() memoryMb: number;
  @IsInt() rootGb: number;
  @IsInt() ephemeralGb: number;
  @IsInt() swapMb: number;
  @MapOf('string') extraSpecs: Record<string, string>;
}

/** What an agent or the scheduler needs of an image. Sizes: bytes, MiB, GiB as named. */
export class ImageSnapshot {
  @IsUUID() imageId: string;
  @IsOptional() @IsString() name?: string;
  @IsOptional() @IsInt() sizeBytes?: number;
  @IsOptional() @IsInt() minDiskGb?: number;
  @IsOptional() @IsInt() minMemoryMb?: number;
  @IsOptional() @IsString() diskFormat?: string;
  @IsOptional() @IsString() containerFormat?: string;
  @IsOptional() @IsString() checksum?: string;
  /** Custom properties (`hw_*`, `os_*`, `trait:*`), as strings. */
  @MapOf('string') properties: Record<string, string>;
}

export class FixedIp {
  @IsString() ipAddress: string;
  @IsOptional() @IsString() subnetId?: string;
}

/** A port that the guest is plugged into. Made by conductor before the agent is asked to build. */
export class GuestNic {
  @IsUUID() portId: string;
  @IsUUID() networkId: string;
  @IsOptional() @IsString() networkName?: string;
  @IsString() macAddress: string;
  @ListOf(() => FixedIp) fixedIps: FixedIp[];
  @IsOptional() @IsString() vifType?: string;
  @IsOptional() @IsInt() mtu?: number;
  @IsOptional() @IsString() tag?: string;
  /** Whether the port came with the request: then it outlives the server. */
  @IsBoolean() preexisting: boolean;
}

export class AllocationResources {
  @MapOf('integer') resources: Record<string, number>;
}

/** Everything an agent needs to build a guest; it asks no database. */
export class GuestSpec {
  @IsUUID() serverId: string;
  @IsString() name: string;
  @IsString() hostname: string;
  @IsString() projectId: string;
  @IsString() userId: string;
  @Nested(() => FlavorSnapshot) flavor: FlavorSnapshot;
  /** Null for a server that boots from a volume. */
  @Nullable() @Nested(() => ImageSnapshot) image: ImageSnapshot | null;
  @ListOf(() => GuestNic) nics: GuestNic[];
  /** The user's key-value pairs; the simulated driver takes fault injections from here. */
  @MapOf('string') metadata: Record<string, string>;
  @Nullable() @IsString() keyName: string | null;
  @Nullable() @IsString() publicKey: string | null;
  /** Base64, as it was given. */
  @Nullable() @IsString() userData: string | null;
  @IsBoolean() configDrive: boolean;
  @Nullable() @IsString() adminPassword: string | null;
  @Nullable() @IsString() availabilityZone: string | null;
  /** Provider uuid → what is claimed there for this server. */
  @MapOf(() => AllocationResources) allocations: Record<string, AllocationResources>;
}

export const OPERATION_OUTCOMES = ['done', 'failed'] as const;

export class OperationError {
  /** Stable and dotted: `driver.spawn`, `guest.not_found`, `fence.stale`, `driver.unsupported`. */
  @IsString() code: string;
  /** Safe to show to the owner of the server. */
  @IsString() message: string;
  /** Whether another host might do better (a build is tried on an alternate). */
  @IsBoolean() retryElsewhere: boolean;
}

export class OperationProgress {
  @Nested(() => OperationRef) operation: OperationRef;
  /** `networking`, `image`, `spawning`, …; shown as task_state where it is one. */
  @IsOptional() @IsString() phase?: string;
  @IsOptional() @IsInt() percent?: number;
}

export class OperationFinished {
  @Nested(() => OperationRef) operation: OperationRef;
  @IsIn(OPERATION_OUTCOMES) outcome: (typeof OPERATION_OUTCOMES)[number];
  /** The guest's power state after the operation, where there is a guest. */
  @IsOptional() @IsInt() powerState?: number;
  @IsOptional() @Nested(() => OperationError) error?: OperationError;
  /** True when the answer comes from the journal: the work had been done before. */
  @IsOptional() @IsBoolean() replayed?: boolean;
  /** Epoch ms at which the operation ended, by the agent's clock: what the guest did before that is part of it. */
  @IsOptional() @IsInt() at?: number;
}
