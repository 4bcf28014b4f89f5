import type { Clock } from '@fractus/virt';

/** What a simulated host has. Memory in MiB, disk in GiB. */
export interface HostCapacity {
  readonly vcpus: number;
  readonly memoryMb: number;
  readonly diskGb: number;
}

export const CAPACITY_PROFILES = {
  small: { vcpus: 8, memoryMb: 16_384, diskGb: 200 },
  default: { vcpus: 32, memoryMb: 131_072, diskGb: 2_000 },
  large: { vcpus: 128, memoryMb: 1_048_576, diskGb: 16_000 },
  /** Never the reason for "No valid host": for load tests of the control plane. */
  boundless: { vcpus: 1_000, memoryMb: 8_000_000, diskGb: 600_000 },
} as const satisfies Record<string, HostCapacity>;
export type CapacityProfile = keyof typeof CAPACITY_PROFILES;

/** Operations of the driver, as latency and fault profiles and the ledger name them. */
export const SIMULATED_OPERATIONS = [
  'spawn',
  'destroy',
  'start',
  'stop',
  'reboot',
  'pause',
  'unpause',
  'suspend',
  'resume',
] as const;
export type SimulatedOperation = (typeof SIMULATED_OPERATIONS)[number];

/** Milliseconds an operation takes. */
export type LatencyProfile = Readonly<Record<SimulatedOperation, number>>;
export const DEFAULT_LATENCY: LatencyProfile = {
  spawn: 50,
  destroy: 10,
  start: 20,
  stop: 20,
  reboot: 30,
  pause: 5,
  unpause: 5,
  suspend: 20,
  resume: 20,
};
export const NO_LATENCY: LatencyProfile = {
  spawn: 0,
  destroy: 0,
  start: 0,
  stop: 0,
  reboot: 0,
  pause: 0,
  unpause: 0,
  suspend: 0,
  resume: 0,
};

const SLOW_LATENCY: LatencyProfile = {
  spawn: 5000,
  destroy: 2000,
  start: 1500,
  stop: 3000,
  reboot: 3000,
  pause: 5,
  unpause: 5,
  suspend: 2000,
  resume: 2000,
};
/** By the names that options know them. */
export const LATENCY_PROFILES = { default: DEFAULT_LATENCY, instant: NO_LATENCY, slow: SLOW_LATENCY } as const;
export type LatencyName = keyof typeof LATENCY_PROFILES;

/** Chance in [0, 1] that an operation fails. */
export type FaultProfile = Readonly<Partial<Record<SimulatedOperation, number>>>;

export interface SimulatedDriverOptions {
  /** Folder that is the hypervisors' world: guests and the ledger. One process at a time. */
  readonly stateDir: string;
  readonly hosts: readonly string[];
  /** One profile for all, or several that hosts take in turn. Default `default`. */
  readonly capacity?: readonly (CapacityProfile | HostCapacity)[];
  /** Replaces single values of the default latency. */
  readonly latency?: Partial<LatencyProfile>;
  /** Chance of failure of each operation on every host. */
  readonly faults?: FaultProfile;
  /** The same for single hosts; wins over `faults` operation by operation. */
  readonly hostFaults?: Readonly<Record<string, FaultProfile>>;
  /** Seeds the chance, so that a run can be repeated. */
  readonly seed?: number;
  readonly clock?: Clock;
  /** Lines of the ledger that are kept when it is opened; older ones go. Default one million. */
  readonly ledgerLimit?: number;
}
