import 'reflect-metadata';
import {
  callerSession,
  IdentityClient,
  ImageClient,
  NetworkClient,
  openPlacementElsewhere,
  TokenValidator,
} from '@fractus/clients';
import { openComputeDatabase } from '@fractus/compute-db';
import { runProcess } from '@fractus/process';
import { openRpc } from '@fractus/rpc';
import { startComputeApi } from './app.module';
import { ComputeApiProcessConfig } from './config';

runProcess('compute-api', ComputeApiProcessConfig, async ({ config, logger, metrics, open }) => {
  const database = await open('the compute database', () =>
    openComputeDatabase({ ...config.database, migrate: false }),
  );
  const transport = await open('the broker', () => openRpc(config.rpc, { name: 'compute-api', logger }));
  const session = callerSession(config.caller, {
    assertOutsideTransaction: (what) => database.assertOutsideTransaction(what),
  });
  const placement = await openPlacementElsewhere(open, { config: config.placement, session, logger });
  const tokens = new TokenValidator({ session });
  return startComputeApi({
    config,
    database,
    transport,
    clients: {
      tokens: { validate: (token, ctx) => tokens.validate(token, ctx), identityUri: session.identityUrl },
      identity: new IdentityClient({ session }),
      images: new ImageClient({ session }),
      networks: new NetworkClient({ session }),
      ...placement,
    },
    logger,
    metrics,
  });
});
