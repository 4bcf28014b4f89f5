import type { IdentityConfig } from '@fractus/app-companions';
import type { ComputeAgentConfig, RunningComputeAgent } from '@fractus/app-compute-agent';
import type { ComputeApiConfig, ComputeApiDeps } from '@fractus/app-compute-api';
import type { ConductorConfig } from '@fractus/app-conductor';
import type { PlacementConfig } from '@fractus/app-placement';
import type { SchedulerConfig } from '@fractus/app-scheduler';
import type { DeepPartial } from '@fractus/config';
import type { Database } from '@fractus/database';
import type { LogLevel, ReadyCheck } from '@fractus/telemetry';
import { portsFrom, type ServedName } from './ports';
import type { Secrets } from './state-dir';

export type SimProfile = ComputeAgentConfig['simulated']['profile'];

export interface CloudPlan {
  /** Where databases, images and the simulated hypervisors live. */
  file(...parts: string[]): string;
  secrets: Secrets;
  bind: string;
  /** Port by service; 0 takes a free one. */
  ports: Record<ServedName, number>;
  /** Port of the admin listener on loopback; absent: none. */
  adminPort?: number;
  hosts: number;
  simProfile: SimProfile;
  logLevel: LogLevel;
  /** Log file; none logs nowhere. */
  logFile?: string;
  /**
   * Environment that services' options are read from, by the scheme of `loadServiceConfig`. What the plan itself says
   * (addresses, ports, folders) wins.
   */
  env?: Readonly<Record<string, string | undefined>>;
  /** What tests change in the services' configs. */
  configs?: {
    identity?: DeepPartial<IdentityConfig>;
    conductor?: DeepPartial<ConductorConfig>;
    scheduler?: DeepPartial<SchedulerConfig>;
    agent?: DeepPartial<ComputeAgentConfig>;
    placement?: DeepPartial<PlacementConfig>;
    computeApi?: DeepPartial<ComputeApiConfig>;
  };
  /** Sees every answer of the Compute API; tests keep count of what they covered. */
  observe?: ComputeApiDeps['observe'];
}

export interface RunningCloud {
  /** The admin listener, where one was asked for. */
  readonly adminUrl?: string;
  /** Base URL by service. */
  readonly urls: Record<ServedName, string>;
  readonly agent: RunningComputeAgent;
  readonly computeDatabase: Database;
  readonly placementDatabase: Database;
  ready(): Promise<ReadyCheck[]>;
  close(): Promise<void>;
}

/** Every port that the cloud listens on, from the base. */
export function servedPorts(base: number): Record<ServedName, number> {
  const { identity, image, network, placement, compute } = portsFrom(base);
  return { identity, image, network, placement, compute };
}
