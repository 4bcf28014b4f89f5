import { COMPUTE_BINARY, ZONE_KEY, type Aggregate } from '@fractus/compute-db';

/** Names of the two zones that no aggregate makes (upstream's options of the same names). */
export interface ZoneNames {
  /** Zone of a compute host that is in no zone. */
  readonly fallback: string;
  /** Zone shown for services that are no compute hosts; users never see it. */
  readonly internal: string;
}

/** Host → zone, for hosts that are in one. */
export function zonesByHost(aggregates: readonly Pick<Aggregate, 'metadata' | 'hosts'>[]): Map<string, string> {
  const zones = new Map<string, string>();
  for (const { metadata, hosts } of aggregates) {
    const zone = metadata[ZONE_KEY];
    if (zone !== undefined) for (const host of hosts) zones.set(host, zone);
  }
  return zones;
}

/** The zone that a service is shown in. */
export function zoneOfService(
  service: { readonly binary: string; readonly host: string },
  zones: ReadonlyMap<string, string>,
  names: ZoneNames,
): string {
  if (service.binary !== COMPUTE_BINARY) return names.internal;
  return zones.get(service.host) ?? names.fallback;
}
