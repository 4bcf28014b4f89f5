import { randomUUID } from 'node:crypto';

const REQUEST_ID = /^req-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** `req-<uuid>`, made anew for every request at the edge. */
export function newRequestId(): string {
  return `req-${randomUUID()}`;
}

/** The id that a client's own request carries (X-OpenStack-Request-ID on the way in); anything else is ignored. */
export function globalRequestId(header: string | undefined): string | undefined {
  return header !== undefined && REQUEST_ID.test(header) ? header : undefined;
}
