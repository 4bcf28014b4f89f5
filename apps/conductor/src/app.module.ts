import { randomUUID } from 'node:crypto';
import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NetworkClient } from '@fractus/clients';
import type { Database } from '@fractus/database';
import { HostsRepository } from '@fractus/compute-db';
import { unavailable } from '@fractus/objects';
import { rpcClient, rpcHostClient, type RpcTransport, serveRpc } from '@fractus/rpc';
import { computeContract, conductorContract, placementContract, schedulerContract } from '@fractus/rpc-contracts';
import type { Logger, Metrics, ReadyCheck, RunningService } from '@fractus/telemetry';
import type { ConductorConfig } from './conductor.config';
import { ConductorController } from './handlers/conductor.controller';
import { NeutronPorts, type NetworkPorts } from './network-ports';
import { ConductorParts, type ConductorPeers } from './parts';
import { startReconcilers } from './reconcilers';

export { ConductorConfig } from './conductor.config';
export { NeutronPorts, type NetworkPorts, type PortOwner } from './network-ports';

export interface ConductorDeps {
  readonly config: ConductorConfig;
  readonly database: Database;
  readonly transport: RpcTransport;
  /** The network service's client, or ports of another kind; without it only servers without NICs are built. */
  readonly network?: NetworkClient | NetworkPorts;
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

/** Starts a conductor: serves its contract, takes up unfinished tasks, reconciles. Any number of them work side by side. */
export async function startConductor(deps: ConductorDeps): Promise<RunningService> {
  const { config, database, transport, logger, metrics } = deps;
  const parts = new ConductorParts({ config, database, peers: peersOf(deps), logger, metrics });
  const app = await NestFactory.createApplicationContext(ConductorModule.of(parts), { logger: false });
  const serving = await serveRpc(app, transport, {
    contracts: [conductorContract],
    concurrency: config.taskConcurrency,
    logger,
    metrics,
  });
  await parts.engine.start();
  const reconcilers = startReconcilers(parts);
  const beat = heartbeats(new HostsRepository(database), config.instance, logger);
  return {
    name: 'conductor',
    ready: () => ready(database, transport),
    async close() {
      clearInterval(beat);
      await serving.close();
      await reconcilers.close();
      await parts.engine.close();
      await app.close();
    },
  };
}

function peersOf({ transport, database, network, metrics }: ConductorDeps): ConductorPeers {
  const options = {
    assertOutsideTransaction: (what: string): void => database.assertOutsideTransaction(what),
    metrics,
  };
  return {
    scheduler: rpcClient(transport, schedulerContract, options),
    placement: rpcClient(transport, placementContract, options),
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
  return [
    { part: 'database', ok: db, ...(db ? {} : { why: 'the database does not answer' }) },
    { part: 'rpc', ok: transport.connected, ...(transport.connected ? {} : { why: 'not connected' }) },
  ];
}

/** Conductor's own line in the list of services. */
function heartbeats(hosts: HostsRepository, host: string, logger: Logger): NodeJS.Timeout {
  const beat = (): void =>
    void hosts
      .heartbeat('nova-conductor', host, randomUUID, Date.now())
      .catch((err: unknown) => logger.warn({ err }, 'heartbeat not written'));
  beat();
  const timer = setInterval(beat, 10_000);
  timer.unref();
  return timer;
}
