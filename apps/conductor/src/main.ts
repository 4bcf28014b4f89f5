import 'reflect-metadata';
import { IsIn, IsString } from 'class-validator';
import { openComputeDatabase } from '@fractus/compute-db';
import { loadConfig, Option } from '@fractus/config';
import { unimplemented } from '@fractus/objects';
import type { RpcTransport } from '@fractus/rpc';
import { createLogger, createMetrics, type LogLevel } from '@fractus/telemetry';
import { startConductor } from './app.module';
import { ConductorConfig } from './conductor.config';

/** What the process needs beside the service's own options. */
class MainConfig extends ConductorConfig {
  @Option({
    secret: true,
    describe: 'The compute database: sqlite:/path/file.db or mysql://user:password@host:port/name.',
  })
  @IsString()
  databaseUrl: string;

  @Option({ secret: true, describe: 'The broker: amqp://user:password@host:port/vhost.' })
  @IsString()
  rpcUrl: string;

  @Option({ default: 'info', describe: 'Least level of log lines.' })
  @IsIn(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
  logLevel: LogLevel;
}

/** A process of its own needs a broker; inside the cloud process the composition root hands a transport in. */
function openTransport(_url: string): Promise<RpcTransport> {
  throw unimplemented('there is no broker transport yet: run conductor inside the cloud process (npm start)');
}

async function main(): Promise<void> {
  const { env } = process;
  const file = env['FRACTUS_CONDUCTOR_CONFIG'];
  const config = loadConfig(MainConfig, { env, prefix: 'FRACTUS_CONDUCTOR_', ...(file && { file }) });
  const logger = createLogger({ service: 'conductor', level: config.logLevel });
  const transport = await openTransport(config.rpcUrl);
  const database = await openComputeDatabase({ url: config.databaseUrl, migrate: false });
  const service = await startConductor({
    config,
    database,
    transport,
    logger,
    metrics: createMetrics({ process: true }),
  });
  const stop = async (signal: string): Promise<void> => {
    logger.info({ signal }, 'stopping');
    await service.close();
    await transport.close();
    await database.close();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop(signal));
}

main().catch((e: unknown) => {
  console.error(`conductor: ${(e as Error).message}`);
  process.exitCode = 1;
});
