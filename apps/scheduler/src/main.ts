import 'reflect-metadata';
import { openComputeDatabase } from '@fractus/compute-db';
import { loadServiceConfig } from '@fractus/config';
import { unimplemented } from '@fractus/objects';
import type { RpcTransport } from '@fractus/rpc';
import { createLogger, createMetrics, owning, runService } from '@fractus/telemetry';
import { startScheduler } from './app.module';
import { SchedulerProcessConfig } from './config';

/** A process of its own needs a broker; inside the cloud process the composition root hands a transport in. */
function openTransport(_url: string): Promise<RpcTransport> {
  throw unimplemented('there is no broker transport yet: run the scheduler inside the cloud process (npm start)');
}

runService('scheduler', async () => {
  const config = loadServiceConfig(SchedulerProcessConfig, 'scheduler', process.env);
  const logger = createLogger({ service: 'scheduler', level: config.logLevel });
  const transport = await openTransport(config.rpcUrl);
  const database = await openComputeDatabase({ url: config.databaseUrl, migrate: false });
  const service = await startScheduler({
    config,
    database,
    transport,
    logger,
    metrics: createMetrics({ process: true }),
  });
  return owning(service, transport, database);
});
