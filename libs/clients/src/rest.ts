/**
 * One REST call to a neighbour: deadline, request ids, retries, error mapping. Every client in this library sends
 * through `RestSender`; nothing else here calls fetch (whose connections are kept alive by the runtime).
 */
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { timedOut, unavailable, type RequestContext } from '@fractus/objects';
import { connectionCode, errorOfAnswer, errorOfFailure, type CallSite } from './error-mapping';

export type QueryValue = string | number | boolean | readonly string[] | undefined;

export interface RestRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute URL without query. */
  readonly url: string;
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is; such a call is never repeated. */
  readonly stream?: Readable | Uint8Array;
  /** Hand the answer's body over unread. */
  readonly asStream?: boolean;
  /** Milliseconds for this call where the context's deadline is later or absent. */
  readonly timeoutMs?: number;
  /** Statuses that are answers rather than errors, beside 2xx and 300. */
  readonly accept?: readonly number[];
}

export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, text, or undefined for an empty body. */
  readonly body: unknown;
  readonly stream?: ReadableStream<Uint8Array>;
}

export interface RestOptions {
  /** Throws when called inside a database transaction: `db.assertOutsideTransaction`. */
  readonly assertOutsideTransaction?: (what: string) => void;
  /** Milliseconds a call may take, unless the context's deadline is earlier. Default 30 000. */
  readonly timeoutMs?: number;
  /** How often an idempotent call is tried. Default 3. */
  readonly attempts?: number;
  /** For tests. */
  readonly fetch?: typeof fetch;
}

const IDEMPOTENT = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);
const RETRIED_STATUS = new Set([502, 503, 504]);
const RETRY_BASE_MS = 50;

export class RestSender {
  constructor(
    private readonly service: string,
    private readonly options: RestOptions = {},
  ) {}

  /** Sends, repeating only what is safe to repeat; throws a FractusError for anything but an accepted status. */
  async send(ctx: RequestContext, request: RestRequest): Promise<RestAnswer> {
    const site: CallSite = { service: this.service, method: request.method, path: pathOf(request.url) };
    this.options.assertOutsideTransaction?.(`${site.method} ${site.path} (${site.service})`);
    const end = Math.min(
      ctx.deadline ?? Infinity,
      Date.now() + (request.timeoutMs ?? this.options.timeoutMs ?? 30_000),
    );
    const attempts = request.stream ? 1 : (this.options.attempts ?? 3);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.once(ctx, request, site, end);
      } catch (e) {
        const last = attempt >= attempts || !mayRepeat(request, e);
        const wait = RETRY_BASE_MS * 2 ** (attempt - 1) * (0.5 + Math.random());
        if (last || Date.now() + wait >= end) throw errorOfFailure(site, e instanceof Refusal ? e.mapped : e);
        await pause(wait);
      }
    }
  }

  private async once(ctx: RequestContext, request: RestRequest, site: CallSite, end: number): Promise<RestAnswer> {
    const left = end - Date.now();
    if (left <= 0)
      throw timedOut(`no time left to ask ${site.service}`, { code: `${site.service}.timeout`, details: { ...site } });
    const doFetch = this.options.fetch ?? fetch;
    const response = await doFetch(urlOf(request), {
      method: request.method,
      headers: headersOf(ctx, request),
      redirect: 'manual',
      signal: AbortSignal.timeout(Math.min(left, 2 ** 31 - 1)),
      ...bodyOf(request),
    });
    const ok = response.ok || response.status === 300 || request.accept?.includes(response.status);
    if (ok && request.asStream) {
      const stream = response.body ? { stream: response.body } : {};
      return { status: response.status, headers: response.headers, body: undefined, ...stream };
    }
    const body = parse(await response.text(), response.headers.get('content-type'));
    if (ok) return { status: response.status, headers: response.headers, body };
    throw new Refusal(response.status, errorOfAnswer(site, response.status, body, response.headers.get('retry-after')));
  }
}

/** An answer that refuses, with its status, until it is known whether to ask again. */
class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly mapped: Error,
  ) {
    super(mapped.message);
  }
}

function mayRepeat(request: RestRequest, e: unknown): boolean {
  if (e instanceof Refusal) return IDEMPOTENT.has(request.method) && RETRIED_STATUS.has(e.status);
  const code = connectionCode(e);
  if (code === 'ECONNREFUSED') return true; // nothing was sent
  return IDEMPOTENT.has(request.method) && code !== undefined;
}

function urlOf(request: RestRequest): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(request.query ?? {})) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [String(value)]) params.append(key, one);
  }
  const text = params.toString();
  return text ? `${request.url}?${text}` : request.url;
}

function headersOf(ctx: RequestContext, request: RestRequest): Record<string, string> {
  return {
    accept: request.asStream ? '*/*' : 'application/json',
    // the receiving side's "global request id": one id from the user's call through every service
    'x-openstack-request-id': ctx.globalRequestId ?? ctx.requestId,
    ...(ctx.traceparent ? { traceparent: ctx.traceparent } : {}),
    ...(request.token ? { 'x-auth-token': request.token } : {}),
    ...(request.json === undefined ? {} : { 'content-type': 'application/json' }),
    ...request.headers,
  };
}

function bodyOf(request: RestRequest): RequestInit {
  if (request.json !== undefined) return { body: JSON.stringify(request.json) };
  if (!request.stream) return {};
  if (request.stream instanceof Uint8Array) return { body: request.stream as unknown as RequestInit['body'] };
  return { body: request.stream as unknown as RequestInit['body'], duplex: 'half' } as RequestInit;
}

function pathOf(url: string): string {
  try {
    return new URL(url).pathname;
  } catch (cause) {
    throw unavailable(`${url} is not a usable endpoint URL`, { code: 'catalog.bad_url', cause });
  }
}

function parse(text: string, type: string | null): unknown {
  if (!text) return undefined;
  if (!type?.includes('json')) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** `base` with `/v2` (or another version segment) appended unless it is already there. */
export function versioned(base: string, version: string): string {
  const bare = base.replace(/\/+$/, '');
  return new RegExp(`/${version.split('.')[0]}(\\.\\d+)?$`).test(bare) ? bare : `${bare}/${version}`;
}

/** A path segment: ids and names come from users. */
export const segment = (s: string): string => encodeURIComponent(s);
