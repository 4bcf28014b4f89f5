/**
 * An agent as a process of its own. It needs a transport that crosses processes; there is none yet, so that it checks
 * its configuration and says so. Inside the embedded cloud `startComputeAgent` is called with the cloud's transport.
 */
import 'reflect-metadata';
import { loadServiceConfig } from '@fractus/config';
import { unimplemented } from '@fractus/objects';
import { runService } from '@fractus/telemetry';
import { ComputeAgentConfig } from './config';

runService('compute-agent', async () => {
  const { agentId } = loadServiceConfig(ComputeAgentConfig, 'compute-agent', process.env);
  throw unimplemented(
    `the configuration of ${agentId} is good, but there is no broker transport yet: run the agent inside the cloud process (npm start)`,
  );
});
