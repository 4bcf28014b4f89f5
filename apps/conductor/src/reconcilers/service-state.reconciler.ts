/** Says in the log which hosts fell silent and which came back; what is up follows from heartbeats alone. */
import { COMPUTE_BINARY, serviceIsUp } from '@fractus/compute-db';
import type { ConductorParts } from '../parts';
import type { Reconciler } from './reconciler';

const NAME = 'service-state';

export function serviceState({ tools, sightings }: ConductorParts): Reconciler {
  return {
    name: NAME,
    async run() {
      const services = await tools.hosts.services({ binary: COMPUTE_BINARY });
      const now = tools.clock();
      const down = services.filter((service) => !serviceIsUp(service, now, tools.settings.serviceDownMs));
      const before = await sightings.of(NAME);
      await sightings.note(NAME, new Map(down.map((service) => [service.host, 'down'])), now);
      const silent = new Set(down.map((service) => service.host));
      for (const host of silent) if (!before.has(host)) tools.logger.warn({ host }, 'host is down');
      for (const host of before.keys()) if (!silent.has(host)) tools.logger.warn({ host }, 'host is back');
      return down.map(({ host, lastSeenAt, forcedDown }) => ({
        subject: `host ${host}`,
        finding: forcedDown
          ? 'An operator has forced its compute service down.'
          : `Its compute service has been silent for ${Math.round((now - (lastSeenAt ?? 0)) / 1000)} s.`,
        acted: false,
        outcome: 'It gets no new servers until it is heard of again.',
      }));
    },
  };
}

/** A gauge that is read when it is asked for: right at every conductor, whoever reconciles. */
export function measureServices({ tools, options }: ConductorParts): void {
  const services = async (): Promise<[up: number, down: number]> => {
    const all = await tools.hosts.services({ binary: COMPUTE_BINARY });
    const up = all.filter((s) => serviceIsUp(s, tools.clock(), tools.settings.serviceDownMs)).length;
    return [up, all.length - up];
  };
  options.metrics?.gauge('fractus_compute_services', 'Compute services by state', ['state'], async function collect() {
    // numbers that cannot be read are left out; they must not cost the reader all others
    const found = await services().catch(() => null);
    this.reset();
    if (!found) return;
    this.labels('up').set(found[0]);
    this.labels('down').set(found[1]);
  });
}
