/** What Placement looks at before it looks at the path. */
import { type RequestContext, invalid, notFound } from '@fractus/objects';
import type { FastifyInstance, FastifyRequest } from 'fastify';

export interface PreRoutingOptions {
  /** Without identity: x-roles, x-project-id and openstack-system-scope say who asks, beside the token. */
  readonly trustRoleHeaders: boolean;
  /** Browsers may call: a cache must keep answers to different origins apart. */
  readonly variesByOrigin: boolean;
}

export function installPreRouting(fastify: FastifyInstance, options: PreRoutingOptions): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (options.trustRoleHeaders && request.fractusCtx)
      request.fractusCtx = withRoleHeaders(request.fractusCtx, request);
    // no need to read the body of a request that nothing answers
    if (request.is404) return done(notFound('The resource could not be found.', { code: 'path.unknown' }));
    const length = Number(request.headers['content-length'] ?? 0);
    if (length > 0 && !request.headers['content-type'])
      return done(invalid('content-type header required when content-length > 0', { code: 'request.content_type' }));
    done();
  });
  const vary = options.variesByOrigin ? 'openstack-api-version, Origin' : 'openstack-api-version';
  // upstream's media type and header names, which clients compare as text
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (reply.getHeader('content-type') === 'application/json; charset=utf-8')
      void reply.header('content-type', 'application/json');
    if (/^openstack-api-version$/i.test(String(reply.getHeader('vary')))) void reply.header('vary', vary);
    done(null, payload);
  });
}

function withRoleHeaders(ctx: RequestContext, request: FastifyRequest): RequestContext {
  const header = (name: string): string | undefined => [request.headers[name]].flat()[0];
  const roles = header('x-roles');
  const project = header('x-project-id');
  const scope = header('openstack-system-scope');
  return {
    ...ctx,
    ...(roles === undefined ? {} : { roles: roles.split(',').map((r) => r.trim()) }),
    ...(project === undefined ? {} : { projectId: project }),
    ...(scope === undefined ? {} : { systemScope: scope, projectId: null }),
  };
}
