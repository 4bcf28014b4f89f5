import { invalid } from '@fractus/objects';
import type { FastifyRequest } from 'fastify';
import { originOf } from './links';
import { queryValue, rawQuery, parseQuery, type Query } from './query';

/** What a client asked for of a list. */
export interface PageRequest {
  /** How many items at most; already capped. 0 only where the client said 0. */
  readonly limit: number;
  /** Id of the last item that the client has seen. */
  readonly marker?: string;
}

export interface PageRules {
  /** Largest page, and the size where none is asked for (operators set it; 1000 upstream). */
  maxLimit: number;
}

/** Reads `limit` and `marker`. A limit that is no integer, or is negative, is `invalid`. */
export function parsePage(query: Query, rules: PageRules): PageRequest {
  const asked = parseCount(query, 'limit');
  const marker = queryValue(query, 'marker');
  const limit = Math.min(asked ?? rules.maxLimit, rules.maxLimit);
  return marker === undefined ? { limit } : { limit, marker };
}

/** A non-negative integer parameter, or undefined where it is absent. */
export function parseCount(query: Query, name: string): number | undefined {
  const text = queryValue(query, name);
  if (text === undefined) return undefined;
  if (!/^[+-]?\d+$/.test(text.trim())) throw invalid(`${name} must be an integer`, { code: `query.${name}` });
  const value = Number(text);
  if (value < 0) throw invalid(`${name} must be >= 0`, { code: `query.${name}` });
  if (!Number.isSafeInteger(value)) throw invalid(`${name} is too large`, { code: `query.${name}` });
  return value;
}

/** A `next` link is due when the page is full: the client may then ask for the page after it. */
export function isFullPage(count: number, page: Pick<PageRequest, 'limit'>): boolean {
  return page.limit > 0 && count >= page.limit;
}

/** The request's own URL with another marker; every other parameter is kept. `path` defaults to the request's. */
export function nextHref(request: FastifyRequest, marker: string, path?: string): string {
  const url = request.originalUrl;
  const at = url.indexOf('?');
  const query = parseQuery(rawQuery(url));
  delete query['marker'];
  const pairs = Object.keys(query)
    .sort()
    .flatMap((name) => (query[name] ?? []).map((value): [string, string] => [name, value]));
  pairs.push(['marker', marker]);
  return `${originOf(request)}${path ?? (at < 0 ? url : url.slice(0, at))}?${new URLSearchParams(pairs).toString()}`;
}
