/** Hosts that give nothing: each compute node is a resource provider with inventories. Asked over RPC: Placement's tables are its own. */
import { HostsRepository } from '@fractus/compute-db';
import { systemContext } from '@fractus/objects';
import { count } from '@fractus/operator';
import { type Check, NotHere, several } from './check';
import { allNodes } from './hosts.check';

const PAGE = 200;

export const resourcesCheck: Check = {
  name: 'resources',
  async run(patient) {
    if (patient.places.kind === 'embedded')
      throw new NotHere('asked of Placement over RPC, which a cloud in one process does not show');
    const nodes = await allNodes(new HostsRepository(await patient.compute()));
    const placement = await patient.placement();
    const rich = new Set<string>();
    for (let i = 0; i < nodes.length; i += PAGE) {
      const providerIds = nodes.slice(i, i + PAGE).map((n) => n.nodeId);
      const { providers } = await placement.getProviders(systemContext('req-doctor'), { providerIds });
      for (const p of providers) if (Object.keys(p.inventories).length > 0) rich.add(p.providerId);
    }
    const poor = nodes.filter((n) => !rich.has(n.nodeId)).map((n) => n.host);
    const hint = 'an agent that runs writes them at its start and within placementRefreshSeconds (300)';
    return {
      looked: `${count(nodes.length, 'host')} with resources in Placement`,
      findings: poor.length > 0 ? [{ text: `without resources in Placement: ${several(poor)}`, hint }] : [],
    };
  },
};
