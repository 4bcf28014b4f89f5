import 'reflect-metadata';
import { OptionalCallerConfig, PlacementAtConfig } from '@fractus/clients';
import { Option, Section } from '@fractus/config';
import { ProcessConfig } from '@fractus/process';
import { RpcConfig } from '@fractus/rpc';
import { CAPACITY_PROFILES, LATENCY_PROFILES, type LatencyName } from '@fractus/virt-simulated';
import {
  IsArray,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsPositive,
  IsString,
  Max,
  Min,
  MinLength,
} from 'class-validator';

/** The simulated driver's world; see docs/simulated-driver.md. */
export class SimulatedConfig {
  @Option({
    default: ['default'],
    describe: `Capacity of the hosts, taken in turn: ${Object.keys(CAPACITY_PROFILES).join(', ')}.`,
  })
  @IsArray()
  @IsIn(Object.keys(CAPACITY_PROFILES), { each: true })
  capacity: string[];

  @Option({ optional: true, describe: 'VCPUs of every host; with memoryMb and diskGb replaces the profile.' })
  @IsOptional()
  @IsInt()
  @Min(1)
  vcpus?: number;

  @Option({ optional: true, describe: 'Memory of every host in MiB.' })
  @IsOptional()
  @IsInt()
  @Min(1)
  memoryMb?: number;

  @Option({ optional: true, describe: 'Disk of every host in GiB.' })
  @IsOptional()
  @IsInt()
  @Min(0)
  diskGb?: number;

  @Option({
    default: 'default',
    describe: `How long operations take: ${Object.keys(LATENCY_PROFILES).join(', ')}.`,
  })
  @IsIn(Object.keys(LATENCY_PROFILES))
  profile: LatencyName;

  @Option({
    default: {},
    describe: 'Milliseconds an operation takes, as {"spawn": 50, "stop": 20}; what is not named is as in the profile.',
  })
  @IsObject()
  latency: Record<string, number>;

  @Option({ default: {}, describe: 'Chance in [0, 1] that an operation fails, as {"spawn": 0.05}.' })
  @IsObject()
  faults: Record<string, number>;

  @Option({ optional: true, describe: 'Seed of the chance of faults, so that a run can be repeated.' })
  @IsOptional()
  @IsInt()
  seed?: number;
}

/** Operators' allocation ratios. What is not set stays as it is in Placement, or starts with the driver's own. */
export class RatioConfig {
  @Option({ optional: true, describe: 'Allocation ratio of VCPU.' })
  @IsOptional()
  @IsNumber()
  @IsPositive()
  cpu?: number;

  @Option({ optional: true, describe: 'Allocation ratio of MEMORY_MB.' })
  @IsOptional()
  @IsNumber()
  @IsPositive()
  ram?: number;

  @Option({ optional: true, describe: 'Allocation ratio of DISK_GB.' })
  @IsOptional()
  @IsNumber()
  @IsPositive()
  disk?: number;
}

export class ComputeAgentConfig {
  @Option({
    default: 'agent-1',
    describe: 'Name of this agent process; stable over restarts, and no other live process bears it.',
  })
  @IsString()
  @MinLength(1)
  agentId: string;

  @Option({ describe: 'Folder of the journal, and of the simulated hypervisors.' })
  @IsString()
  @MinLength(1)
  stateDir: string;

  @Option({ default: 'simulated', describe: 'The virt driver.' })
  @IsIn(['simulated'])
  driver: 'simulated';

  @Option({ default: [], describe: 'Names of the hosts this process serves. Empty: hostCount names from hostPattern.' })
  @IsArray()
  @IsString({ each: true })
  hosts: string[];

  @Option({ default: 10, describe: 'How many hosts, where none are named.' })
  @IsInt()
  @Min(1)
  @Max(100_000)
  hostCount: number;

  @Option({ default: 'host-%', describe: 'Name of a counted host; % stands for its number from 1.' })
  @IsString()
  hostPattern: string;

  @Option({ default: 10, describe: 'Seconds between heartbeats.' })
  @IsInt()
  @Min(1)
  reportIntervalSeconds: number;

  @Option({ default: 60, describe: 'Seconds between looks at what the hosts have; changes go to Placement.' })
  @IsInt()
  @Min(1)
  resourceIntervalSeconds: number;

  @Option({ default: 300, describe: 'Seconds between full comparisons with Placement, which mend what others broke.' })
  @IsInt()
  @Min(1)
  placementRefreshSeconds: number;

  @Option({ default: 10, describe: 'Operations under way at once on one host; more wait.' })
  @IsInt()
  @Min(1)
  maxOperationsPerHost: number;

  @Option({
    default: 168,
    describe: 'Hours the journal keeps results, fences and tombstones. Must exceed the life of any message.',
  })
  @IsInt()
  @Min(1)
  journalRetentionHours: number;

  @Option({ default: 10, describe: 'Seconds that operations under way get to end when the agent goes down.' })
  @IsInt()
  @Min(0)
  drainSeconds: number;

  @Option({ default: [], describe: 'Disk formats that are not allowed here although the driver could: raw, vmdk, …' })
  @IsArray()
  @IsString({ each: true })
  imageTypeExcludeList: string[];

  @Section(() => RatioConfig) allocationRatio: RatioConfig;

  @Section(() => SimulatedConfig) simulated: SimulatedConfig;

  @Section(() => PlacementAtConfig) placement: PlacementAtConfig;
}

/** As a process of its own. */
export class ComputeAgentProcessConfig extends ComputeAgentConfig {
  @Section(() => ProcessConfig) process: ProcessConfig;
  @Section(() => RpcConfig) rpc: RpcConfig;
  @Section(() => OptionalCallerConfig) caller: OptionalCallerConfig;
}

/** The names of the hosts that a config asks for. */
export function hostNames(config: Pick<ComputeAgentConfig, 'hosts' | 'hostCount' | 'hostPattern'>): string[] {
  if (config.hosts.length > 0) return [...config.hosts];
  const name = (n: number): string =>
    config.hostPattern.includes('%') ? config.hostPattern.replace('%', String(n)) : `${config.hostPattern}${n}`;
  return Array.from({ length: config.hostCount }, (_, i) => name(i + 1));
}
