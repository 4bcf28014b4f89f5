/**
 * One REST call to a neighbour: deadline, request ids, retries, error mapping. Every client in this library sends
 * through `RestSender`.
 */
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { timedOut, unavailable, type RequestContext } from '@fractus/objects';
import { connectionCode, errorOfAnswer, errorOfFailure, type CallSite } from './error-mapping';
import { type HttpAnswer, httpCall } from './http-call';

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
  /** A header of the answer; null where it has none of that name. */
  header(name: string): string | null;
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
    const url = urlOf(request);
    const site: CallSite = { service: this.service, method: request.method, path: url.pathname };
    this.options.assertOutsideTransaction?.(`${site.method} ${site.path} (${site.service})`);
    const end = Math.min(
      ctx.deadline ?? Infinity,
      Date.now() + (request.timeoutMs ?? this.options.timeoutMs ?? 30_000),
    );
    const attempts = request.stream ? 1 : (this.options.attempts ?? 3);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.once(ctx, request, { site, url, end });
      } catch (e) {
        const last = attempt >= attempts || !mayRepeat(request, e);
        const wait = RETRY_BASE_MS * 2 ** (attempt - 1) * (0.5 + Math.random());
        if (last || Date.now() + wait >= end) throw errorOfFailure(site, e instanceof Refusal ? e.mapped : e);
        await pause(wait);
      }
    }
  }

  private async once(ctx: RequestContext, request: RestRequest, { site, url, end }: Attempt): Promise<RestAnswer> {
    const left = end - Date.now();
    if (left <= 0)
      throw timedOut(`no time left to ask ${site.service}`, { code: `${site.service}.timeout`, details: { ...site } });
    const body = request.json === undefined ? request.stream : JSON.stringify(request.json);
    const answer = await httpCall({
      method: request.method,
      url,
      headers: headersOf(ctx, request),
      timeoutMs: left,
      ...(body === undefined ? {} : { body }),
    });
    const { status } = answer;
    const header = (name: string): string | null => answer.header(name);
    const ok = (status >= 200 && status < 300) || status === 300 || request.accept?.includes(status);
    if (ok && request.asStream) return { status, header, body: undefined, stream: answer.stream() };
    const read = await bodyOf(answer);
    if (ok) return { status, header, body: read };
    throw new Refusal(status, errorOfAnswer(site, status, read, header('retry-after')));
  }
}

/** What all attempts at one call have in common. */
interface Attempt {
  readonly site: CallSite;
  readonly url: URL;
  /** Epoch milliseconds. */
  readonly end: number;
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

function urlOf(request: RestRequest): URL {
  let url: URL;
  try {
    url = new URL(request.url);
  } catch (cause) {
    throw unavailable(`${request.url} is not a usable endpoint URL`, { code: 'catalog.bad_url', cause });
  }
  for (const [key, value] of Object.entries(request.query ?? {})) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [String(value)])
      url.searchParams.append(key, one);
  }
  return url;
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

async function bodyOf(answer: HttpAnswer): Promise<unknown> {
  const text = await answer.text();
  if (!text) return undefined;
  if (!answer.header('content-type')?.includes('json')) return text;
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
