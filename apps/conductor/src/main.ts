import 'reflect-metadata';
import { callerSession, NetworkClient } from '@fractus/clients';
import { openComputeDatabase } from '@fractus/compute-db';
import { runProcess } from '@fractus/process';
import { openRpc } from '@fractus/rpc';
import { startConductor } from './app.module';
import { ConductorProcessConfig } from './conductor.config';

runProcess('conductor', ConductorProcessConfig, async ({ config, logger, metrics, open }) => {
  const database = await open('the compute database', () =>
    openComputeDatabase({ ...config.database, migrate: false }),
  );
  const transport = await open('the broker', () => openRpc(config.rpc, { name: config.instance, logger }));
  const session = callerSession(config.caller, {
    assertOutsideTransaction: (what) => database.assertOutsideTransaction(what),
  });
  return startConductor({ config, database, transport, network: new NetworkClient({ session }), logger, metrics });
});
