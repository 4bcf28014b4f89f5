import 'reflect-metadata';
import { IsIn, IsString } from 'class-validator';
import { IdentityClient, ImageClient, NetworkClient, ServiceSession, TokenValidator } from '@fractus/clients';
import { openComputeDatabase } from '@fractus/compute-db';
import { loadConfig, Option } from '@fractus/config';
import { unimplemented } from '@fractus/objects';
import type { RpcTransport } from '@fractus/rpc';
import { createLogger, createMetrics, type LogLevel } from '@fractus/telemetry';
import { ComputeApiConfig, startComputeApi } from './app.module';

/** What the process needs beside the service's own options. */
class MainConfig extends ComputeApiConfig {
  @Option({
    secret: true,
    describe: 'The compute database: sqlite:/path/file.db or mysql://user:password@host:port/name.',
  })
  @IsString()
  databaseUrl: string;
  @Option({ secret: true, describe: 'The broker: amqp://user:password@host:port/vhost.' })
  @IsString()
  rpcUrl: string;
  @Option({ describe: "Identity's URL." })
  @IsString()
  authUrl: string;
  @Option({ default: 'nova', describe: 'User that the service itself is known by to identity.' })
  @IsString()
  username: string;
  @Option({ secret: true, describe: 'Password of that user.' })
  @IsString()
  password: string;
  @Option({ default: 'service', describe: 'Project of that user.' })
  @IsString()
  projectName: string;
  @Option({ default: 'info', describe: 'Least level of log lines.' })
  @IsIn(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
  logLevel: LogLevel;
}

/** A process of its own needs a broker; inside the cloud process the composition root hands a transport in. */
function openTransport(_url: string): Promise<RpcTransport> {
  throw unimplemented('there is no broker transport yet: run the Compute API inside the cloud process (npm start)');
}

async function main(): Promise<void> {
  const { env } = process;
  const file = env['FRACTUS_COMPUTE_API_CONFIG'];
  const config = loadConfig(MainConfig, { env, prefix: 'FRACTUS_COMPUTE_API_', ...(file && { file }) });
  const logger = createLogger({ service: 'compute-api', level: config.logLevel });
  const transport = await openTransport(config.rpcUrl);
  const database = await openComputeDatabase({ url: config.databaseUrl, migrate: false });
  const { authUrl, username, password, projectName } = config;
  const session = new ServiceSession({ authUrl, credentials: { username, password, projectName } });
  const tokens = new TokenValidator({ session });
  const service = await startComputeApi({
    config,
    database,
    transport,
    clients: {
      tokens: { validate: (token, ctx) => tokens.validate(token, ctx), identityUri: authUrl },
      identity: new IdentityClient({ session }),
      images: new ImageClient({ session }),
      networks: new NetworkClient({ session }),
    },
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
  console.error(`compute-api: ${(e as Error).message}`);
  process.exitCode = 1;
});
