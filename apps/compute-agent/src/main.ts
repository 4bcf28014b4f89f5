import { loadConfig } from '@fractus/config';
import { isFractusError } from '@fractus/objects';
import { ComputeAgentConfig } from './config';

/**
 * An agent as a process of its own. It needs a transport that crosses processes; there is none yet, so that it checks
 * its configuration and says so. Inside the embedded cloud `startComputeAgent` is called with the cloud's transport.
 */
function main(): void {
  try {
    const { FRACTUS_AGENT_CONFIG: file } = process.env;
    const config = loadConfig(ComputeAgentConfig, {
      env: process.env,
      prefix: 'FRACTUS_AGENT_',
      ...(file === undefined ? {} : { file }),
    });
    process.stderr.write(
      `compute-agent ${config.agentId}: the configuration is good, but no message transport between processes is built yet; run the agent inside the cloud (npm start)\n`,
    );
  } catch (e) {
    process.stderr.write(`${isFractusError(e) ? e.message : String(e)}\n`);
  }
  process.exitCode = 1;
}

main();
