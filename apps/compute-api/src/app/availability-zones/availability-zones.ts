import type { AggregatesRepository, HostsRepository, Service } from '@fractus/compute-db';
import { zoneOfService, zonesByHost, type ZoneNames } from './zones';

/** A zone with the services in it. Available: one of its services at least is enabled; whether it is up does not count. */
export interface Zone {
  readonly name: string;
  readonly available: boolean;
  readonly services: readonly Service[];
}

export interface AvailabilityZonesDeps {
  readonly hosts: Pick<HostsRepository, 'services'>;
  readonly aggregates: Pick<AggregatesRepository, 'list'>;
  readonly names: ZoneNames;
}

/** Zones are not kept anywhere: they are what the aggregates' metadata and the services say. */
export class AvailabilityZones {
  constructor(private readonly deps: AvailabilityZonesDeps) {}

  /** Available ones first, each part in order of name. The internal zone is among them. */
  async list(): Promise<Zone[]> {
    const { hosts, aggregates, names } = this.deps;
    const [services, all] = await Promise.all([hosts.services(), aggregates.list()]);
    const zones = zonesByHost(all);
    const byName = new Map<string, Service[]>();
    for (const service of services) {
      const name = zoneOfService(service, zones, names);
      byName.set(name, [...(byName.get(name) ?? []), service]);
    }
    return [...byName]
      .map(([name, own]): Zone => ({ name, available: own.some((s) => !s.disabled), services: own }))
      .sort((a, b) => Number(b.available) - Number(a.available) || (a.name < b.name ? -1 : 1));
  }

  /** Whether a server may ask for the zone. */
  async isAvailable(name: string): Promise<boolean> {
    return (await this.list()).some((z) => z.available && z.name === name && z.name !== this.deps.names.internal);
  }

  /** Host → zone, the fallback included. */
  async ofHosts(hosts: readonly string[]): Promise<Map<string, string>> {
    const zones = zonesByHost(await this.deps.aggregates.list());
    return new Map(hosts.map((h) => [h, zones.get(h) ?? this.deps.names.fallback]));
  }

  isInternal(zone: Zone): boolean {
    return zone.name === this.deps.names.internal;
  }
}
