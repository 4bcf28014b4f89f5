import type { Server, ServerReads, ServersRepository } from '@fractus/compute-db';
import { isFractusError, notFound, type RequestContext } from '@fractus/objects';

export interface AccessDeps {
  servers: ServersRepository;
  reads: Pick<ServerReads, 'find' | 'glance' | 'glances'>;
  authorize(ctx: RequestContext, rule: string, target: { projectId: string; userId: string }): void;
  may(ctx: RequestContext, rule: string, target?: { projectId: string; userId: string }): boolean;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * The server, for an asker who may perform `rule` on it. A server of another project does not exist for those who are
 * no administrators: 404, never 403.
 */
export async function serverFor(deps: AccessDeps, ctx: RequestContext, id: string, rule: string): Promise<Server> {
  const missing = (): Error =>
    notFound(`Instance ${id.slice(0, 255)} could not be found.`, { code: 'server.not_found' });
  if (!UUID.test(id)) throw missing();
  const server = await deps.reads.find(id.toLowerCase());
  if (!server) throw missing();
  const target = { projectId: server.projectId, userId: server.userId };
  try {
    deps.authorize(ctx, rule, target);
  } catch (e) {
    const foreign = server.projectId !== ctx.projectId && !ctx.roles.includes('admin');
    throw foreign && isFractusError(e, 'forbidden') ? missing() : e;
  }
  return server;
}
