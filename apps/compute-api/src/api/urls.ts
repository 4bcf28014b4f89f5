import type { FastifyRequest } from 'fastify';
import { originOf, type Link } from '@fractus/http';

/**
 * Paths of the API. Clients reach every operation under /v2.1 and the legacy /v2, bare or behind a project id; inside,
 * each has one path under /v2.1. `request.originalUrl` keeps what the client sent.
 */
export const ROOT = '/v2.1';
/** Where the document of one endpoint (/v2, /v2.1) is served. */
export const ENDPOINT_DOCUMENT = '/v2.1/';
/** Where everything that is not under an endpoint is answered. */
export const CHOICES = '/choices';

const OPS = new Set(['/healthz', '/readyz', '/metrics']);
const ENDPOINT = /^\/(v2\.1|v2)(?=\/|$)(?:\/([0-9a-f-]+)(?=\/))?(.*)$/;

const split = (url: string): [path: string, rest: string] => {
  const at = url.search(/[?#]/);
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at)];
};

/** The inner target of a client's target. */
export function rewriteUrl(url: string): string {
  const [path, rest] = split(url);
  if (path === '/' || path === '') return `/${rest}`;
  if (OPS.has(path)) return url;
  const m = ENDPOINT.exec(path);
  if (!m) return CHOICES + rest;
  const inner = m[3] ?? '';
  return `${ROOT}${inner === '' ? '/' : inner}${rest}`;
}

export interface ClientPath {
  /** `/v2.1` or `/v2`, as the client wrote it. */
  readonly endpoint: string;
  readonly legacy: boolean;
  /** The project id in the path, if there is one. */
  readonly projectId?: string;
}

/** What the client's own path says. */
export function clientPath(request: FastifyRequest): ClientPath {
  const m = ENDPOINT.exec(split(request.originalUrl)[0]);
  const legacy = m?.[1] === 'v2';
  return { endpoint: legacy ? '/v2' : ROOT, legacy, ...(m?.[2] === undefined ? {} : { projectId: m[2] }) };
}

export const isLegacy = (request: FastifyRequest): boolean => clientPath(request).legacy;

/** URL of the endpoint as the client addressed it, with the project id where it wrote one: `http://host/v2.1/abc`. */
export function endpointUrl(request: FastifyRequest): string {
  const { endpoint, projectId } = clientPath(request);
  return `${originOf(request)}${endpoint}${projectId === undefined ? '' : `/${projectId}`}`;
}

/** The links that every resource carries: to itself, and a bookmark without the version. */
export function resourceLinks(request: FastifyRequest, collection: string, id: string): Link[] {
  return [{ rel: 'self', href: `${endpointUrl(request)}/${collection}/${id}` }, bookmarkLink(request, collection, id)];
}

export function bookmarkLink(request: FastifyRequest, collection: string, id: string): Link {
  return { rel: 'bookmark', href: `${bookmarkUrl(request)}/${collection}/${id}` };
}

/** What bookmarks start with: the origin, and the project id where the client wrote one. */
export function bookmarkUrl(request: FastifyRequest): string {
  const { projectId } = clientPath(request);
  return `${originOf(request)}${projectId === undefined ? '' : `/${projectId}`}`;
}
