import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { PlacementClient } from '@fractus/clients';
import { serveRpc, type RpcTransport } from '@fractus/rpc';
import { computeContract } from '@fractus/rpc-contracts';
import type { Logger, Metrics, RunningService } from '@fractus/telemetry';
import { systemClock, type Clock, type VirtDriver } from '@fractus/virt';
import { ComputeAgent } from './compute-agent';
import { ComputeRpc, RPC_PARTS, type RpcParts } from './compute.rpc';
import type { ComputeAgentConfig } from './config';
import { openDriver } from './drivers';

export { ComputeAgentConfig, hostNames } from './config';
export { openDriver } from './drivers';
export { SERVICE_VERSION } from './hosts/host-lifecycle';

/** Casts and calls that the RPC server hands out at once: they are only written down, operations have bounds of their own. */
const CONCURRENCY = 256;

@Module({})
export class ComputeAgentModule {
  static of(parts: RpcParts): DynamicModule {
    return {
      module: ComputeAgentModule,
      controllers: [ComputeRpc],
      providers: [{ provide: RPC_PARTS, useValue: parts }],
    };
  }
}

export interface ComputeAgentDeps {
  readonly config: ComputeAgentConfig;
  readonly transport: RpcTransport;
  /** Placement, where it is elsewhere; without it ours, over the transport. */
  readonly placement?: PlacementClient;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Default: the driver that the config names, which the agent then closes with itself. One given stays the giver's. */
  readonly driver?: VirtDriver;
  readonly clock?: Clock;
}

export interface RunningComputeAgent extends RunningService {
  readonly driver: VirtDriver;
  /** For tests: ends as `kill -9` would. */
  kill(): Promise<void>;
}

/**
 * Opens the journal and the driver, and returns; hosts come into service in the background as conductor and Placement
 * answer, which `ready` tells. Rejects when the state folder cannot be used.
 */
export async function startComputeAgent(deps: ComputeAgentDeps): Promise<RunningComputeAgent> {
  const { config, transport, placement, logger, metrics, clock = systemClock } = deps;
  const driver = deps.driver ?? openDriver(config, clock);
  const closeDriver = async (): Promise<void> => (deps.driver ? undefined : driver.close());
  const agent = await ComputeAgent.open({
    config,
    driver,
    transport,
    ...(placement ? { placement } : {}),
    clock,
    logger,
    metrics,
  });
  const app = await NestFactory.createApplicationContext(ComputeAgentModule.of(agent.rpcParts), {
    logger: false,
    abortOnError: false,
  });
  const serving = await serveRpc(app, transport, {
    contracts: [computeContract],
    instance: config.agentId,
    concurrency: CONCURRENCY,
    callConcurrency: CONCURRENCY,
    logger,
    metrics,
  });
  agent.start(serving);
  const end = async (how: () => Promise<void>): Promise<void> => {
    await how();
    await app.close();
    await closeDriver();
  };
  return {
    name: 'compute-agent',
    driver,
    ready: () => agent.ready(),
    close: () => end(() => agent.close()),
    kill: () => end(() => agent.kill()),
  };
}
