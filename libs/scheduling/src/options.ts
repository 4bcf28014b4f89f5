/**
 * Every option of the pipeline with upstream's default; names are upstream's in camel case ([scheduler] and
 * [filter_scheduler] of nova.conf). Where a default departs from upstream the line says so.
 */
export interface SchedulingOptions {
  /** Filters to run beside those that always run, by name. Upstream has SameHost and DifferentHost off by default. */
  readonly enabledFilters: readonly string[];
  /**
   * Most candidates asked of Placement at first; when none of them comes through, all are asked for. Upstream's 1000
   * makes every request pay for the size of the cloud. Raise it to pack hosts tightly in a cloud of more hosts than this.
   */
  readonly maxPlacementResults: number;
  readonly limitTenantsToPlacementAggregate: boolean;
  readonly placementAggregateRequiredForTenants: boolean;
  readonly queryPlacementForImageTypeSupport: boolean;
  readonly enableIsolatedAggregateFiltering: boolean;
  readonly imageMetadataPrefilter: boolean;
  readonly queryPlacementForRoutedNetworkAggregates: boolean;
  /**
   * When no host has the dedicated processors (PCPU) that a server wants, ask again for shared ones. On upstream, for
   * hosts that do not tell of theirs yet and refuse on their own; off here: every host tells.
   */
  readonly fallbackPcpuQuery: boolean;
  readonly maxIoOpsPerHost: number;
  readonly maxInstancesPerHost: number;
  /** '' = none. */
  readonly imagePropertiesDefaultArchitecture: string;
  readonly isolatedHosts: readonly string[];
  readonly isolatedImages: readonly string[];
  readonly restrictIsolatedHostsToIsolatedImages: boolean;
  readonly aggregateImagePropertiesIsolationNamespace: string;
  readonly aggregateImagePropertiesIsolationSeparator: string;
  /** The chosen host is drawn from this many of the best. */
  readonly hostSubsetSize: number;
  /** Shuffle hosts of equal best weight, by the request's seed. Off upstream; on here: equal hosts otherwise meet every claim. */
  readonly shuffleBestSameWeighedHosts: boolean;
  readonly multipliers: Readonly<Record<MultiplierName, number>>;
}

/** Weight multipliers; an aggregate's metadata may override each under its snake_case name. */
export const DEFAULT_MULTIPLIERS = {
  ram: 1,
  cpu: 1,
  disk: 1,
  pci: 1,
  io_ops: -1,
  num_instances: 0,
  hypervisor_version: 1,
  soft_affinity: 1,
  soft_anti_affinity: 1,
  build_failure: 1_000_000,
} as const;
export type MultiplierName = keyof typeof DEFAULT_MULTIPLIERS;

export const DEFAULT_ENABLED_FILTERS = [
  'ComputeFilter',
  'ComputeCapabilitiesFilter',
  'ImagePropertiesFilter',
  'ServerGroupAntiAffinityFilter',
  'ServerGroupAffinityFilter',
  'SameHostFilter',
  'DifferentHostFilter',
] as const;

export const DEFAULT_OPTIONS: SchedulingOptions = Object.freeze({
  enabledFilters: DEFAULT_ENABLED_FILTERS,
  maxPlacementResults: 100,
  limitTenantsToPlacementAggregate: false,
  placementAggregateRequiredForTenants: false,
  queryPlacementForImageTypeSupport: false,
  enableIsolatedAggregateFiltering: false,
  imageMetadataPrefilter: false,
  queryPlacementForRoutedNetworkAggregates: false,
  fallbackPcpuQuery: false,
  maxIoOpsPerHost: 8,
  maxInstancesPerHost: 50,
  imagePropertiesDefaultArchitecture: '',
  isolatedHosts: [],
  isolatedImages: [],
  restrictIsolatedHostsToIsolatedImages: true,
  aggregateImagePropertiesIsolationNamespace: '',
  aggregateImagePropertiesIsolationSeparator: '.',
  hostSubsetSize: 1,
  shuffleBestSameWeighedHosts: true,
  multipliers: DEFAULT_MULTIPLIERS,
});
