import type { Server, ServerOnHost, ServerReads, ServersRepository } from '@fractus/compute-db';
import { isFractusError, notFound, type RequestContext } from '@fractus/objects';

export interface AccessDeps {
  servers: ServersRepository;
  authorize(ctx: RequestContext, rule: string, target: { projectId: string; userId: string }): void;
  may(ctx: RequestContext, rule: string, target?: { projectId: string; userId: string }): boolean;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * The server, for an asker who may perform `rule` on it. A server of another project does not exist for those who are
 * no administrators: 404, never 403.
 */
export async function serverFor(deps: AccessDeps, ctx: RequestContext, id: string, rule: string): Promise<Server> {
  const server = UUID.test(id) ? await deps.servers.find(id.toLowerCase()) : null;
  if (!server) throw missing(id);
  requireAccess(deps, ctx, server, rule);
  return server;
}

/** As `serverFor`, with what a view of the server tells of its host. */
export async function serverOnHostFor(
  deps: AccessDeps & { reads: ServerReads },
  ctx: RequestContext,
  id: string,
  rule: string,
): Promise<ServerOnHost> {
  const found = UUID.test(id) ? await deps.reads.find(id.toLowerCase()) : null;
  if (!found) throw missing(id);
  requireAccess(deps, ctx, found.server, rule);
  return found;
}

const missing = (id: string): Error =>
  notFound(`Instance ${id.slice(0, 255)} could not be found.`, { code: 'server.not_found' });

function requireAccess(deps: AccessDeps, ctx: RequestContext, server: Server, rule: string): void {
  try {
    deps.authorize(ctx, rule, { projectId: server.projectId, userId: server.userId });
  } catch (e) {
    const foreign = server.projectId !== ctx.projectId && !ctx.roles.includes('admin');
    throw foreign && isFractusError(e, 'forbidden') ? missing(server.id) : e;
  }
}
