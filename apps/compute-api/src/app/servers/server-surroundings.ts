import {
  type AggregatesRepository,
  type HostsRepository,
  type Server,
  type ServersRepository,
  type Service,
  serviceIsUp,
  ZONE_KEY,
} from '@fractus/compute-db';
import type { ServerFault } from '@fractus/compute-db';

export interface SurroundingsDeps {
  servers: ServersRepository;
  hosts: HostsRepository;
  aggregates: AggregatesRepository;
  defaultZone: string;
  serviceDownSeconds: number;
}

/** How much of a host's state the asker may know. */
export type HostStatusRight = 'all' | 'unknown-only' | 'none';

export interface Surroundings {
  fault: ServerFault | null;
  hostZone: string | null;
  hostStatus: string | null;
}

/** What the views of a page of servers need beside the servers: three queries for any number of them. */
export async function surroundingsOf(
  deps: SurroundingsDeps,
  servers: readonly Server[],
  right: HostStatusRight,
): Promise<Map<string, Surroundings>> {
  const hosts = [...new Set(servers.flatMap((s) => s.host ?? []))];
  const failed = servers.filter((s) => s.vmState === 'error' || s.vmState === 'deleted').map((s) => s.id);
  const faults = failed.length ? await deps.servers.latestFaults(failed) : new Map<string, ServerFault>();
  const zones = hosts.length ? await zonesOf(deps.aggregates, deps.defaultZone) : () => deps.defaultZone;
  const services =
    hosts.length && right !== 'none' ? await deps.hosts.computeServices(hosts) : new Map<string, Service>();
  const now = Date.now();
  const status = (host: string | null): string | null => {
    if (right === 'none') return null;
    const text = host === null ? '' : statusOfHost(services.get(host), now, deps.serviceDownSeconds * 1000);
    return right === 'all' || text === 'UNKNOWN' ? text : null;
  };
  return new Map(
    servers.map((s) => [
      s.id,
      { fault: faults.get(s.id) ?? null, hostZone: s.host === null ? null : zones(s.host), hostStatus: status(s.host) },
    ]),
  );
}

/** Zone by host: the aggregate's that has one, else the default zone. */
export async function zonesOf(
  aggregates: AggregatesRepository,
  defaultZone: string,
): Promise<(host: string) => string> {
  const byHost = new Map<string, string>();
  for (const { metadata, hosts } of await aggregates.list()) {
    const zone = metadata[ZONE_KEY];
    if (zone !== undefined) for (const host of hosts) byHost.set(host, zone);
  }
  return (host) => byHost.get(host) ?? defaultZone;
}

/** DOWN (an operator said so), MAINTENANCE (disabled), UNKNOWN (it has fallen silent), UP; '' without a service. */
function statusOfHost(service: Service | undefined, now: number, downAfterMs: number): string {
  if (!service) return '';
  if (service.forcedDown) return 'DOWN';
  if (service.disabled) return 'MAINTENANCE';
  return serviceIsUp(service, now, downAfterMs) ? 'UP' : 'UNKNOWN';
}
