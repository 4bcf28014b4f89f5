import * as fc from 'fast-check';
import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import { createLogger, createMetrics } from '@fractus/telemetry';
import { createHttpApp, novaFaultMapper, type HttpApp } from '../src';
import { dial, exchange } from './raw-socket';

let release: (() => void) | undefined;

@Controller()
class EdgeController {
  @Get('slow')
  async slow(): Promise<object> {
    await new Promise<void>((resolve) => (release = resolve));
    return { done: true };
  }

  @Get('fast')
  fast(): object {
    return { ok: true };
  }

  @Post('echo')
  echo(@Body() body: unknown): object {
    return { body: body ?? null };
  }
}

@Module({ controllers: [EdgeController] })
class EdgeModule {}

let app: HttpApp;
let url: string;
/** What the service took for faults of its own. */
const faults: string[] = [];
const logger = createLogger({
  service: 'edge',
  level: 'error',
  destination: { write: (line) => void faults.push(line) },
});
afterEach(() => expect(faults.splice(0)).toEqual([]));
beforeEach(async () => {
  app = await createHttpApp(EdgeModule, {
    service: 'edge',
    logger,
    metrics: createMetrics(),
    faultMapper: novaFaultMapper,
    requestTimeout: 0,
    drainTimeout: 5000,
  });
  url = await app.listen('127.0.0.1', 0);
});
afterEach(() => app.close());

const request = (line: string, ...headers: string[]): string => `${[line, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`;
const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
const json = 'Content-Type: application/json';
const close = 'Connection: close';

describe('bytes that are no request get an answer, then the connection closes', () => {
  it.each([
    ['a Content-Length that is no number', request('POST /echo HTTP/1.1', json, 'Content-Length: abc') + '{}', 400],
    ['a negative Content-Length', request('POST /echo HTTP/1.1', json, 'Content-Length: -1'), 400],
    [
      'two lengths that differ',
      request('POST /echo HTTP/1.1', json, 'Content-Length: 2', 'Content-Length: 3') + '{}',
      400,
    ],
    [
      'a length beside chunks',
      request('POST /echo HTTP/1.1', json, 'Content-Length: 2', 'Transfer-Encoding: chunked') + '0\r\n\r\n',
      400,
    ],
    [
      'a chunk size that is no number',
      request('POST /echo HTTP/1.1', json, 'Transfer-Encoding: chunked') + 'zz\r\n{}\r\n0\r\n\r\n',
      400,
    ],
    ['a TLS greeting', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]), 400],
    ['an unknown method', request('SMUGGLE /echo HTTP/1.1'), 400],
    ['a header without a colon', request('GET /fast HTTP/1.1', 'nonsense'), 400],
    ['a null byte in a header', request('GET /fast HTTP/1.1', 'X-Auth-Token: a\0b'), 400],
    ['no Host', 'GET /fast HTTP/1.1\r\n\r\n', 400],
    ['headers without end', request('GET /fast HTTP/1.1', `X-Long: ${'a'.repeat(100_000)}`), 431],
  ])('%s', async (_what, bytes, status) => {
    const answer = await exchange(url, bytes);
    expect(statusOf(answer)).toBe(status);
    expect(answer).not.toMatch(/\bat .*\.js/);
  });
});

describe('an answer to bytes that are no request', () => {
  const broken = request('POST /echo HTTP/1.1', json, 'Content-Length: hi mom');

  it('has an id, the API’s own form and says what is wrong', async () => {
    const answer = await exchange(url, `${broken}{}`);
    expect(answer).toMatch(/^x-openstack-request-id: req-[0-9a-f-]{36}\r$/m);
    expect(answer).toContain('Connection: close');
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toEqual({
      badRequest: { code: 400, message: 'content-length header must be an integer' },
    });
  });

  it('arrives whole, and once, while the client goes on sending', async () => {
    const answer = await exchange(url, broken + 'x'.repeat(4_000_000));
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(answer).toMatch(/\}\}$/);
  });

  it('comes after that of the request before it', async () => {
    const line = await dial(url);
    line.write(request('GET /slow HTTP/1.1') + 'nonsense\r\n\r\n');
    while (!release) await new Promise((resolve) => setImmediate(resolve));
    release();
    release = undefined;
    const answer = await line.answer(/\}\}$/);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    await line.closed;
  });

  it('comes for a body that breaks off or has a bad chunk', async () => {
    const chunked = request('POST /echo HTTP/1.1', json, 'Transfer-Encoding: chunked');
    const answer = await exchange(url, `${chunked}2\r\n{}\r\nzz\r\n`);
    expect(answer).toContain('A chunk of the body has no valid size.');
    const line = await dial(url);
    line.write(`${chunked}5\r\n{}`);
    line.endOfBytes();
    expect(await line.answer(/\}\}$/)).toContain('The request ended before it was whole.');
    await line.closed;
  });
});

