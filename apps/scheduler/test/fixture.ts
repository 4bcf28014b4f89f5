import { randomUUID } from 'node:crypto';
import { NestFactory } from '@nestjs/core';
import { openComputeDatabase } from '@fractus/compute-db';
import { loadConfig } from '@fractus/config';
import type { Database } from '@fractus/database';
import { systemContext } from '@fractus/objects';
import { createInProcessTransport, rpcClient, serveRpc } from '@fractus/rpc';
import {
  type HostState,
  placementContract,
  type RequestSpec,
  schedulerContract,
  schedulerNews,
  type SelectDestinations,
} from '@fractus/rpc-contracts';
import type { FlatProvider } from '@fractus/scheduling';
import { createMetrics, silentLogger } from '@fractus/telemetry';
import { SchedulerConfig, startScheduler } from '../src/app.module';
import { TestPlacement, TestPlacementModule } from './test-placement';

export const ctx = systemContext('req-11111111-1111-4111-8111-111111111111');
export const AGENT = 'agent-1';
export const INCARNATION = 1_700_000_000_000;

/** c0 → …0000, c1 → …0001. */
export const nodeIdOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

export function aState(n: number, over: Partial<HostState> = {}): HostState {
  return {
    host: `c${n}`,
    node: `c${n}`,
    nodeId: nodeIdOf(n),
    hypervisorType: 'simulated',
    hypervisorVersion: 1000000,
    hostIp: '192.0.2.1',
    vcpus: 4,
    memoryMb: 8192,
    diskGb: 100,
    vcpusUsed: 0,
    memoryMbUsed: 0,
    diskGbUsed: 0,
    runningGuests: 0,
    ioOps: 0,
    failedBuilds: 0,
    cpuInfo: '{}',
    architecture: 'x86_64',
    capabilities: {},
    traits: [],
    uptimeSeconds: 5,
    ...over,
  };
}

export const aSpec = (over: Partial<RequestSpec> = {}): RequestSpec => ({
  projectId: 'p1',
  userId: 'u1',
  flavor: {
    flavorId: '1',
    name: 'm1.small',
    vcpus: 1,
    memoryMb: 1024,
    rootGb: 10,
    ephemeralGb: 0,
    swapMb: 0,
    extraSpecs: {},
  },
  image: null,
  bootFromVolume: false,
  availabilityZone: null,
  requestedHost: null,
  requestedNode: null,
  schedulerHints: {},
  ...over,
});

export const aCall = (over: Partial<SelectDestinations> = {}): SelectDestinations => ({
  serverId: randomUUID(),
  taskId: randomUUID(),
  fence: 1,
  operation: 'create',
  spec: aSpec(),
  excludeHosts: [],
  alternates: 2,
  ...over,
});

export const aProvider = (n: number, over: Partial<FlatProvider> = {}): FlatProvider => ({
  id: nodeIdOf(n),
  capacity: { VCPU: 4, MEMORY_MB: 8192, DISK_GB: 100 },
  traits: [],
  aggregates: [],
  ...over,
});

/** Writes a host's rows as conductor does. */
export async function addHost(
  db: Database,
  n: number,
  over: { lastSeenAt?: number; neverSeen?: boolean; disabled?: boolean; state?: Partial<HostState> } = {},
): Promise<void> {
  const s = aState(n, over.state);
  const now = Date.now();
  await db.transaction(async (tx) => {
    await tx.insert('services', {
      uuid: randomUUID(),
      host: s.host,
      binary_name: 'nova-compute',
      topic: 'compute',
      disabled: over.disabled ?? false,
      disabled_reason: null,
      forced_down: false,
      last_seen_at: over.neverSeen ? null : (over.lastSeenAt ?? now),
      report_count: 1,
      version: 73,
      agent_id: AGENT,
      incarnation: INCARNATION,
      created_at: now,
      updated_at: null,
    });
    await tx.insert('compute_nodes', {
      uuid: s.nodeId,
      host: s.host,
      node: s.node,
      hypervisor_type: s.hypervisorType,
      hypervisor_version: s.hypervisorVersion,
      host_ip: s.hostIp,
      vcpus: s.vcpus,
      memory_mb: s.memoryMb,
      disk_gb: s.diskGb,
      vcpus_used: s.vcpusUsed,
      memory_mb_used: s.memoryMbUsed,
      disk_gb_used: s.diskGbUsed,
      running_guests: s.runningGuests,
      io_ops: s.ioOps,
      failed_builds: s.failedBuilds,
      cpu_info: s.cpuInfo,
      architecture: s.architecture,
      capabilities: JSON.stringify(s.capabilities),
      traits: JSON.stringify(s.traits),
      uptime_seconds: s.uptimeSeconds,
      incarnation: INCARNATION,
      seq: 1,
      reported_at: now,
      created_at: now,
      updated_at: null,
    });
  });
}

/** A scheduler over the in-process transport, with a Placement of flat providers and a database in memory. */
export async function startCloud(
  providers: readonly FlatProvider[],
  prepare: (db: Database) => Promise<void>,
  filtering: object = {},
) {
  const database = await openComputeDatabase({ url: 'sqlite::memory:' });
  await prepare(database);
  const quiet = { warn: () => undefined, error: () => undefined };
  const transport = createInProcessTransport({ logger: quiet });
  const placement = new TestPlacement(providers);
  const placementApp = await NestFactory.createApplicationContext(TestPlacementModule.with(placement), {
    logger: false,
  });
  const placementRpc = await serveRpc(placementApp, transport, { contracts: [placementContract], logger: quiet });
  const config = loadConfig(SchedulerConfig, { overrides: { pageSize: 3, refreshSeconds: 0, filtering } });
  const logger = silentLogger();
  const metrics = createMetrics();
  const scheduler = await startScheduler({ config, database, transport, logger, metrics });
  return {
    database,
    placement,
    scheduler,
    metrics,
    stopPlacement: () => placementRpc.close(),
    client: rpcClient(transport, schedulerContract),
    news: rpcClient(transport, schedulerNews),
    async close() {
      await scheduler.close();
      await placementRpc.close();
      await placementApp.close();
      await transport.close();
      await database.close();
    },
  };
}
export type Cloud = Awaited<ReturnType<typeof startCloud>>;
