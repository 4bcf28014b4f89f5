import type { FastifyInstance } from 'fastify';
import { ctxOf } from '@fractus/http';
import { invalid } from '@fractus/objects';
import { clientPath } from './urls';

/** A project id in the path must be the token's own. */
export function installProjectPathCheck(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (!request.routeOptions.config.fractusVersioned) return done();
    const { projectId } = clientPath(request);
    const own = ctxOf(request).projectId;
    if (projectId === undefined || projectId === own) return done();
    const message = `Malformed request URL: URL's project_id '${projectId.slice(0, 100)}' doesn't match Context's project_id '${own ?? 'None'}'`;
    done(invalid(message, { code: 'url.project' }));
  });
}
