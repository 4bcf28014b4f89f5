import 'reflect-metadata';
import { openComputeDatabase } from '@fractus/compute-db';
import { runProcess } from '@fractus/process';
import { openRpc } from '@fractus/rpc';
import { startScheduler } from './app.module';
import { SchedulerProcessConfig } from './config';

runProcess('scheduler', SchedulerProcessConfig, async ({ config, logger, metrics, open }) => {
  const database = await open('the compute database', () =>
    openComputeDatabase({ ...config.database, migrate: false }),
  );
  const transport = await open('the broker', () => openRpc(config.rpc, { name: 'scheduler', logger }));
  return startScheduler({ config, database, transport, logger, metrics });
});
