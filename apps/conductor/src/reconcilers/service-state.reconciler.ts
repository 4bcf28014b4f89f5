/** Says in the log and in metrics which hosts fell silent and which came back; what is up follows from heartbeats alone. */
import { COMPUTE_BINARY, serviceIsUp } from '@fractus/compute-db';
import type { ConductorParts } from '../parts';
import type { Reconciler } from './index';

export function serviceState({ tools, options }: ConductorParts): Reconciler {
  const down = new Set<string>();
  const gauge = options.metrics?.gauge('fractus_compute_services', 'Compute services by state', ['state']);
  return {
    name: 'service-state',
    async run() {
      const services = await tools.hosts.services({ binary: COMPUTE_BINARY });
      const now = tools.clock();
      let changed = 0;
      for (const service of services) {
        const up = serviceIsUp(service, now, tools.settings.serviceDownMs);
        if (up !== down.has(service.host)) continue;
        changed++;
        if (up) down.delete(service.host);
        else down.add(service.host);
        tools.logger.warn(
          { host: service.host, last_seen_at: service.lastSeenAt },
          up ? 'host is back' : 'host is down',
        );
      }
      gauge?.labels('down').set(down.size);
      gauge?.labels('up').set(services.length - down.size);
      return changed;
    },
  };
}
