import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NetworkClient, PlacementClient } from '@fractus/clients';
import type { Database } from '@fractus/database';
import { unavailable } from '@fractus/objects';
import { rpcClient, rpcHostClient, rpcReady, type RpcTransport, serveRpc } from '@fractus/rpc';
import { computeContract, conductorContract, placementContract, schedulerContract } from '@fractus/rpc-contracts';
import type { ReconcileFinding } from '@fractus/rpc-contracts';
import type { Logger, Metrics, ReadyCheck, RunningService } from '@fractus/telemetry';
import type { ConductorConfig } from './conductor.config';
import { ConductorController } from './handlers/conductor.controller';
import { NeutronPorts, type NetworkPorts } from './network-ports';
import { ConductorParts, type ConductorPeers } from './parts';
import { measureServices } from './reconcilers/service-state.reconciler';

export { ConductorConfig } from './conductor.config';
export type { ReconcileFinding } from '@fractus/rpc-contracts';
export { NeutronPorts, type NetworkPorts, type PortOwner } from './network-ports';

export interface ConductorDeps {
  readonly config: ConductorConfig;
  readonly database: Database;
  readonly transport: RpcTransport;
  /** The network service's client, or ports of another kind; without it only servers without NICs are built. */
  readonly network?: NetworkClient | NetworkPorts;
  /** Placement, where it is elsewhere; without it ours, over the transport. */
  readonly placement?: PlacementClient;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

@Module({})
export class ConductorModule {
  static of(parts: ConductorParts): DynamicModule {
    return {
      module: ConductorModule,
      controllers: [ConductorController],
      providers: [{ provide: ConductorParts, useValue: parts }],
    };
  }
}

/** A started conductor. */
export interface RunningConductor extends RunningService {
  /** One pass of all reconcilers now; waits for one that is under way, here or at another conductor. */
  reconcileOnce(): Promise<ReconcileFinding[]>;
}

/** Starts a conductor: serves its contract, takes up unfinished tasks, reconciles. Any number of them work side by side. */
export async function startConductor(deps: ConductorDeps): Promise<RunningConductor> {
  const { config, database, transport, placement, logger, metrics } = deps;
  const parts = new ConductorParts({ config, database, peers: peersOf(deps), logger, metrics });
  const { engine, presence, patience, reconcilers } = parts;
  measureServices(parts);
  const app = await NestFactory.createApplicationContext(ConductorModule.of(parts), { logger: false });
  const idle = await patience.hold('the start', () => presence.arrive());
  const serving = await serveRpc(app, transport, {
    contracts: [conductorContract],
    concurrency: config.taskConcurrency,
    logger,
    metrics,
  });
  await patience.hold('the start', () => engine.recover(idle));
  engine.start();
  reconcilers.start();
  presence.start();
  return {
    name: 'conductor',
    ready: async () => [
      ...(await ready(database, transport)),
      ...(placement ? [await placement.ready()] : []),
      presence.ready(),
    ],
    reconcileOnce: () => reconcilers.once(),
    async close() {
      patience.close();
      await serving.close();
      await Promise.all([reconcilers.close(), engine.close(), presence.close()]);
      await app.close();
    },
  };
}

function peersOf({ transport, database, network, placement, metrics }: ConductorDeps): ConductorPeers {
  const options = {
    assertOutsideTransaction: (what: string): void => database.assertOutsideTransaction(what),
    metrics,
  };
  return {
    scheduler: rpcClient(transport, schedulerContract, options),
    placement: placement ?? rpcClient(transport, placementContract, options),
    compute: rpcHostClient(transport, computeContract, options),
    network: portsOf(network),
  };
}

function portsOf(network: ConductorDeps['network']): NetworkPorts {
  if (!network) return NO_NETWORK;
  return 'ensurePorts' in network ? network : new NeutronPorts(network);
}

const NO_NETWORK: NetworkPorts = {
  ensurePorts: async (_ctx, server) => {
    if (server.requestedNetworks === 'none' || server.requestedNetworks === 'auto') return [];
    throw unavailable('no network service is configured', { code: 'network.none' });
  },
  releasePorts: async () => undefined,
  listOwned: async () => [],
  listByDevice: async () => [],
};

async function ready(database: Database, transport: RpcTransport): Promise<ReadyCheck[]> {
  const db = await database.ping();
  return [{ part: 'database', ok: db, ...(db ? {} : { why: 'the database does not answer' }) }, rpcReady(transport)];
}
