/** The file that the simulator reads: a cloud, and who wants a place in it. Memory in MiB, disk in GiB. */
import { IsBoolean, IsIn, IsInt, IsNumber, IsObject, IsOptional, IsString, Max, Min } from 'class-validator';
import { Closed, compileDto, ListOf, MapOf, Nested } from '@fractus/dto-schema';

@Closed()
export class SimAggregate {
  @IsString() name: string;
  /** `availability_zone` makes it a zone. */
  @MapOf('string') metadata: Record<string, string>;
}

@Closed()
export class SimHost {
  /** With a count the hosts are called name-1, name-2, … */
  @IsString() name: string;
  @IsOptional() @IsInt() @Min(1) @Max(100_000) count?: number;
  @IsInt() @Min(1) vcpus: number;
  @IsInt() @Min(1) memoryMb: number;
  @IsInt() @Min(0) diskGb: number;
  /** Processors are overcommitted this much; 4 unless said. */
  @IsOptional() @IsNumber() @Min(0.1) cpuAllocationRatio?: number;
  @IsOptional() @ListOf('string') traits?: string[];
  /** Names of aggregates. */
  @IsOptional() @ListOf('string') aggregates?: string[];
  /** Further resource classes. */
  @IsOptional() @MapOf('integer') resources?: Record<string, number>;
  @IsOptional() @IsBoolean() disabled?: boolean;
  @IsOptional() @IsBoolean() down?: boolean;
  @IsOptional() @IsString() architecture?: string;
  @IsOptional() @IsString() hypervisorType?: string;
  @IsOptional() @IsInt() hypervisorVersion?: number;
  @IsOptional() @IsInt() runningGuests?: number;
  @IsOptional() @IsInt() ioOps?: number;
  @IsOptional() @IsInt() failedBuilds?: number;
}

@Closed()
export class SimFlavor {
  @IsOptional() @IsString() name?: string;
  @IsInt() @Min(1) vcpus: number;
  @IsInt() @Min(1) memoryMb: number;
  @IsOptional() @IsInt() @Min(0) rootGb?: number;
  @IsOptional() @IsInt() @Min(0) ephemeralGb?: number;
  @IsOptional() @IsInt() @Min(0) swapMb?: number;
  @IsOptional() @MapOf('string') extraSpecs?: Record<string, string>;
}

@Closed()
export class SimImage {
  @IsOptional() @IsString() diskFormat?: string;
  @IsOptional() @MapOf('string') properties?: Record<string, string>;
}

@Closed()
export class SimRequest {
  @IsString() name: string;
  /** Servers alike, one after another. */
  @IsOptional() @IsInt() @Min(1) @Max(1_000_000) count?: number;
  @Nested(() => SimFlavor) flavor: SimFlavor;
  @IsOptional() @Nested(() => SimImage) image?: SimImage;
  @IsOptional() @IsString() project?: string;
  @IsOptional() @IsString() zone?: string;
  @IsOptional() @IsString() host?: string;
  @IsOptional() @IsBoolean() bootFromVolume?: boolean;
  @IsOptional() @IsBoolean() multiattachVolumes?: boolean;
  @IsOptional() @IsIn(['affinity', 'anti-affinity', 'soft-affinity', 'soft-anti-affinity']) group?:
    'affinity' | 'anti-affinity' | 'soft-affinity' | 'soft-anti-affinity';
}

@Closed()
export class Scenario {
  @ListOf(() => SimHost) hosts: SimHost[];
  @IsOptional() @ListOf(() => SimAggregate) aggregates?: SimAggregate[];
  @ListOf(() => SimRequest) requests: SimRequest[];
  /** Options of the scheduler by name, e.g. enabledFilters, hostSubsetSize, multipliers. */
  @IsOptional() @IsObject() options?: Record<string, unknown>;
  /** Another seed draws other hosts among equals. */
  @IsOptional() @IsString() seed?: string;
}

const compiled = compileDto(Scenario);

/** `invalid` naming field and rule. */
export const parseScenario = (value: unknown): Scenario => compiled.parse(value);
