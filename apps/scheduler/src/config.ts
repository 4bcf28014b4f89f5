import { ArrayUnique, IsArray, IsBoolean, IsIn, IsInt, IsNumber, IsString, Matches, Max, Min } from 'class-validator';
import { OptionalCallerConfig, PlacementAtConfig } from '@fractus/clients';
import { Option, Section } from '@fractus/config';
import { DatabaseConfig } from '@fractus/database';
import { ProcessConfig } from '@fractus/process';
import { RpcConfig } from '@fractus/rpc';
import {
  DEFAULT_MULTIPLIERS,
  DEFAULT_OPTIONS,
  FILTERS,
  type MultiplierName,
  type SchedulingOptions,
} from '@fractus/scheduling';

const FILTER_NAMES = FILTERS.map((f) => f.name);
const D = DEFAULT_OPTIONS;

/** Weight multipliers; names of upstream without `_weight_multiplier`. */
export class MultipliersConfig implements Record<MultiplierName, number> {
  @Option({ default: DEFAULT_MULTIPLIERS.ram, describe: 'Free memory: positive spreads, negative stacks.' })
  @IsNumber()
  ram: number;
  @Option({ default: DEFAULT_MULTIPLIERS.cpu, describe: 'Free processors.' })
  @IsNumber()
  cpu: number;
  @Option({ default: DEFAULT_MULTIPLIERS.disk, describe: 'Free disk.' })
  @IsNumber()
  disk: number;
  @Option({ default: DEFAULT_MULTIPLIERS.pci, describe: 'Scarcity of PCI devices.' })
  @IsNumber()
  @Min(0)
  pci: number;
  @Option({
    default: DEFAULT_MULTIPLIERS.io_ops,
    describe: 'Disk-heavy operations under way; negative avoids busy hosts.',
  })
  @IsNumber()
  io_ops: number;
  @Option({ default: DEFAULT_MULTIPLIERS.num_instances, describe: 'Servers on the host.' })
  @IsNumber()
  num_instances: number;
  @Option({ default: DEFAULT_MULTIPLIERS.hypervisor_version, describe: 'Hypervisor version.' })
  @IsNumber()
  hypervisor_version: number;
  @Option({ default: DEFAULT_MULTIPLIERS.soft_affinity, describe: 'Members of a group with policy soft-affinity.' })
  @IsNumber()
  @Min(0)
  soft_affinity: number;
  @Option({
    default: DEFAULT_MULTIPLIERS.soft_anti_affinity,
    describe: 'Members of a group with policy soft-anti-affinity.',
  })
  @IsNumber()
  @Min(0)
  soft_anti_affinity: number;
  @Option({ default: DEFAULT_MULTIPLIERS.build_failure, describe: 'Builds failed in a row; counts against the host.' })
  @IsNumber()
  build_failure: number;
}

