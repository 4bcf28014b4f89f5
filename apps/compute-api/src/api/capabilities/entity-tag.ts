import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { Answer } from '@fractus/microversions';

/** A strong hash of what an answer tells; the moment at which it was put together is not part of that. */
export function entityTag(body: object): string {
  const text = JSON.stringify(body, (key, value: unknown) => (key === 'evaluated_at' ? undefined : value));
  return `"${createHash('sha256').update(text).digest('base64url')}"`;
}

/** Whether an `If-None-Match` names the tag: a list of tags, weak or not, or `*`. */
export function matches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || (header.match(/(?:W\/)?"[^"]*"/g) ?? []).some((t) => t.replace(/^W\//, '') === tag);
}

/** The answer with its tag; 304 without a body for who has it already. */
export function unlessKnown(raw: FastifyRequest, body: object): Answer {
  const etag = entityTag(body);
  const headers = { etag, 'cache-control': 'private, no-cache' };
  if (matches(raw.headers['if-none-match'], etag)) return new Answer(undefined, { status: 304, headers });
  return new Answer(body, { headers });
}
