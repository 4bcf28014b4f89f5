import 'reflect-metadata';
import { runProcess } from '@fractus/process';
import { openRpc } from '@fractus/rpc';
import { startComputeAgent } from './app.module';
import { ComputeAgentProcessConfig } from './config';

runProcess('compute-agent', ComputeAgentProcessConfig, async ({ config, logger, metrics, open }) => {
  const transport = await open('the broker', () => openRpc(config.rpc, { name: config.agentId, logger }));
  return startComputeAgent({ config, transport, logger, metrics });
});
