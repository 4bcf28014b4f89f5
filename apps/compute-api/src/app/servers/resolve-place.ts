import { invalid, type RequestContext } from '@fractus/objects';
import type { CreateServerRequest, ResolvedCreate } from './create-request';

export interface PlaceDeps {
  /** Whether the zone has a host that takes servers. */
  zoneAvailable(zone: string): Promise<boolean>;
  /** The zone that an aggregate puts a host in; null where none does. */
  zoneOfHost(host: string | null): Promise<string | null>;
  /** The zone of hosts that no aggregate puts in one. */
  readonly defaultZone: string;
  /** Whether a host (and, if given, that hypervisor on it) exists; a hypervisor alone is looked up by name. */
  findHost(host: string | null, node: string | null): Promise<{ host: string; node: string } | null>;
  authorize(ctx: RequestContext, rule: string): void;
}

type Place = Pick<ResolvedCreate, 'availabilityZone' | 'requestedHost' | 'requestedNode'>;

/** Zone, and host where one is forced (`zone:host:node`) or asked for (2.74); not both. */
export async function resolvePlace(deps: PlaceDeps, ctx: RequestContext, request: CreateServerRequest): Promise<Place> {
  const [zone = '', forcedHost = '', forcedNode = '', extra] = (request.availabilityZone ?? '').split(':');
  if (extra !== undefined)
    throw invalid('Unable to parse availability_zone: give zone, zone:host or zone:host:node', { code: 'zone.form' });
  const forced = forcedHost !== '' || forcedNode !== '';
  const requested = request.host !== null || request.hypervisorHostname !== null;
  if (forced) deps.authorize(ctx, 'os_compute_api:servers:create:forced_host');
  if (requested) deps.authorize(ctx, 'compute:servers:create:requested_destination');
  if (forced && requested)
    throw invalid(
      'One mechanism with host and/or hypervisor_hostname and another mechanism with zone:host:node are mutually exclusive.',
      { code: 'host.two_ways' },
    );
  const host = request.host ?? (forcedHost || null);
  const node = request.hypervisorHostname ?? (forcedNode || null);
  if (!forced && zone !== '' && !(await deps.zoneAvailable(zone)))
    throw invalid('The requested availability zone is not available', { code: 'zone.not_available' });
  const found = host === null && node === null ? null : await deps.findHost(host, node);
  if (!found && (host !== null || node !== null))
    throw invalid(`Compute host ${host ?? node} could not be found.`, { code: 'host.not_found' });
  const availabilityZone = found && forced ? await zoneWhere(deps, zone, found.host) : zone || null;
  return { availabilityZone, requestedHost: host, requestedNode: node };
}

/**
 * The zone asked for together with a host, where the host is in it. Where it is not, the host counts and the server is
 * pinned to no zone (upstream bug 1934770).
 */
async function zoneWhere(deps: PlaceDeps, zone: string, host: string): Promise<string | null> {
  const actual = (await deps.zoneOfHost(host)) ?? deps.defaultZone;
  return zone === actual ? zone : null;
}
