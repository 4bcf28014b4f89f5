import { isoTimeMicros } from '@fractus/http';
import type { Service } from '@fractus/compute-db';
import type { Zone } from '../../app/availability-zones/availability-zones';

export function briefZone(zone: Zone): object {
  return { zoneName: zone.name, zoneState: { available: zone.available }, hosts: null };
}

/** With the enabled services of each host; a zone that is not available shows none. */
export function detailedZone(zone: Zone, isUp: (service: Service) => boolean): object {
  if (!zone.available) return briefZone(zone);
  const hosts: Record<string, Record<string, object>> = {};
  for (const service of zone.services) {
    if (service.disabled) continue;
    (hosts[service.host] ??= {})[service.binary] = {
      available: isUp(service),
      active: true,
      updated_at: isoTimeMicros(service.lastSeenAt ?? service.updatedAt),
    };
  }
  return { ...briefZone(zone), hosts };
}
