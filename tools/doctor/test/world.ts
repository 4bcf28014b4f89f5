/** A compute database as API, conductors and agents would have written it, and a real Placement over in-process RPC. */
import { randomUUID } from 'node:crypto';
import { PLACEMENT_SCHEMA, PlacementConfig, startPlacement } from '@fractus/app-placement';
import {
  COMPUTE_SCHEMA,
  HostsRepository,
  InstanceActionsRepository,
  newServerRow,
  type TaskPatch,
  TasksRepository,
} from '@fractus/compute-db';
import { loadConfig } from '@fractus/config';
import type { Database } from '@fractus/database';
import type { OpenTestDatabase } from '@fractus/database/testing';
import { systemContext } from '@fractus/objects';
import type { CloudPlaces, Output } from '@fractus/operator';
import { createInProcessTransport, type InProcessTransport, type RabbitTransport, rpcClient } from '@fractus/rpc';
import { type HostState, placementContract } from '@fractus/rpc-contracts';
import { createMetrics, type RunningService, silentLogger } from '@fractus/telemetry';
import { Patient, type PatientOptions } from '../src/patient';

export const ctx = systemContext('req-test');
const DISTRIBUTED: CloudPlaces = { kind: 'distributed', databases: {}, processes: [], rpc: {} as never };

export class Writings implements Output {
  readonly outs: string[] = [];
  readonly errs: string[] = [];
  out = (line: string): void => void this.outs.push(line);
  err = (line: string): void => void this.errs.push(line);
}

/** The doctor's patient, on databases and transports of the test. */
class TestPatient extends Patient {
  constructor(
    private readonly parts: { db: Database; transport?: InProcessTransport },
    places: CloudPlaces,
    options: PatientOptions,
    clock?: () => number,
  ) {
    super(places, options, clock);
  }
  override compute = async (): Promise<Database> => this.parts.db;
  override broker = async (): Promise<RabbitTransport> => this.parts.transport as unknown as RabbitTransport;
}

export class World {
  readonly transport = createInProcessTransport({ logger: { warn: () => undefined, error: () => undefined } });
  readonly placement = rpcClient(this.transport, placementContract);
  readonly hosts: HostsRepository;
  private service: RunningService | undefined;
  private incarnation = Date.now() - 3_600_000;

  private constructor(
    readonly db: Database,
    readonly placementDb: Database,
  ) {
    this.hosts = new HostsRepository(db);
  }

  static async open(open: OpenTestDatabase): Promise<World> {
    const world = new World(await open(COMPUTE_SCHEMA), await open(PLACEMENT_SCHEMA));
    const overrides = { port: 0, auth: { strategy: 'noauth2' as const } };
    world.service = await startPlacement({
      config: loadConfig(PlacementConfig, { overrides }),
      database: world.placementDb,
      transport: world.transport,
      logger: silentLogger(),
      metrics: createMetrics(),
    });
    return world;
  }

  async close(): Promise<void> {
    await this.service?.close();
    await this.transport.close();
    await Promise.all([this.db.close(), this.placementDb.close()]);
  }

  patient(
    places: Partial<CloudPlaces> = {},
    options: Partial<PatientOptions> = {},
    clock: () => number = Date.now,
  ): Patient {
    const { db, transport } = this;
    return new TestPatient({ db, transport }, { ...DISTRIBUTED, ...places }, { serviceDownMs: 60_000, reconcile: true, ...options }, clock); // prettier-ignore
  }

