/**
 * One HTTP exchange over kept-alive connections, on Node's own client: the runtime's `fetch` takes more than three times
 * the CPU for a small answer, and a boot asks neighbours several times.
 */
import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request as plainRequest,
  type RequestOptions,
} from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { pipeline, Readable } from 'node:stream';

export interface HttpCall {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | Readable;
  /** Milliseconds for the whole exchange, a streamed answer included; a `TimeoutError` after that. */
  readonly timeoutMs: number;
}

export interface HttpAnswer {
  readonly status: number;
  /** A header of the answer, by its name in any case. */
  header(name: string): string | null;
  /** The body, to be read by one of these, once. */
  text(): Promise<string>;
  stream(): ReadableStream<Uint8Array>;
}

// with a time-out of its own, an agent also heeds the one that a server announces, and hangs up a second before it
const POOL = { keepAlive: true, maxFreeSockets: 64, scheduling: 'lifo', timeout: 60_000 } as const;
const agents = { 'http:': new Agent(POOL), 'https:': new TlsAgent(POOL) };
/** Of a timer, in milliseconds. */
const LONGEST = 2 ** 31 - 1;

/** Rejects with the system's error where no answer came. Redirects are answers. */
export function httpCall({ method, url, headers, body, timeoutMs }: HttpCall): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    let answer: IncomingMessage | undefined;
    const tls = url.protocol === 'https:';
    const options: RequestOptions = { method, headers, agent: agents[tls ? 'https:' : 'http:'] };
    const request = (tls ? tlsRequest : plainRequest)(url, options, (response) => {
      answer = response;
      resolve(answerOf(response));
    });
    const late = (): void => void (answer ?? request).destroy(timeoutError(timeoutMs));
    const timer = setTimeout(late, Math.min(timeoutMs, LONGEST));
    request.on('error', reject);
    request.once('close', () => clearTimeout(timer));
    send(request, body, reject);
  });
}

function send(request: ClientRequest, body: HttpCall['body'], failed: (e: Error) => void): void {
  if (body instanceof Readable) {
    body.once('error', failed);
    // what goes wrong with the request it tells itself; a server may answer before it has read all
    pipeline(body, request, () => undefined);
  } else request.end(body);
}

const timeoutError = (ms: number): Error =>
  Object.assign(new Error(`no answer in ${Math.round(ms)} ms`), { name: 'TimeoutError' });

function answerOf(response: IncomingMessage): HttpAnswer {
  return {
    status: response.statusCode ?? 0,
    header(name) {
      const value = response.headers[name.toLowerCase()];
      return value === undefined ? null : Array.isArray(value) ? value.join(', ') : value;
    },
    text: () =>
      new Promise((resolve, reject) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.once('end', () =>
          resolve((parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)).toString()),
        );
        response.once('error', reject);
      }),
    stream: () => Readable.toWeb(response) as ReadableStream<Uint8Array>,
  };
}
