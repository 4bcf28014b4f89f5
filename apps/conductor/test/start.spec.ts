import { openComputeDatabase } from '@fractus/compute-db';
import { loadConfig } from '@fractus/config';
import { createInProcessTransport, rpcClient } from '@fractus/rpc';
import { conductorContract } from '@fractus/rpc-contracts';
import { createMetrics, silentLogger } from '@fractus/telemetry';
import { ConductorConfig, startConductor } from '../src/app.module';

describe('startConductor', () => {
  it('serves its contract, is ready, and drains', async () => {
    const database = await openComputeDatabase({ url: 'sqlite::memory:' });
    const transport = createInProcessTransport();
    const logger = silentLogger();
    const service = await startConductor({
      config: loadConfig(ConductorConfig, { env: {} }),
      database,
      transport,
      logger,
      metrics: createMetrics(),
    });
    expect(await service.ready()).toEqual([
      { part: 'database', ok: true },
      { part: 'rpc', ok: true },
      { part: 'instance', ok: true },
    ]);
    const client = rpcClient(transport, conductorContract);
    const ctx = { requestId: 'req-1', userId: null, projectId: null, roles: [] };
    expect(await client.registerHosts(ctx, { agentId: 'a', incarnation: 1, serviceVersion: 1, hosts: [] })).toEqual({
      hosts: [],
    });
    await client.taskReady(ctx, { taskId: '5a1e4c77-97cf-4e0f-8d0e-0b4d0d6e7a01' });
    await service.close();
    await transport.close();
    await database.close();
  });
});
