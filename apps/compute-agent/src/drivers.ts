import { join } from 'node:path';
import type { Clock, VirtDriver } from '@fractus/virt';
import {
  CAPACITY_PROFILES,
  createSimulatedDriver,
  LATENCY_PROFILES,
  type CapacityProfile,
  type HostCapacity,
} from '@fractus/virt-simulated';
import { hostNames, type ComputeAgentConfig, type SimulatedConfig } from './config';

type OpenDriver = (config: ComputeAgentConfig, clock: Clock) => VirtDriver;

/** The drivers there are, by their name in the configuration. */
const DRIVERS = { simulated: openSimulated } as const satisfies Record<ComputeAgentConfig['driver'], OpenDriver>;

export function openDriver(config: ComputeAgentConfig, clock: Clock): VirtDriver {
  return DRIVERS[config.driver](config, clock);
}

function openSimulated(config: ComputeAgentConfig, clock: Clock): VirtDriver {
  const { profile, latency, faults, seed } = config.simulated;
  return createSimulatedDriver({
    stateDir: join(config.stateDir, 'simulated'),
    hosts: hostNames(config),
    capacity: capacities(config.simulated),
    latency: { ...LATENCY_PROFILES[profile], ...latency },
    faults,
    clock,
    ...(seed === undefined ? {} : { seed }),
  });
}

/** Single numbers replace those of the profiles. */
function capacities({ capacity, vcpus, memoryMb, diskGb }: SimulatedConfig): HostCapacity[] {
  return capacity.map((name) => {
    const profile: HostCapacity = CAPACITY_PROFILES[name as CapacityProfile];
    return { vcpus: vcpus ?? profile.vcpus, memoryMb: memoryMb ?? profile.memoryMb, diskGb: diskGb ?? profile.diskGb };
  });
}
