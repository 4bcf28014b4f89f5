/**
 * The one place where a neighbour's answer, or its silence, becomes a FractusError. The message keeps the neighbour's
 * own sentence; `details` say which service, status, method and path, so that a fault can tell who refused.
 */
import { FractusError, isFractusError, type ErrorKind } from '@fractus/objects';

/** Who was asked for what. */
export interface CallSite {
  /** Service name as the user knows it: `identity`, `image`, `network`. */
  readonly service: string;
  readonly method: string;
  readonly path: string;
}

const KIND_BY_STATUS: Readonly<Record<number, ErrorKind>> = {
  400: 'invalid',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  405: 'not_allowed',
  406: 'not_acceptable',
  408: 'unavailable',
  409: 'conflict',
  410: 'gone',
  413: 'too_large',
  415: 'unsupported_media',
  422: 'invalid',
  429: 'unavailable',
  501: 'unimplemented',
  504: 'timeout',
};

/** Maps a refusing answer. Codes are `<service>.<kind>`: `image.not_found`, `network.conflict`. */
export function errorOfAnswer(site: CallSite, status: number, body: unknown, retryAfter?: string | null): FractusError {
  const kind = KIND_BY_STATUS[status] ?? (status >= 500 ? 'unavailable' : 'invalid');
  const sentence = sentenceOf(body);
  const seconds = Number(retryAfter);
  return new FractusError(kind, sentence ?? `${site.service} answered ${status}`, {
    code: `${site.service}.${kind}`,
    details: { ...site, status, ...typeOf(body) },
    ...(retryAfter && Number.isFinite(seconds) ? { retryAfter: seconds } : {}),
  });
}

/** Maps a call that got no answer: refused, reset, unresolvable → `unavailable`; the deadline passed → `timeout`. */
export function errorOfFailure(site: CallSite, cause: unknown): FractusError {
  if (isFractusError(cause)) return cause;
  const details = { ...site };
  const name = (cause as { name?: unknown } | null | undefined)?.name;
  if (name === 'TimeoutError' || name === 'AbortError' || connectionCode(cause)?.includes('TIMEOUT')) {
    return new FractusError('timeout', `${site.service} did not answer in time`, {
      code: `${site.service}.timeout`,
      details,
      cause,
    });
  }
  return new FractusError('unavailable', `${site.service} cannot be reached`, {
    code: `${site.service}.unavailable`,
    details,
    cause,
  });
}

/** The system's code behind a failed fetch: `ECONNREFUSED`, `UND_ERR_SOCKET`. */
export function connectionCode(e: unknown): string | undefined {
  // by shape, not by class: fetch throws errors of its own realm
  for (let at: unknown = e, depth = 0; typeof at === 'object' && at !== null && depth < 4; depth++) {
    const { code, errors, cause } = at as { code?: unknown; errors?: unknown; cause?: unknown };
    if (typeof code === 'string') return code;
    if (Array.isArray(errors) && errors.length > 0) return connectionCode(errors[0]);
    at = cause;
  }
  return undefined;
}

type Dict = Record<string, unknown>;
const isDict = (v: unknown): v is Dict => typeof v === 'object' && v !== null && !Array.isArray(v);

/** Keystone and Nova nest `{x: {message}}`, Neutron `{NeutronError: {message}}`, Placement `{errors: [{detail}]}`; Glance may answer HTML. */
function sentenceOf(body: unknown): string | undefined {
  if (typeof body === 'string') return textOfHtml(body);
  if (!isDict(body)) return undefined;
  if (typeof body['message'] === 'string') return body['message'];
  const [first] = Array.isArray(body['errors']) ? (body['errors'] as unknown[]) : [];
  if (isDict(first) && typeof first['detail'] === 'string') return first['detail'];
  for (const inner of Object.values(body)) {
    if (isDict(inner) && typeof inner['message'] === 'string') return inner['message'];
    if (typeof inner === 'string') return inner;
  }
  return undefined;
}

function textOfHtml(body: string): string | undefined {
  const text = body
    .replace(/<title>[^<]*<\/title>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return text ? text.slice(0, 500) : undefined;
}

function typeOf(body: unknown): Dict {
  const inner = isDict(body) ? body['NeutronError'] : undefined;
  return isDict(inner) && typeof inner['type'] === 'string' ? { type: inner['type'] } : {};
}
