import { controllersOfApi } from '@fractus/app-compute-api';
import { operationsOf, type Operation } from '@fractus/microversions';
import type { Answered } from './api-client';

/** Every operation that the Compute API declares, an action as `POST /servers/{server_id}/action pause`. */
export const computeOperations = (): readonly Operation[] => controllersOfApi().flatMap((c) => operationsOf(c));

/** Matches a path below the endpoint, the project's id in front of it or not. */
function patternOf(path: string): RegExp {
  const parts = path
    .split('/')
    .map((part) => (part.startsWith('{') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  return new RegExp(`^(/[0-9a-f]{32})?${parts.join('/')}/?$`);
}

/** The name of the operation that a request meant; undefined where there is none. For clients that cannot ask the API itself. */
export function operationNamer(): (request: Pick<Answered, 'method' | 'path' | 'body'>) => string | undefined {
  const known = computeOperations().map(({ name }) => {
    const [method, path = '', action] = name.split(' ');
    return { name, method, pattern: patternOf(path), literal: !path.includes('{'), action };
  });
  // `/servers/detail` before `/servers/{server_id}`
  known.sort((a, b) => Number(b.literal) - Number(a.literal));
  return ({ method, path, body }) => {
    const action = typeof body === 'object' && body !== null ? Object.keys(body)[0] : undefined;
    const bare = path.replace(/\?.*$/s, '');
    return known.find(
      (o) => o.method === method && (o.action === undefined || o.action === action) && o.pattern.test(bare),
    )?.name;
  };
}
