import { type AggregatesRepository, COMPUTE_BINARY, type HostsRepository, ZONE_KEY } from '@fractus/compute-db';

/** Whether a zone has an enabled compute service, the default zone counting hosts that are in no other. */
export async function zoneTakesServers(
  deps: { hosts: HostsRepository; aggregates: AggregatesRepository; defaultZone: string },
  zone: string,
): Promise<boolean> {
  const zoned = (await deps.aggregates.list()).filter((a) => a.metadata[ZONE_KEY] !== undefined);
  const enabled = (await deps.hosts.services({ binary: COMPUTE_BINARY })).filter((s) => !s.disabled).map((s) => s.host);
  const inZone = new Set(zoned.filter((a) => a.metadata[ZONE_KEY] === zone).flatMap((a) => a.hosts));
  if (enabled.some((host) => inZone.has(host))) return true;
  if (zone !== deps.defaultZone) return false;
  const elsewhere = new Set(zoned.flatMap((a) => a.hosts));
  return enabled.some((host) => !elsewhere.has(host));
}
