import 'reflect-metadata';
import { callerSession, NetworkClient, openPlacementElsewhere } from '@fractus/clients';
import { openComputeDatabase, TaskLeases } from '@fractus/compute-db';
import { runProcess } from '@fractus/process';
import { openRpc } from '@fractus/rpc';
import { startConductor } from './app.module';
import { ConductorProcessConfig } from './conductor.config';

runProcess('conductor', ConductorProcessConfig, async ({ config, logger, metrics, open }) => {
  const database = await open('the compute database', () =>
    openComputeDatabase({ ...config.database, migrate: false }),
  );
  const transport = await open('the broker', () => openRpc(config.rpc, { name: config.instance, logger }));
  const assertOutsideTransaction = (what: string): void => database.assertOutsideTransaction(what);
  const session = callerSession(config.caller, { assertOutsideTransaction });
  const placement = await openPlacementElsewhere(open, {
    config: config.placement,
    session,
    fenceOf: (serverId) => new TaskLeases(database).highestFence(serverId),
    assertOutsideTransaction,
    logger,
  });
  const network = new NetworkClient({ session });
  return startConductor({ config, database, transport, network, logger, metrics, ...placement });
});
