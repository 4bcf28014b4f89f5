import {
  type HostGlance,
  type Server,
  type ServerFault,
  type ServerReads,
  type ServersRepository,
  serviceIsUp,
} from '@fractus/compute-db';

export interface SurroundingsDeps {
  servers: ServersRepository;
  reads: Pick<ServerReads, 'glance' | 'glances'>;
  /** The zone of hosts that no aggregate puts in one. */
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

/** What the views of a page of servers need beside the servers: two statements for any number of them. */
export async function surroundingsOf(
  deps: SurroundingsDeps,
  servers: readonly Server[],
  right: HostStatusRight,
): Promise<Map<string, Surroundings>> {
  const failed = servers.filter((s) => s.vmState === 'error' || s.vmState === 'deleted').map((s) => s.id);
  const faults = failed.length ? await deps.servers.latestFaults(failed) : new Map<string, ServerFault>();
  const glances = await glancesOf(deps, servers);
  const now = Date.now();
  return new Map(
    servers.map(({ id, host }) => {
      const glance = host === null ? undefined : glances.get(host);
      const hostZone = host === null ? null : (glance?.zone ?? deps.defaultZone);
      return [id, { fault: faults.get(id) ?? null, hostZone, hostStatus: shownStatus(deps, glance, right, now) }];
    }),
  );
}

async function glancesOf(
  { reads }: SurroundingsDeps,
  servers: readonly Server[],
): Promise<ReadonlyMap<string, HostGlance>> {
  const hosts = [...new Set(servers.flatMap((s) => s.host ?? []))];
  const [first] = hosts;
  if (first === undefined) return new Map();
  return hosts.length === 1 ? new Map([[first, await reads.glance(first)]]) : reads.glances(hosts);
}

/** The host's status as far as the asker may know it; null: not at all. */
function shownStatus(
  { serviceDownSeconds }: SurroundingsDeps,
  glance: HostGlance | undefined,
  right: HostStatusRight,
  now: number,
): string | null {
  if (right === 'none') return null;
  const text = statusOfHost(glance?.service ?? null, now, serviceDownSeconds * 1000);
  return right === 'all' || text === 'UNKNOWN' ? text : null;
}

/** DOWN (an operator said so), MAINTENANCE (disabled), UNKNOWN (it has fallen silent), UP; '' without a service. */
function statusOfHost(service: HostGlance['service'], now: number, downAfterMs: number): string {
  if (!service) return '';
  if (service.forcedDown) return 'DOWN';
  if (service.disabled) return 'MAINTENANCE';
  return serviceIsUp(service, now, downAfterMs) ? 'UP' : 'UNKNOWN';
}
