import type { FastifyInstance, FastifyRequest } from 'fastify';
import { originOf } from '@fractus/http';
import { CHOICES, ENDPOINT_DOCUMENT, clientPath } from '../urls';
import { NOVA } from '../versions/nova-versions';

/** The endpoints that exist, as every version document tells them. */
interface Endpoint {
  readonly id: 'v2.0' | 'v2.1';
  readonly path: '/v2' | '/v2.1';
  readonly status: 'CURRENT' | 'SUPPORTED' | 'DEPRECATED';
  readonly version: string;
  readonly min_version: string;
  /** Fixed texts: clients compare them, nobody keeps them up to date (upstream neither). */
  readonly updated: string;
  readonly mediaType: string;
}

const ENDPOINTS: readonly Endpoint[] = [
  {
    id: 'v2.0',
    path: '/v2',
    status: 'DEPRECATED',
    version: '',
    min_version: '',
    updated: '2025-07-04T12:00:00Z',
    mediaType: 'application/vnd.openstack.compute+json;version=2',
  },
  {
    id: 'v2.1',
    path: '/v2.1',
    status: 'CURRENT',
    version: NOVA.max,
    min_version: NOVA.min,
    updated: '2013-07-23T11:33:21Z',
    mediaType: 'application/vnd.openstack.compute+json;version=2.1',
  },
];

const mediaTypes = ({ mediaType }: Endpoint): object[] => [{ base: 'application/json', type: mediaType }];

const brief = (request: FastifyRequest, { id, path, status, version, min_version, updated }: Endpoint): object => ({
  id,
  status,
  version,
  min_version,
  updated,
  links: [{ rel: 'self', href: `${originOf(request)}${path}/` }],
});

function detail(request: FastifyRequest): object {
  const { endpoint } = clientPath(request);
  const found = ENDPOINTS.find((e) => e.path === endpoint) ?? ENDPOINTS[1];
  if (!found) throw new Error('no endpoint');
  const { id, path, status, version, min_version, updated } = found;
  const links = [
    { rel: 'self', href: `${originOf(request)}${path}/` },
    { rel: 'describedby', type: 'text/html', href: 'http://docs.openstack.org/' },
  ];
  return { id, status, version, min_version, updated, links, 'media-types': mediaTypes(found) };
}

function choices(request: FastifyRequest): object[] {
  const path = request.originalUrl.split(/[?#]/)[0] ?? '';
  return ENDPOINTS.map((endpoint) => ({
    id: endpoint.id,
    status: endpoint.status,
    links: [{ rel: 'self', href: `${originOf(request)}${endpoint.path}${path}` }],
    'media-types': mediaTypes(endpoint),
  }));
}

/** Paths that tell which versions there are; nobody needs a token for them. */
export const DOCUMENT_PATHS = ['/', CHOICES, ENDPOINT_DOCUMENT] as const;

/** Serves the version documents: all endpoints at the root, one at its own path, 300 for everything outside of them. */
export function installVersionDocuments(fastify: FastifyInstance): void {
  fastify.get('/', async (request) => ({ versions: ENDPOINTS.map((e) => brief(request, e)) }));
  // an endpoint's document is asked for in a version, as everything under it; the root is not
  fastify.get(ENDPOINT_DOCUMENT, { config: { fractusVersioned: true } }, async (request) => ({
    version: detail(request),
  }));
  fastify.all(CHOICES, async (request, reply) => reply.code(300).send({ choices: choices(request) }));
}
