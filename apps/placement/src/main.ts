import 'reflect-metadata';
import { runProcess } from '@fractus/process';
import { openRpc, warmUp } from '@fractus/rpc';
import { placementContract } from '@fractus/rpc-contracts';
import { openPlacementDatabase, startPlacement } from './app.module';
import { PlacementProcessConfig } from './config';

runProcess('placement', PlacementProcessConfig, async ({ config, logger, metrics, open }) => {
  const { databaseUrl: url, databasePoolSize: poolSize } = config;
  // a file is this process's alone; a server's schema is brought up before a release starts
  const migrate = url.startsWith('sqlite:');
  const database = await open("placement's database", () => openPlacementDatabase({ url, poolSize, migrate }));
  const { urls } = config.rpc;
  const transport = urls
    ? await open('the broker', () => openRpc({ ...config.rpc, urls }, { name: 'placement', logger }))
    : undefined;
  const service = await startPlacement({ config, database, ...(transport ? { transport } : {}), logger, metrics });
  void warmUp([placementContract]);
  return service;
});
