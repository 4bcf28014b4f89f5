import {
  FractusError,
  internal,
  isFractusError,
  ERROR_KINDS,
  type ErrorKind,
  type RequestContext,
} from '@fractus/objects';

/** A message's text: the sender's context and the method's payload. Additions only; a receiver ignores the unknown. */
export interface Envelope {
  readonly ctx: RequestContext;
  readonly data: unknown;
}

export interface WireError {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly message: string;
  readonly details?: Record<string, unknown>;
  readonly retryAfter?: number;
}

/** `internal` when the payload holds what JSON would change on the way: dates, maps, buffers, NaN, bigints, functions. */
export function encodeEnvelope(pattern: string, ctx: RequestContext, data: unknown): string {
  assertJson(data, pattern);
  return JSON.stringify({ ctx, data });
}

/** Throws when the text is no envelope: a poison message. */
export function decodeEnvelope(body: string): Envelope {
  const envelope = JSON.parse(body) as Partial<Envelope> | null;
  const ctx = envelope?.ctx;
  if (typeof ctx !== 'object' || ctx === null) throw new TypeError('the message has no context');
  if (typeof ctx.requestId !== 'string' || !Array.isArray(ctx.roles))
    throw new TypeError('the context has no requestId or roles');
  return envelope as Envelope;
}

export function encodeAnswer(pattern: string, data: unknown): string {
  if (data === undefined) return '{}';
  assertJson(data, `the answer of ${pattern}`);
  return JSON.stringify({ data });
}

export function encodeError(error: WireError): string {
  return JSON.stringify({ error });
}

/** The answer's payload, or the callee's error thrown as a FractusError of the same kind, code, message and details. */
export function decodeAnswer(pattern: string, text: string): unknown {
  let answer: { data?: unknown; error?: WireError } | null;
  try {
    answer = JSON.parse(text) as { data?: unknown; error?: WireError } | null;
  } catch (cause) {
    throw internal(`The answer of ${pattern} is not JSON`, { code: 'rpc.answer', cause });
  }
  if (answer?.error) throw fromWire(answer.error);
  return answer?.data;
}

/**
 * What of an error may leave the process: all of a FractusError but its cause; of any other error the class name alone,
 * for its message may hold SQL, paths or secrets.
 */
export function toWire(pattern: string, e: unknown): WireError {
  if (!isFractusError(e)) {
    const name = e instanceof Error ? e.constructor.name : typeof e;
    return { kind: 'internal', code: 'internal', message: `${pattern} failed (${name})` };
  }
  const { kind, code, message, retryAfter } = e;
  const details = jsonDetails(e.details);
  return { kind, code, message, ...(details && { details }), ...(retryAfter !== undefined && { retryAfter }) };
}

function fromWire(e: WireError): FractusError {
  // a newer callee may know kinds that we do not
  const kind = ERROR_KINDS.includes(e.kind) ? e.kind : 'internal';
  return new FractusError(kind, e.message, { code: e.code, details: e.details, retryAfter: e.retryAfter });
}

function jsonDetails(details: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
  if (!details) return undefined;
  try {
    assertJson(details, 'details');
    JSON.stringify(details);
    return details;
  } catch {
    return undefined; // an error must reach its caller even when what was attached to it cannot
  }
}

/** The path is put together only where something is wrong. */
function assertJson(value: unknown, what: string): void {
  const fault = faultOf(value);
  if (fault)
    throw internal(`${what}${fault.path} holds ${fault.holds}, which JSON cannot carry`, { code: 'rpc.payload' });
}

interface Fault {
  readonly path: string;
  readonly holds: string;
}

function faultOf(value: unknown): Fault | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : { path: '', holds: String(value) };
    case 'object':
      if (value === null) return undefined;
      return Array.isArray(value) ? faultOfList(value) : faultOfObject(value);
    default:
      return { path: '', holds: `a ${typeof value}` };
  }
}

function faultOfList(list: readonly unknown[]): Fault | undefined {
  for (let i = 0; i < list.length; i++) {
    const item = list[i];
    const fault = item === undefined ? { path: '', holds: 'undefined' } : faultOf(item);
    if (fault) return { path: `[${i}]${fault.path}`, holds: fault.holds };
  }
  return undefined;
}

function faultOfObject(value: object): Fault | undefined {
  if (
    value instanceof Map ||
    value instanceof Set ||
    ArrayBuffer.isView(value) ||
    typeof (value as { toJSON?: unknown }).toJSON === 'function'
  ) {
    return { path: '', holds: `a ${value.constructor.name}` };
  }
  for (const key in value) {
    const item = (value as Record<string, unknown>)[key];
    if (typeof item === 'string') continue;
    const fault = faultOf(item);
    if (fault) return { path: `.${key}${fault.path}`, holds: fault.holds };
  }
  return undefined;
}