  /** A host of an agent, heard of `silentFor` ago, with room for so many VCPUs in Placement (0: none of its own). */
  async host(
    host: string,
    {
      node = host,
      silentFor = 0,
      vcpus = 8,
      guests = 0,
    }: { node?: string; silentFor?: number; vcpus?: number; guests?: number } = {},
  ): Promise<string> {
    const nodeId = randomUUID();
    const state: HostState = {
      ...{ host, node, nodeId, hypervisorType: 'simulated', hypervisorVersion: 1, hostIp: '10.0.0.1', vcpus },
      ...{ memoryMb: 8192, diskGb: 100, vcpusUsed: 0, memoryMbUsed: 0, diskGbUsed: 0, runningGuests: guests },
      ...{ ioOps: 0, failedBuilds: 0, cpuInfo: '{}', architecture: 'x86_64', capabilities: {}, traits: [] },
      uptimeSeconds: 1,
    };
    const agent = { agentId: `agent-${host}`, incarnation: ++this.incarnation, serviceVersion: 1 };
    await this.hosts.register(agent, [state], randomUUID, Date.now() - silentFor);
    if (vcpus === 0) return nodeId;
    await this.placement.ensureProviders(ctx, { providers: [{ providerId: nodeId, name: nodeId, parentId: null }] });
    const of = (total: number) => ({ total, reserved: 0, minUnit: 1, maxUnit: total, stepSize: 1, allocationRatio: 1 });
    const inventories = { VCPU: of(vcpus), MEMORY_MB: of(8192), DISK_GB: of(100) };
    await this.placement.updateProviders(ctx, { updates: [{ providerId: nodeId, generation: 0, inventories }] });
    return nodeId;
  }

  /** A server on a host's node, running, with or without its allocation. */
  async server(
    at: { host: string; nodeId: string } | null,
    options: { allocated?: boolean | string; powerState?: number; vcpus?: number } = {},
  ): Promise<string> {
    const { allocated = true, powerState = 1, vcpus = 2 } = options;
    const id = randomUUID();
    const flavor = { flavorId: 'f', name: 'f', vcpus, memoryMb: 512, rootGb: 5, ephemeralGb: 1, swapMb: 512 };
    const image = { imageId: randomUUID(), properties: {} };
    const server = {
      ...{ id, projectId: 'p1', userId: 'u1', name: `web-${id.slice(0, 4)}`, hostname: 'web', image },
      ...{ flavor: { ...flavor, extraSpecs: {} }, requestedNetworks: 'none' as const, reservationId: 'r-1' },
    };
    const place = at ? { host: at.host, node: at.host, node_id: at.nodeId, power_state: powerState } : {};
    const row = { ...newServerRow(server, Date.now()), vm_state: 'active', task_state: null, ...place };
    await this.db.transaction((tx) => tx.insert('servers', row));
    const provider = typeof allocated === 'string' ? allocated : at?.nodeId;
    if (allocated && provider) await this.allocate(id, provider, { VCPU: vcpus, MEMORY_MB: 512, DISK_GB: 7 });
    return id;
  }

  async allocate(consumerId: string, provider: string, resources: Record<string, number>): Promise<void> {
    const consumer = { consumerId, projectId: 'p1', userId: 'u1', consumerType: 'INSTANCE' };
    await this.placement.writeAllocations(ctx, {
      consumers: [{ ...consumer, allocations: { [provider]: { resources } } }],
    });
  }

  async allocationsOf(consumerId: string): Promise<Record<string, { resources: Record<string, number> }>> {
    return (await this.placement.getAllocations(ctx, { consumerId })).allocations;
  }

  /** An open task of the server; `patch` makes it what it is to be. */
  async task(serverId: string, patch: TaskPatch = {}, begun = Date.now()): Promise<string> {
    const id = randomUUID();
    const tasks = new TasksRepository(this.db);
    const actions = new InstanceActionsRepository(this.db);
    await this.db.transaction(async (tx) => {
      const actionId = await actions.start(tx, ctx, serverId, 'stop', begun);
      const task = { id, type: 'stop-server' as const, serverId, projectId: 'p1', context: ctx, actionId };
      await tasks.insert(tx, { ...task, expiresAt: begun + 3_600_000 }, begun);
    });
    await this.db.transaction((tx) => tasks.write(tx, id, 0, patch, begun));
    return id;
  }
}
