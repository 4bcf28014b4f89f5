import type { HostState } from '@fractus/rpc-contracts';
import type { VirtDriver } from '@fractus/virt';
import type { ResourceTracker } from '../resource-tracker/resource-tracker';
import type { AgentHost } from './host-registry';

/** A host as it is told to conductor and schedulers: the driver's facts and the agent's own counts. */
export async function readHostState(driver: VirtDriver, tracker: ResourceTracker, host: AgentHost): Promise<HostState> {
  const [state, traits] = await Promise.all([driver.hostState(host.host), tracker.traits(host)]);
  return {
    ...state,
    host: host.host,
    node: host.node,
    nodeId: host.nodeId,
    ioOps: host.ioOps,
    failedBuilds: host.failedBuilds,
    capabilities: { ...driver.capabilities(host.host) },
    traits: [...traits.present],
  };
}
