import type { FastifyInstance, FastifyRequest } from 'fastify';
import { compareVersions } from '@fractus/dto-schema';
import { FractusError, invalid, notFound } from '@fractus/objects';
import { ROOT } from '../urls';
import { REMOVED_OPERATIONS, type RemovedOperation } from './removed-operations';

/** The one action route with removed actions that also has living ones. */
const LIVING_ACTIONS = `${ROOT}/servers/{}/action`;

/**
 * Makes the operations of the list answer. They become routes, behind token and version like all others; on the action
 * route that lives, a look at the body comes before the actions that live. Call before the API's own routes are made.
 */
export function installRemovedOperations(fastify: FastifyInstance): void {
  const byRoute = new Map<string, RemovedOperation[]>();
  for (const row of REMOVED_OPERATIONS) {
    const route = `${row.method} ${ROOT}${row.path}`;
    byRoute.set(route, [...(byRoute.get(route) ?? []), row]);
  }
  for (const [route, rows] of byRoute) {
    const [method = '', path = ''] = route.split(' ');
    if (bare(path) === LIVING_ACTIONS) continue;
    fastify.route({
      method,
      url: path.replace(/\{(\w+)\}/g, ':$1'),
      config: { fractusVersioned: true },
      handler: (request) => {
        refuse(request, rows);
        throw invalid(`There is no such action: ${keyOf(request).slice(0, 100)}`, { code: 'action.unknown' });
      },
    });
  }
  const actions = REMOVED_OPERATIONS.filter(({ path }) => bare(ROOT + path) === LIVING_ACTIONS);
  fastify.addHook('onRoute', (route) => {
    if (route.method !== 'POST' || bare(route.url) !== LIVING_ACTIONS) return;
    route.preHandler = (request, _reply, done) => {
      try {
        refuse(request, actions);
        done();
      } catch (e) {
        done(e as Error);
      }
    };
  });
}

/** Throws if one of the rows is what the request asks for. */
function refuse(request: FastifyRequest, rows: readonly RemovedOperation[]): void {
  const row = rows.find(({ action }) => action === null || action === keyOf(request));
  if (!row) return;
  const version = request.fractusVersion;
  const known =
    version === null ||
    ((row.min === null || compareVersions(version, row.min) >= 0) &&
      (row.max === null || compareVersions(version, row.max) <= 0));
  if (!known) throw notFound('The resource could not be found.', { code: 'microversion.absent' });
  if (row.code === 400) throw invalid(row.message, { code: 'operation.removed' });
  throw new FractusError('gone', row.message, { code: 'operation.removed' });
}

/** Key of an action's body; '' where it is none. */
function keyOf({ body }: FastifyRequest): string {
  const keys = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.keys(body) : [];
  return keys.length === 1 ? (keys[0] ?? '') : '';
}

/** Names of path parameters do not count. */
const bare = (path: string): string => path.replace(/:\w+|\{\w+\}/g, '{}');
