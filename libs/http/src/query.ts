import { isUtf8 } from 'node:buffer';
import { invalid } from '@fractus/objects';
import type { FastifyRequest } from 'fastify';

/** Every value of every query parameter, in the order they came. No prototype: any name is safe. */
export type Query = Record<string, string[]>;

/**
 * The query of a request with repeated parameters kept. Stray percent signs stay as they are (as upstream's parser
 * has it); bytes that are not UTF-8 are `invalid` (400).
 */
export function queryOf(request: FastifyRequest): Query {
  return parseQuery(rawQuery(request.raw.url ?? ''));
}

/** The first value of a parameter, or undefined. */
export function queryValue(query: Query, name: string): string | undefined {
  return query[name]?.[0];
}

/** The text after the question mark, as sent; empty if there is none. */
export function rawQuery(url: string): string {
  const at = url.indexOf('?');
  if (at < 0) return '';
  const end = url.indexOf('#', at);
  return url.slice(at + 1, end < 0 ? undefined : end);
}

export function parseQuery(raw: string): Query {
  const query = Object.create(null) as Query;
  if (raw === '') return query;
  for (const pair of raw.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decode(at < 0 ? pair : pair.slice(0, at));
    (query[name] ??= []).push(at < 0 ? '' : decode(pair.slice(at + 1)));
  }
  return query;
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replace(/\+/g, ' ') : text;
  if (/^[ -$&-~]*$/.test(spaced)) return spaced;
  // the raw target holds one character a byte, so latin1 gives the bytes back
  const bytes = Buffer.from(
    spaced.replace(/%([0-9a-f]{2})/gi, (_m, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  );
  if (!isUtf8(bytes)) throw invalid('Query string is not UTF-8 encoded', { code: 'query.encoding' });
  return bytes.toString('utf8');
}
