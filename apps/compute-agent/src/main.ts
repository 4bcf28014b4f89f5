import 'reflect-metadata';
import { openPlacementElsewhere, placementSession } from '@fractus/clients';
import { runProcess } from '@fractus/process';
import { openRpc } from '@fractus/rpc';
import { startComputeAgent } from './app.module';
import { ComputeAgentProcessConfig } from './config';

runProcess('compute-agent', ComputeAgentProcessConfig, async ({ config, logger, metrics, open }) => {
  const session = placementSession(config.placement, config.caller);
  const transport = await open('the broker', () => openRpc(config.rpc, { name: config.agentId, logger }));
  const placement = await openPlacementElsewhere(open, { config: config.placement, session, logger });
  return startComputeAgent({ config, transport, logger, metrics, ...placement });
});
