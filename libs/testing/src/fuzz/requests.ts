/** Requests as bytes: bodies that are hardly JSON, paths and queries that are hardly any. */
import { Agent, request } from 'node:http';
import fc from 'fast-check';
import { hostileValue } from './values';

export interface RawRequest {
  readonly method: string;
  /** Path and query, percent-encoded or not. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

const NASTY_IDS = [
  '0',
  '-1',
  '1',
  '9'.repeat(40),
  'x',
  '.',
  '..',
  '%2e%2e',
  '%2F',
  '%00',
  '%ff',
  '%',
  '%zz',
  'c6f4b1a4-9d1f-4d5a-8b5e-2f0a7b1c3d4e',
  'C6F4B1A4-9D1F-4D5A-8B5E-2F0A7B1C3D4E',
  '%F0%9F%98%80',
  'a%0d%0ab',
  '__proto__',
  'constructor',
  'null',
  'x'.repeat(300),
  'x'.repeat(9000),
  "'%20OR%201=1--",
  'detail',
  '*',
  ';',
  '&',
  '+',
];

/** A path with its `{parameters}` filled in, from what exists or from what cannot. */
export function pathOf(pattern: string, known: readonly string[]): fc.Arbitrary<string> {
  const id = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...known) },
    { weight: 1, arbitrary: fc.constantFrom(...NASTY_IDS) },
  );
  const parts = pattern.split(/(\{\w+\})/).map((part) => (part.startsWith('{') ? id : fc.constant(part)));
  const whole = fc.tuple(...parts).map((p) => p.join(''));
  const bent = whole.chain((p) =>
    fc.constantFrom(`${p}/`, `/${p}`, `${p}/..`, `${p}.json`, `${p}%20`, `${p};a=b`, p.toUpperCase()),
  );
  return fc.oneof({ weight: 30, arbitrary: whole }, { weight: 1, arbitrary: bent });
}

/** Percent-encoded; what is no well-formed text goes as the replacement character. */
const encode = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return encodeURIComponent(Buffer.from(text.slice(0, 2000)).toString('utf8'));
};
const RAW_QUERIES = [
  '?',
  '??',
  '?&&',
  '?=',
  '?a',
  '?%',
  '?%zz=1',
  '?limit=%00',
  '?a[b]=c',
  '?limit=1&limit=2',
  '?limit=',
  '?marker=%ff',
  '?__proto__=1',
  `?${'a=b&'.repeat(2000)}`,
  '?limit=1;2',
  '?#x',
];

/** A query of the given parameters, with values that fit them or do not. */
export function queryOf(parameters: readonly string[], good: readonly string[] = []): fc.Arbitrary<string> {
  const name = parameters.length
    ? fc.oneof(
        { weight: 20, arbitrary: fc.constantFrom(...parameters) },
        { weight: 1, arbitrary: fc.constantFrom('x', '__proto__', 'limit', 'marker') },
      )
    : fc.constantFrom('x', 'limit', 'marker', 'name');
  const value = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom('1', '0', 'true', 'a', 'asc', 'name', '2020-01-01T00:00:00Z', ...good).map(encode),
    },
    { weight: 1, arbitrary: hostileValue.map(encode) },
  );
  const list = fc
    .array(fc.tuple(name, value), { maxLength: 4 })
    .map((pairs) => (pairs.length ? `?${pairs.map(([n, v]) => `${n}=${v}`).join('&')}` : ''));
  return fc.oneof({ weight: 20, arbitrary: list }, { weight: 1, arbitrary: fc.constantFrom(...RAW_QUERIES) });
}

/** The bytes of a body: JSON nearly always. */
export function bytesOf(body: fc.Arbitrary<unknown>): fc.Arbitrary<Buffer> {
  const json = body.map((value) => Buffer.from(JSON.stringify(value) ?? 'null'));
  const broken = body.chain((value) => {
    const text = JSON.stringify(value) ?? 'null';
    const twice = text.startsWith('{') && text.length > 2 ? `{${text.slice(1, -1)},${text.slice(1)}` : text + text;
    return fc.constantFrom(
      Buffer.from(text.slice(0, -1)),
      Buffer.from(twice),
      Buffer.from(`\ufeff${text}`),
      Buffer.from(`${text}\u0000`),
      Buffer.from(text, 'utf16le'),
      Buffer.from([0x22, 0xff, 0xfe, 0x22]),
      Buffer.from(''),
      Buffer.from('NaN'),
      Buffer.from(`${'['.repeat(20_000)}${']'.repeat(20_000)}`),
      Buffer.from(`{"a":${'{"a":'.repeat(5000)}1${'}'.repeat(5001)}`),
      Buffer.from(JSON.stringify({ a: 'x'.repeat(400_000) })),
    );
  });
  return fc.oneof({ weight: 30, arbitrary: json }, { weight: 1, arbitrary: broken });
}

export interface RawAnswer {
  readonly status: number;
  readonly body: string;
}

/** Sends bytes and waits for the answer; a request that is not answered in `boundMs` is an error of its own. */
export class RawClient {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(private readonly origin: string) {}

  send({ method, path, headers, body }: RawRequest, boundMs = 15_000): Promise<RawAnswer> {
    const { hostname, port } = new URL(this.origin);
    return new Promise((done, failed) => {
      const told = (): string => `${method} ${path.slice(0, 300)} ${body?.toString('utf8').slice(0, 500) ?? ''}`;
      const r = request({ hostname, port, method, path, headers, agent: this.agent }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => done({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }));
        answer.on('error', failed);
      });
      r.setTimeout(boundMs, () => r.destroy(new Error(`no answer in ${boundMs} ms: ${told()}`)));
      r.on('error', (e: NodeJS.ErrnoException) => {
        // a server may close on bytes that are no HTTP; that is an answer too
        if (e.code === 'ECONNRESET' || e.code === 'EPIPE') done({ status: 400, body: e.code });
        else failed(new Error(`${told()}: ${e.message}`, { cause: e }));
      });
      r.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
