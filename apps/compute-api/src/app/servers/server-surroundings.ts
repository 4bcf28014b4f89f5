import {
  type AggregatesRepository,
  type HostsRepository,
  type Server,
  type ServerOnHost,
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

/** What the views of a page of servers need beside the servers: four queries for any number of them. */
export async function surroundingsOf(
  deps: SurroundingsDeps,
  servers: readonly Server[],
  right: HostStatusRight,
): Promise<Map<string, Surroundings>> {
  const hosts = [...new Set(servers.flatMap((s) => s.host ?? []))];
  const faults = await faultsOf(deps, servers);
  const zones = hosts.length ? await zonesOf(deps.aggregates, deps.defaultZone) : () => deps.defaultZone;
  const services =
    hosts.length && right !== 'none' ? await deps.hosts.computeServices(hosts) : new Map<string, Service>();
  return new Map(
    servers.map((s) => [
      s.id,
      {
        fault: faults.get(s.id) ?? null,
        hostZone: s.host === null ? null : zones(s.host),
        hostStatus: shownStatus(deps, s.host === null ? undefined : services.get(s.host), right),
      },
    ]),
  );
}

/** What the view of one server needs, which its own read has brought already but for its fault. */
export async function surroundingsOfOne(
  deps: SurroundingsDeps,
  { server, service, zone }: ServerOnHost,
  right: HostStatusRight,
): Promise<Surroundings> {
  return {
    fault: (await faultsOf(deps, [server])).get(server.id) ?? null,
    hostZone: server.host === null ? null : (zone ?? deps.defaultZone),
    hostStatus: shownStatus(deps, service ?? undefined, right),
  };
}

async function faultsOf(deps: SurroundingsDeps, servers: readonly Server[]): Promise<Map<string, ServerFault>> {
  const failed = servers.filter((s) => s.vmState === 'error' || s.vmState === 'deleted').map((s) => s.id);
  return failed.length ? deps.servers.latestFaults(failed) : new Map<string, ServerFault>();
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

type HostService = Pick<Service, 'disabled' | 'forcedDown' | 'lastSeenAt'>;

/** The host's status as far as the asker may know it; '' without a host or its service. */
function shownStatus(
  deps: Pick<SurroundingsDeps, 'serviceDownSeconds'>,
  service: HostService | undefined,
  right: HostStatusRight,
): string | null {
  if (right === 'none') return null;
  const text = statusOfHost(service, Date.now(), deps.serviceDownSeconds * 1000);
  return right === 'all' || text === 'UNKNOWN' ? text : null;
}

/** DOWN (an operator said so), MAINTENANCE (disabled), UNKNOWN (it has fallen silent), UP; '' without a service. */
function statusOfHost(service: HostService | undefined, now: number, downAfterMs: number): string {
  if (!service) return '';
  if (service.forcedDown) return 'DOWN';
  if (service.disabled) return 'MAINTENANCE';
  return serviceIsUp(service, now, downAfterMs) ? 'UP' : 'UNKNOWN';
}
