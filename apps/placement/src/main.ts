import 'reflect-metadata';
import { loadServiceConfig } from '@fractus/config';
import { createLogger, createMetrics, owning, runService } from '@fractus/telemetry';
import { openPlacementDatabase, PlacementConfig, startPlacement } from './app.module';

runService('placement', async () => {
  const config = loadServiceConfig(PlacementConfig, 'placement', process.env);
  const logger = createLogger({ service: 'placement' });
  const database = await openPlacementDatabase({ url: config.databaseUrl });
  const metrics = createMetrics({ process: true });
  return owning(await startPlacement({ config, database, logger, metrics }), database);
});
