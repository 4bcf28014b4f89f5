/**
 * The few kinds of error that cross a boundary. A protocol mapper (HTTP, RPC) looks at the kind only; clients that
 * want more look at the stable `code`.
 */
export const ERROR_KINDS = [
  'invalid', // 400: the request breaks a rule; the message names the field and the rule
  'unauthenticated', // 401
  'forbidden', // 403: policy or quota
  'not_found', // 404
  'not_allowed', // 405
  'not_acceptable', // 406
  'conflict', // 409: state, generation, duplicate
  'gone', // 410
  'too_large', // 413: body or limit
  'unsupported_media', // 415
  'unimplemented', // 501: honest "not built" or "not supported by the driver"
  'unavailable', // 503: a needed part is down; retry later
  'timeout', // 504 outside, typed time-out inside: the deadline passed
  'unroutable', // nobody consumes the queue the message was sent to
  'internal', // 500: a fault of ours
] as const;

export type ErrorKind = (typeof ERROR_KINDS)[number];

export interface ErrorOptions {
  /** Stable, dotted, machine-readable: `quota.instances`, `server.state`. */
  code?: string;
  /** Typed facts beside the sentence; must be JSON. */
  details?: Record<string, unknown>;
  /** The inside story; logged, never shown outside. */
  cause?: unknown;
  /** Seconds after which a retry is worth while (503, 413). */
  retryAfter?: number;
}

/** An error with an outside message and an inside cause. The message is shown to clients as it is. */
export class FractusError extends Error {
  override readonly name = 'FractusError';
  readonly code: string;
  readonly details?: Record<string, unknown>;
  readonly retryAfter?: number;

  constructor(
    readonly kind: ErrorKind,
    message: string,
    options: ErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code ?? kind;
    if (options.details) this.details = options.details;
    if (options.retryAfter !== undefined) this.retryAfter = options.retryAfter;
  }
}

/** Whether `e` is a FractusError, of one of the given kinds if any are given. Survives duplicate module instances. */
export function isFractusError(e: unknown, ...kinds: ErrorKind[]): e is FractusError {
  const is = e instanceof Error && e.name === 'FractusError' && 'kind' in e;
  return is && (kinds.length === 0 || kinds.includes((e as FractusError).kind));
}

type Make = (message: string, options?: ErrorOptions) => FractusError;
const make =
  (kind: ErrorKind): Make =>
  (message, options) =>
    new FractusError(kind, message, options);

export const invalid = make('invalid');
export const unauthenticated = make('unauthenticated');
export const forbidden = make('forbidden');
export const notFound = make('not_found');
export const conflict = make('conflict');
export const unavailable = make('unavailable');
export const timedOut = make('timeout');
export const unimplemented = make('unimplemented');
export const internal = make('internal');
