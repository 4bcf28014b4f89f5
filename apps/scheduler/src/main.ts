import 'reflect-metadata';
import { openComputeDatabase } from '@fractus/compute-db';
import { runProcess } from '@fractus/process';
import { openRpc, warmUp } from '@fractus/rpc';
import { placementContract, schedulerContract, schedulerNews } from '@fractus/rpc-contracts';
import { startScheduler } from './app.module';
import { SchedulerProcessConfig } from './config';

runProcess('scheduler', SchedulerProcessConfig, async ({ config, logger, metrics, open }) => {
  const database = await open('the compute database', () =>
    openComputeDatabase({ ...config.database, migrate: false }),
  );
  const transport = await open('the broker', () => openRpc(config.rpc, { name: 'scheduler', logger }));
  const service = await startScheduler({ config, database, transport, logger, metrics });
  void warmUp([schedulerContract, schedulerNews, placementContract]);
  return service;
});
