import type { Server, ServerPatch } from '@fractus/compute-db';
import { conflict, notFound, type RequestContext } from '@fractus/objects';
import { type AccessDeps, serverFor } from './server-access';

export interface UpdateServerDeps extends AccessDeps {
  defaultZone: string;
}

/** What PUT /servers/{id} may change; `undefined` leaves a field alone. */
export interface UpdateServerRequest {
  name?: string;
  description?: string | null;
  hostname?: string;
  accessIpV4?: string;
  accessIpV6?: string;
  diskConfig?: 'AUTO' | 'MANUAL';
  /** Null unpins; a zone pins, if it is the one the server is in (2.104). */
  pinnedZone?: string | null;
}

/** Writes the fields that the user owns; state is never touched here. */
export async function updateServer(
  deps: UpdateServerDeps,
  ctx: RequestContext,
  id: string,
  request: UpdateServerRequest,
): Promise<Server> {
  const server = await serverFor(deps, ctx, id, 'os_compute_api:servers:update');
  const { pinnedZone, ...plain } = request;
  if (pinnedZone) await checkPin(deps, server, pinnedZone);
  const patch: ServerPatch = { ...plain, availabilityZone: pinnedZone };
  if (!(await deps.servers.update(server.id, patch)))
    throw notFound(`Instance ${id} could not be found.`, { code: 'server.not_found' });
  if (pinnedZone !== undefined) await deps.servers.repin(server.id, pinnedZone);
  return deps.servers.get(server.id);
}

/** A server can be pinned only to where it is; to move it to another zone is another action. */
async function checkPin(deps: UpdateServerDeps, server: Server, zone: string): Promise<void> {
  const pinned = server.availabilityZone;
  if (pinned === zone) return;
  if (pinned !== null)
    throw conflict(`Instance ${server.id} is pinned to availability zone ${pinned}; unpin it first.`, {
      code: 'server.pinned',
    });
  if (server.host === null)
    throw conflict(`Instance ${server.id} is on no host and cannot be pinned to a zone.`, { code: 'server.no_host' });
  const actual = (await deps.reads.glance(server.host)).zone ?? deps.defaultZone;
  if (actual !== zone)
    throw conflict(`Instance ${server.id} is in availability zone ${actual}, not ${zone}.`, {
      code: 'server.zone_mismatch',
    });
}