/** Options of filters and request filters, with upstream's names and defaults (see SchedulingOptions). */
export class FilteringConfig {
  @Option({ default: [...D.enabledFilters], describe: 'Filters to run, by class name; some of our own always run.' })
  @IsArray()
  @ArrayUnique()
  @IsIn(FILTER_NAMES, { each: true })
  enabledFilters: string[];
  @Option({
    default: D.maxPlacementResults,
    describe: 'Most candidates asked of Placement at first; all are, when none of these will do.',
  })
  @IsInt()
  @Min(1)
  maxPlacementResults: number;
  @Option({ default: false, describe: 'Keep projects within aggregates whose filter_tenant_id is theirs.' })
  @IsBoolean()
  limitTenantsToPlacementAggregate: boolean;
  @Option({ default: false, describe: 'Refuse projects that have no aggregate of their own.' })
  @IsBoolean()
  placementAggregateRequiredForTenants: boolean;
  @Option({ default: false, describe: "Require the trait of the image's disk format." })
  @IsBoolean()
  queryPlacementForImageTypeSupport: boolean;
  @Option({ default: false, describe: 'Close aggregates that require traits which the request does not.' })
  @IsBoolean()
  enableIsolatedAggregateFiltering: boolean;
  @Option({ default: false, describe: "Require the traits of the image's device models and buses." })
  @IsBoolean()
  imageMetadataPrefilter: boolean;
  @Option({ default: false, describe: 'Keep to aggregates of the network segments asked for.' })
  @IsBoolean()
  queryPlacementForRoutedNetworkAggregates: boolean;
  @Option({
    default: false,
    describe: 'Ask for shared processors where no host has the dedicated ones a server wants. On upstream.',
  })
  @IsBoolean()
  fallbackPcpuQuery: boolean;
  @Option({ default: D.maxIoOpsPerHost, describe: 'Disk-heavy operations on one host (IoOpsFilter).' })
  @IsInt()
  @Min(0)
  maxIoOpsPerHost: number;
  @Option({ default: D.maxInstancesPerHost, describe: 'Servers on one host (NumInstancesFilter).' })
  @IsInt()
  @Min(1)
  maxInstancesPerHost: number;
  @Option({ default: '', describe: 'Architecture of images that name none (ImagePropertiesFilter).' })
  @IsString()
  imagePropertiesDefaultArchitecture: string;
  @Option({ default: [], describe: 'Hosts kept for isolated images (IsolatedHostsFilter).' })
  @IsArray()
  isolatedHosts: string[];
  @Option({ default: [], describe: 'Images that may only run on isolated hosts.' })
  @IsArray()
  isolatedImages: string[];
  @Option({ default: true, describe: 'Whether isolated hosts take isolated images only.' })
  @IsBoolean()
  restrictIsolatedHostsToIsolatedImages: boolean;
  @Option({ default: '', describe: 'Only aggregate keys of this namespace count (AggregateImagePropertiesIsolation).' })
  @IsString()
  aggregateImagePropertiesIsolationNamespace: string;
  @Option({ default: '.', describe: 'Between that namespace and the key.' })
  @IsString()
  aggregateImagePropertiesIsolationSeparator: string;
  @Option({ default: D.hostSubsetSize, describe: 'The host is drawn from this many of the best.' })
  @IsInt()
  @Min(1)
  hostSubsetSize: number;
  @Option({ default: true, describe: 'Shuffle hosts of equal best weight.' })
  @IsBoolean()
  shuffleBestSameWeighedHosts: boolean;
  @Section(() => MultipliersConfig) multipliers: MultipliersConfig;
}

/** Options of the scheduler service. */
export class SchedulerConfig {
  @Option({ default: 'scheduler', describe: 'Name of this scheduler in the list of services.' })
  @Matches(/^[^/]{1,200}$/, { message: 'instance must have 1 to 200 characters and no slash' })
  instance: string;
  @Option({ default: 60, describe: 'Seconds without a sign of life after which a compute service counts as down.' })
  @IsInt()
  @Min(1)
  serviceDownSeconds: number;
  @Option({ default: 'nova', describe: 'Zone of hosts in no aggregate that names one.' })
  @IsString()
  defaultZone: string;
  @Option({ default: 200, describe: 'Hosts read from the database at once.' })
  @IsInt()
  @Min(1)
  @Max(1000)
  pageSize: number;
  @Option({
    default: 120,
    describe: 'Seconds between full reads of the hosts, which make good for lost news; 0: never.',
  })
  @IsInt()
  @Min(0)
  refreshSeconds: number;
  @Option({ default: 7, describe: 'Days that records of scheduling attempts are kept; 0: for ever.' })
  @IsInt()
  @Min(0)
  attemptRetentionDays: number;
  @Option({ default: true, describe: 'Whether attempts are recorded; without records os-schedule-info knows of none.' })
  @IsBoolean()
  recordAttempts: boolean;
  @Section(() => FilteringConfig) filtering: FilteringConfig;
  @Section(() => PlacementAtConfig) placement: PlacementAtConfig;
}

/** The options in the form of the pure pipeline. */
export const schedulingOptions = (config: Readonly<SchedulerConfig>): SchedulingOptions => config.filtering;

/** As a process of its own. */
export class SchedulerProcessConfig extends SchedulerConfig {
  @Section(() => ProcessConfig) process: ProcessConfig;
  @Section(() => DatabaseConfig) database: DatabaseConfig;
  @Section(() => RpcConfig) rpc: RpcConfig;
  @Section(() => OptionalCallerConfig) caller: OptionalCallerConfig;
}
