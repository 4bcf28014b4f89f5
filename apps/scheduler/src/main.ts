import 'reflect-metadata';
import { openPlacementElsewhere, placementSession } from '@fractus/clients';
import { openComputeDatabase, TaskLeases } from '@fractus/compute-db';
import { runProcess } from '@fractus/process';
import { openRpc, warmUp } from '@fractus/rpc';
import { placementContract, schedulerContract, schedulerNews } from '@fractus/rpc-contracts';
import { startScheduler } from './app.module';
import { SchedulerProcessConfig } from './config';

runProcess('scheduler', SchedulerProcessConfig, async ({ config, logger, metrics, open }) => {
  const session = placementSession(config.placement, config.caller);
  const database = await open('the compute database', () =>
    openComputeDatabase({ ...config.database, migrate: false }),
  );
  const transport = await open('the broker', () => openRpc(config.rpc, { name: 'scheduler', logger }));
  const placement = await openPlacementElsewhere(open, {
    config: config.placement,
    session,
    fenceOf: (serverId) => new TaskLeases(database).highestFence(serverId),
    assertOutsideTransaction: (what) => database.assertOutsideTransaction(what),
    logger,
  });
  const service = await startScheduler({ config, database, transport, logger, metrics, ...placement });
  void warmUp([schedulerContract, schedulerNews, placementContract]);
  return service;
});