describe('requests that are odd get the API’s own fault', () => {
  it.each([
    [
      'bytes that are not UTF-8 in the body',
      Buffer.concat([
        Buffer.from(request('POST /echo HTTP/1.1', json, close, 'Content-Length: 4')),
        Buffer.from([0x22, 0xff, 0xfe, 0x22]),
      ]),
      400,
    ],
    ['half a path escape', request('GET /fa%E2st HTTP/1.1', close), 400],
    ['an unknown escape', request('GET /fast%zz HTTP/1.1', close), 400],
    ['raw bytes in the path', Buffer.from(request('GET /f\xe2\x28st HTTP/1.1', close), 'latin1'), 400],
    ['an absolute target', request('GET http://other.example/fast HTTP/1.1', close), 200],
    ['dots that climb', request('GET /x/../fast HTTP/1.1', close), 404],
    ['a method that is not served', request('PROPFIND /fast HTTP/1.1', close), 405],
    ['asterisk form', request('OPTIONS * HTTP/1.1', close), 404],
  ])('%s', async (_what, bytes, status) => {
    const answer = await exchange(url, bytes);
    expect(statusOf(answer)).toBe(status);
    if (status >= 400) expect(answer).toMatch(/\{"(badRequest|itemNotFound|badMethod)":/);
  });

  it('takes a body in chunks', async () => {
    const answer = await exchange(
      url,
      `${request('POST /echo HTTP/1.1', json, close, 'Transfer-Encoding: chunked')}5\r\n{"a":\r\n2\r\n1}\r\n0\r\n\r\n`,
    );
    expect(answer).toContain('{"body":{"a":1}}');
  });

  it('refuses a body beyond the limit before it has all arrived', async () => {
    const answer = await exchange(
      url,
      request('POST /echo HTTP/1.1', json, 'Content-Length: 999999999') + '{"a":',
      (t) => t.includes('overLimit'),
    );
    expect(statusOf(answer)).toBe(413);
  });

  it('refuses endless chunks', async () => {
    const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
    const answer = await exchange(
      url,
      request('POST /echo HTTP/1.1', json, 'Transfer-Encoding: chunked') + chunk.repeat(17),
      (t) => t.includes('overLimit'),
    );
    expect(statusOf(answer)).toBe(413);
  });
});

describe('whatever comes', () => {
  const bytes = fc.oneof(fc.string(), fc.json(), fc.string({ unit: 'binary' }));
  const type = fc.oneof(
    fc.constantFrom(
      'application/json',
      'application/json;',
      'application/json; charset="',
      'APPLICATION/JSON',
      'a',
      '*/*',
      ';',
      'text/plain; x',
    ),
    fc.string({ unit: 'grapheme-ascii' }).map((t) => t.replace(/[^ -~]/g, '')),
  );
  const path = fc.oneof(
    fc.constantFrom('/fast', '/echo', '/fast/', '//fast', '/fast?', '/%', '/?x=%ff'),
    fc.webPath({ size: 'small' }),
    fc.string({ unit: 'grapheme-ascii' }).map((t) => `/${t.replace(/[^!-~]/g, '')}`),
  );
  const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS');

  it('is answered, and never with a fault of ours', async () => {
    await fc.assert(
      fc.asyncProperty(method, path, type, bytes, fc.boolean(), async (verb, target, contentType, body, withLength) => {
        const length = withLength || body !== '' ? [`Content-Length: ${Buffer.byteLength(body)}`] : [];
        const answer = await exchange(
          url,
          request(`${verb} ${target} HTTP/1.1`, `Content-Type: ${contentType}`, close, ...length) + body,
        );
        expect(statusOf(answer)).toBeGreaterThanOrEqual(200);
        expect(statusOf(answer)).toBeLessThan(500);
      }),
      { numRuns: 300 },
    );
  });
});

describe('connections', () => {
  it('serve several requests in turn, also when sent at once', async () => {
    const one = request('GET /fast HTTP/1.1');
    const answer = await exchange(url, one + one + request('GET /fast HTTP/1.1', close));
    expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(3);
  });

  it('wait for a client that sends slowly', async () => {
    const line = await dial(url);
    for (const piece of [
      'POST /ec',
      'ho HTTP/1.1\r\nHost: x\r\n',
      `${json}\r\nContent-Length: 7\r\n`,
      '\r\n{"a"',
      ':1',
    ]) {
      line.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    line.write('}');
    expect(await line.answer(/\}\}$/)).toContain('{"body":{"a":1}}');
  });

  it('keep the server alive when they break off in mid-body', async () => {
    const line = await dial(url);
    line.write(request('POST /echo HTTP/1.1', json, 'Content-Length: 100') + '{"a"');
    line.hangUp();
    await line.closed;
    expect(statusOf(await exchange(url, request('GET /fast HTTP/1.1', close)))).toBe(200);
  });
});

/** Until the listener is gone; a connection that slips in before that is dropped again. */
async function refused(target: string): Promise<void> {
  for (;;) {
    const line = await dial(target).catch((e: NodeJS.ErrnoException) => e.code);
    if (typeof line !== 'object') return expect(line).toBe('ECONNREFUSED');
    line.hangUp();
    await line.closed;
  }
}

describe('close', () => {
  it('lets requests under way finish, and takes no new ones', async () => {
    const line = await dial(url);
    line.write(request('GET /slow HTTP/1.1'));
    while (!release) await new Promise((resolve) => setImmediate(resolve));
    const closed = app.close();
    await refused(url);
    release();
    release = undefined;
    expect(await line.answer(/\}$/)).toContain('{"done":true}');
    await closed;
    await line.closed;
    await app.close();
  });

  it('does not wait for idle connections', async () => {
    const line = await dial(url);
    line.write(request('GET /fast HTTP/1.1'));
    await line.answer(/\}$/);
    await app.close();
    await line.closed;
  });
});
