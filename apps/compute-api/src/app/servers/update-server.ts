import type { Server, ServerPatch } from '@fractus/compute-db';
import { notFound, type RequestContext } from '@fractus/objects';
import { type AccessDeps, serverFor } from './server-access';

/** What PUT /servers/{id} may change; `undefined` leaves a field alone. */
export interface UpdateServerRequest {
  name?: string;
  description?: string | null;
  hostname?: string;
  accessIpV4?: string;
  accessIpV6?: string;
  diskConfig?: 'AUTO' | 'MANUAL';
}

/** Writes the fields that the user owns; state is never touched here. */
export async function updateServer(
  deps: AccessDeps,
  ctx: RequestContext,
  id: string,
  request: UpdateServerRequest,
): Promise<Server> {
  const server = await serverFor(deps, ctx, id, 'os_compute_api:servers:update');
  const patch: ServerPatch = { ...request };
  if (!(await deps.servers.update(server.id, patch)))
    throw notFound(`Instance ${id} could not be found.`, { code: 'server.not_found' });
  return deps.servers.get(server.id);
}
