import { loadConfig } from '@fractus/config';
import { createLogger, createMetrics } from '@fractus/telemetry';
import { PlacementConfig, openPlacementDatabase, startPlacement } from './app.module';

async function main(): Promise<void> {
  const file = process.env['PLACEMENT_CONFIG'];
  const config = loadConfig(PlacementConfig, {
    env: process.env,
    prefix: 'PLACEMENT_',
    ...(file === undefined ? {} : { file }),
  });
  const logger = createLogger({ service: 'placement' });
  const database = await openPlacementDatabase({ url: config.databaseUrl });
  const service = await startPlacement({ config, database, logger, metrics: createMetrics() });
  logger.info({ url: service.url }, 'placement is ready');
  const stop = (): void => {
    service
      .close()
      .then(() => database.close())
      .then(
        () => process.exit(0),
        (err: unknown) => {
          logger.error({ err }, 'placement did not stop cleanly');
          process.exit(1);
        },
      );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

main().catch((err: unknown) => {
  process.stderr.write(`${err instanceof Error ? err.message : String(err)}\n`);
  process.exit(1);
});
