import { isUtf8 } from 'node:buffer';
import { FractusError, invalid } from '@fractus/objects';
import type { FastifyInstance, FastifyRequest } from 'fastify';

export interface BodyRules {
  /** Bytes; larger bodies get 413. Default 1 MiB. Raw types have no limit here. */
  limit?: number;
  /** Content types read as JSON. Default `application/json`. A body without a Content-Type is read as JSON too. */
  jsonTypes?: readonly string[];
  /** Content types handed over as a stream (`request.body` is a Readable). */
  rawTypes?: readonly string[];
  /** Answer to other content types: 415 (default) or 400. */
  rejectWith?: 415 | 400;
}

export const DEFAULT_BODY_LIMIT = 1024 * 1024;
/** Deeper nesting than any API has; a recursive walk of it must not exhaust the stack. */
const MAX_DEPTH = 100;
/** Methods whose body is part of the request; a body sent with others is read and dropped, as upstream does. */
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/** Replaces the framework's parsers: every body is JSON in UTF-8, a raw stream, or refused in our words. */
export function installBodyParsers(fastify: FastifyInstance, rules: BodyRules): void {
  const jsonTypes = new Set(rules.jsonTypes ?? ['application/json']);
  // refuses __proto__ and constructor.prototype, so that a copy of a body can never reach a prototype
  const parseJson = fastify.getDefaultJsonParser('error', 'error');
  fastify.removeAllContentTypeParsers();
  for (const type of rules.rawTypes ?? [])
    fastify.addContentTypeParser(type, (_request, payload, done) => done(null, payload));
  fastify.addContentTypeParser<Buffer>(
    '*',
    { parseAs: 'buffer', bodyLimit: rules.limit ?? DEFAULT_BODY_LIMIT },
    (request, bytes, done) => {
      if (!WITH_BODY.has(request.method)) return done(null, undefined);
      const type = mediaType(request);
      if (type !== '' && !jsonTypes.has(type)) return done(rejected(type, rules.rejectWith ?? 415));
      if (bytes.length === 0) return done(null, undefined);
      if (!isUtf8(bytes)) return done(invalid('Malformed request body: it is not UTF-8', { code: 'body.encoding' }));
      const text = bytes.toString('utf8');
      if (isTooDeep(text))
        return done(invalid(`Malformed request body: nested deeper than ${MAX_DEPTH} levels`, { code: 'body.depth' }));
      void parseJson(request, text, (error, value) => {
        if (error) done(invalid('Malformed request body: it is not valid JSON', { code: 'body.json', cause: error }));
        else done(null, value);
      });
    },
  );
}

function mediaType(request: FastifyRequest): string {
  const header = request.headers['content-type'];
  return header === undefined ? '' : (header.split(';')[0] ?? '').trim().toLowerCase();
}

function rejected(type: string, status: 415 | 400): FractusError {
  const kind = status === 415 ? 'unsupported_media' : 'invalid';
  return new FractusError(kind, `Unsupported Content-Type: ${type}`, { code: 'body.type' });
}

/** Counts brackets outside strings; only bodies with very many are looked at twice. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (inString) {
      if (c === 0x5c) i++;
      else if (c === 0x22) inString = false;
    } else if (c === 0x22) inString = true;
    else if (c === 0x7b || c === 0x5b) {
      if (++depth > MAX_DEPTH) return true;
    } else if (c === 0x7d || c === 0x5d) depth--;
  }
  return false;
}
