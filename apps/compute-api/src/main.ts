import 'reflect-metadata';
import { IdentityClient, ImageClient, NetworkClient, ServiceSession, TokenValidator } from '@fractus/clients';
import { openComputeDatabase } from '@fractus/compute-db';
import { loadServiceConfig } from '@fractus/config';
import { unimplemented } from '@fractus/objects';
import type { RpcTransport } from '@fractus/rpc';
import { createLogger, createMetrics, owning, runService } from '@fractus/telemetry';
import { startComputeApi } from './app.module';
import { ComputeApiProcessConfig } from './config';

/** A process of its own needs a broker; inside the cloud process the composition root hands a transport in. */
function openTransport(_url: string): Promise<RpcTransport> {
  throw unimplemented('there is no broker transport yet: run the Compute API inside the cloud process (npm start)');
}

runService('compute-api', async () => {
  const config = loadServiceConfig(ComputeApiProcessConfig, 'compute-api', process.env);
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
  return owning(service, transport, database);
});
