import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  AggregatesRepository,
  HostSnapshotsRepository,
  HostsRepository,
  ScheduleAttemptsRepository,
} from '@fractus/compute-db';
import type { PlacementClient } from '@fractus/clients';
import type { Database } from '@fractus/database';
import { rpcClient, rpcReady, type RpcTransport, serveRpc } from '@fractus/rpc';
import { placementContract, schedulerContract, schedulerNews } from '@fractus/rpc-contracts';
import type { Logger, Metrics, ReadyCheck, RunningService } from '@fractus/telemetry';
import { AttemptsJanitor } from './attempts-janitor';
import { type SchedulerConfig, schedulingOptions } from './config';
import { HostCache } from './hosts/host-cache';
import { HostLoader } from './hosts/host-loader';
import { HostNewsController } from './hosts/host-news.controller';
import { DestinationSelector } from './select/destination-selector';
import { DryRunner } from './select/dry-run';
import { Presence } from './presence';
import { SchedulerMetrics } from './select/scheduler-metrics';
import { SelectDestinationsController } from './select/select-destinations.controller';

export { SchedulerConfig } from './config';

export interface SchedulerDeps {
  readonly config: Readonly<SchedulerConfig>;
  /** The compute database. */
  readonly database: Database;
  readonly transport: RpcTransport;
  /** Placement, where it is elsewhere; without it ours, over the transport. */
  readonly placement?: PlacementClient;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

@Module({})
export class SchedulerModule {
  static with({ config, database, transport, logger, metrics, placement: elsewhere }: SchedulerDeps): DynamicModule {
    const cache = new HostCache(config);
    const snapshots = new HostSnapshotsRepository(database);
    const attempts = new ScheduleAttemptsRepository(database);
    const loader = new HostLoader(cache, snapshots, new AggregatesRepository(database), logger, config.pageSize);
    const assertOutsideTransaction = (what: string) => database.assertOutsideTransaction(what);
    const placement = elsewhere ?? rpcClient(transport, placementContract, { assertOutsideTransaction, metrics });
    const search = { cache, placement, snapshots, options: schedulingOptions(config) };
    const selector = new DestinationSelector({
      ...search,
      ...(config.recordAttempts ? { attempts } : {}),
      logger,
      metrics: new SchedulerMetrics(metrics, () => cache.size),
    });
    return {
      module: SchedulerModule,
      controllers: [SelectDestinationsController, HostNewsController],
      providers: [
        { provide: HostCache, useValue: cache },
        { provide: HostLoader, useValue: loader },
        { provide: DestinationSelector, useValue: selector },
        { provide: DryRunner, useValue: new DryRunner(search) },
        { provide: AttemptsJanitor, useValue: new AttemptsJanitor(attempts, logger, config.attemptRetentionDays) },
      ],
    };
  }
}

/** Reads the hosts, then serves. Rejects when the database cannot be read. */
export async function startScheduler(deps: SchedulerDeps): Promise<RunningService> {
  const { config, database, transport, placement, logger, metrics } = deps;
  const app = await NestFactory.createApplicationContext(SchedulerModule.with(deps), {
    logger: false,
    abortOnError: false,
  });
  const loader = app.get(HostLoader);
  const janitor = app.get(AttemptsJanitor);
  // news first, so that nothing falls between the snapshot and the first item
  const news = await serveRpc(app, transport, { contracts: [schedulerNews], logger, metrics });
  await loader.loadAll();
  const calls = await serveRpc(app, transport, { contracts: [schedulerContract], logger, metrics });
  loader.refreshEvery(config.refreshSeconds);
  janitor.start();
  const presence = new Presence(new HostsRepository(database), config.instance, logger);
  await presence.start();
  return {
    name: 'scheduler',
    async ready(): Promise<ReadyCheck[]> {
      const database_ = await database.ping();
      return [
        { part: 'database', ok: database_, ...(!database_ && { why: 'the compute database does not answer' }) },
        rpcReady(transport),
        ...(placement ? [await placement.ready()] : []),
      ];
    },
    async close(): Promise<void> {
      await calls.close();
      await news.close();
      await loader.stop();
      await presence.stop();
      await janitor.stop();
      await app.close();
    },
  };
}
