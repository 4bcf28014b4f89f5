import { HttpException } from '@nestjs/common';
import { isFractusError, type ErrorKind } from '@fractus/objects';
import type { FastifyRequest } from 'fastify';

/** Status by kind of error. The one place where HTTP's numbers meet ours. */
export const STATUS_BY_KIND = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  not_allowed: 405,
  not_acceptable: 406,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unsupported_media: 415,
  internal: 500,
  unimplemented: 501,
  unavailable: 503,
  unroutable: 503,
  timeout: 504,
} as const satisfies Record<ErrorKind, number>;

/** What may be told to a client about an error: no cause, no stack. */
export interface FaultInfo {
  readonly kind: ErrorKind;
  readonly status: number;
  /** Stable code of the error, e.g. `quota.instances`. */
  readonly code: string;
  readonly message: string;
  readonly details?: Record<string, unknown>;
  /** Seconds; sent as Retry-After. */
  readonly retryAfter?: number;
  /** Empty where the request never became one (a malformed request line). */
  readonly requestId: string;
  /** Methods that the path knows, with `not_allowed`. */
  readonly allow?: readonly string[];
}

export interface FaultResponse {
  readonly body: unknown;
  /** Overrides the fault's own status. */
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** Default `application/json`. A string body is sent as it is. */
  readonly contentType?: string;
}

/** Shapes a fault as one API does. `request` is null for bytes that never became a request. */
export type FaultMapper = (fault: FaultInfo, request: FastifyRequest | null) => FaultResponse;

/** When to come again after a 503 that says nothing of its own. */
const RETRY_SECONDS = 1;

const KIND_BY_STATUS = new Map<number, ErrorKind>(
  (Object.entries(STATUS_BY_KIND) as [ErrorKind, number][])
    .filter(([kind]) => kind !== 'unroutable')
    .map(([k, s]) => [s, k]),
);

interface FastifyFault extends Error {
  code: string;
  statusCode: number;
}

/** Describes any thrown value. Whatever is not known is an internal fault, told in one neutral sentence. */
export function faultOf(error: unknown, requestId: string): FaultInfo {
  if (isFractusError(error) && error.kind !== 'internal') {
    const status = STATUS_BY_KIND[error.kind];
    // whoever is told to come again is told when, also where nobody down below had an opinion
    const retryAfter = error.retryAfter ?? (status === 503 ? RETRY_SECONDS : undefined);
    return {
      kind: error.kind,
      status,
      code: error.code,
      message: error.message,
      ...(error.details ? { details: error.details } : {}),
      ...(retryAfter === undefined ? {} : { retryAfter }),
      requestId,
    };
  }
  if (error instanceof HttpException && error.getStatus() < 500)
    return known(error.getStatus(), error.message, requestId);
  if (isFastifyFault(error) && error.statusCode < 500) return known(error.statusCode, fastifyMessage(error), requestId);
  return {
    kind: 'internal',
    status: 500,
    code: 'internal',
    message: `The server could not complete the request because of a fault of its own. Its log tells more under ${requestId || 'this time'}.`,
    requestId,
  };
}

function known(status: number, message: string, requestId: string): FaultInfo {
  const kind = KIND_BY_STATUS.get(status) ?? 'invalid';
  return { kind, status, code: kind, message, requestId };
}

/** By its form: errors of Node's own may come from another realm, where `instanceof` does not hold. */
function isFastifyFault(error: unknown): error is FastifyFault {
  if (typeof error !== 'object' || error === null) return false;
  const e = error as Partial<FastifyFault>;
  return typeof e.code === 'string' && typeof e.statusCode === 'number';
}

/** The framework's own refusals in our words. */
function fastifyMessage(error: FastifyFault): string {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return 'The request body is too large.';
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return 'Unsupported Content-Type';
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return 'The request body is not as long as Content-Length says.';
    case 'ECONNRESET':
      return 'The connection was closed before the request body was whole.';
    case 'FST_ERR_BAD_URL':
      return 'The request path is not a valid URL.';
    default:
      return error.message;
  }
}
