import { Body, Controller, Get, HttpCode, Module, Param, Post, Put, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { conflict, internal, unauthenticated, unavailable, type RequestContext } from '@fractus/objects';
import { createLogger, createMetrics, silentLogger } from '@fractus/telemetry';
import { dial } from '../test/raw-socket';
import { createHttpApp, Ctx, novaFaultMapper, noauth, queryOf, type HttpApp, type HttpAppOptions } from './index';

@Controller()
class ThingsController {
  @Get('things')
  list(@Ctx() ctx: RequestContext, @Req() request: FastifyRequest): object {
    return { user: ctx.userId, roles: ctx.roles, service: ctx.serviceRoles, query: queryOf(request) };
  }

  @Get('things/:id')
  show(@Param('id') id: string): object {
    return { id };
  }

  @Put('things/:id')
  put(@Body() body: unknown): object {
    return { got: body };
  }

  @Post('things')
  @HttpCode(202)
  create(@Body() body: unknown): object {
    return { got: body === undefined ? 'nothing' : body };
  }

  @Get('fails/:how')
  fails(@Param('how') how: string): object {
    if (how === 'conflict') throw conflict('thing is busy', { cause: new Error('inside story') });
    if (how === 'unavailable')
      throw unavailable('placement is down', { retryAfter: 7, cause: new Error('inside story') });
    if (how === 'silent') throw unavailable('placement is down', { cause: new Error('inside story') });
    if (how === 'internal') throw internal('inside story');
    throw new TypeError('inside story');
  }

  @Get('open')
  open(@Ctx() ctx: RequestContext): object {
    return { user: ctx.userId };
  }
}

@Module({ controllers: [ThingsController] })
class ThingsModule {}

const apps: HttpApp[] = [];
async function start(options: Partial<HttpAppOptions> = {}): Promise<string> {
  const app = await createHttpApp(ThingsModule, {
    service: 'things',
    logger: silentLogger(),
    metrics: createMetrics(),
    faultMapper: novaFaultMapper,
    ...options,
  });
  apps.push(app);
  return app.listen('127.0.0.1', 0);
}
afterEach(async () => {
  await Promise.all(apps.splice(0).map((a) => a.close()));
});

async function call(url: string, init: RequestInit = {}): Promise<{ status: number; headers: Headers; body: unknown }> {
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}
const json = (method: string, body: string, type = 'application/json'): RequestInit => ({
  method,
  body,
  headers: { 'content-type': type },
});

describe('requests and answers', () => {
  it('serves a route with a request id of its own and a trace', async () => {
    const url = await start({ requestIdHeaders: ['x-openstack-request-id', 'x-compute-request-id'] });
    const { status, headers, body } = await call(`${url}/things?a=1&a=2&b=%E2%82%AC+x`);
    expect(status).toBe(200);
    expect(body).toEqual({ user: null, roles: [], query: { a: ['1', '2'], b: ['€ x'] } });
    expect(headers.get('x-openstack-request-id')).toMatch(/^req-[0-9a-f-]{36}$/);
    expect(headers.get('x-compute-request-id')).toBe(headers.get('x-openstack-request-id'));
  });

  it.each([
    ['nothing at all', { method: 'POST' }, 202, { got: 'nothing' }],
    ['an empty JSON body', json('POST', ''), 202, { got: 'nothing' }],
    ['JSON', json('POST', '{"a":[1,"é"]}'), 202, { got: { a: [1, 'é'] } }],
    ['JSON with a charset', json('POST', '{}', 'application/json; charset=UTF-8'), 202, { got: {} }],
    ['a duplicate key: the last counts', json('POST', '{"a":1,"a":2}'), 202, { got: { a: 2 } }],
    ['a bare scalar', json('POST', '1'), 202, { got: 1 }],
    ['broken JSON', json('POST', '{"a":'), 400, undefined],
    ['__proto__', json('POST', '{"__proto__":{"x":1}}'), 400, undefined],
    ['an escaped __proto__', json('POST', '{"\\u005f_proto__":{"x":1}}'), 400, undefined],
    ['constructor.prototype', json('POST', '{"constructor":{"prototype":{"x":1}}}'), 400, undefined],
    ['endless nesting', json('POST', '['.repeat(100_000)), 400, undefined],
    ['brackets in strings only', json('POST', `"${'['.repeat(500)}"`), 202, { got: '['.repeat(500) }],
    ['another content type', json('POST', '<a/>', 'application/xml'), 415, undefined],
    ['a body that is too large', json('POST', JSON.stringify('x'.repeat(2_000_000))), 413, undefined],
    ['a GET with a bad content type', { headers: { 'content-type': 'nonsense' } }, 200, undefined],
  ])('takes %s', async (_what, init: RequestInit, status, body) => {
    const url = await start();
    const got = await call(`${url}/things`, init);
    expect(got.status).toBe(status);
    if (body !== undefined) expect(got.body).toEqual(body);
    if (status >= 400)
      expect(got.body).toEqual({
        [{ 400: 'badRequest', 413: 'overLimit', 415: 'badMediaType' }[status] as string]: expect.objectContaining({
          code: status,
        }),
      });
  });

  it('refuses a body that is not UTF-8', async () => {
    const url = await start();
    const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    expect(
      (await call(`${url}/things`, { method: 'POST', body, headers: { 'content-type': 'application/json' } })).status,
    ).toBe(400);
  });

  it('answers 404 for a path that is unknown and 405 with Allow for a known one', async () => {
    const url = await start();
    expect(await call(`${url}/nothing`)).toMatchObject({ status: 404, body: { itemNotFound: { code: 404 } } });
    const wrong = await call(`${url}/things/7`, { method: 'DELETE' });
    expect(wrong).toMatchObject({ status: 405, body: { badMethod: { code: 405 } } });
    expect(wrong.headers.get('allow')).toBe('GET, PUT');
  });

  it('can answer 404 for both', async () => {
    const url = await start({ unknownMethod: 404 });
    expect((await call(`${url}/things/7`, { method: 'DELETE' })).status).toBe(404);
  });

  it('answers HEAD as GET without a body', async () => {
    const url = await start();
    const response = await fetch(`${url}/things`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  it('decodes path parameters, and refuses what cannot be decoded', async () => {
    const url = await start();
    expect(await call(`${url}/things/a%2Fb`)).toMatchObject({ body: { id: 'a/b' } });
    expect(await call(`${url}/things/%zz`)).toMatchObject({ status: 400, body: { badRequest: { code: 400 } } });
    expect((await call(`${url}/things?x=%ff`)).status).toBe(400);
  });

  it('reads a rewritten path', async () => {
    const url = await start({ rewriteUrl: (target) => target.replace(/^\/[0-9a-f]{8}(?=\/)/, '') });
    expect(await call(`${url}/0123abcd/things/7`)).toMatchObject({ status: 200, body: { id: '7' } });
  });
});

describe('faults', () => {
  it.each([
    ['conflict', 409, 'conflictingRequest'],
    ['unavailable', 503, 'serviceUnavailable'],
    ['silent', 503, 'serviceUnavailable'],
    ['internal', 500, 'computeFault'],
    ['bug', 500, 'computeFault'],
  ])('%s is told without its inside story, and logged if it is ours', async (how, status, name) => {
    const lines: string[] = [];
    const url = await start({
      logger: createLogger({
        service: 'things',
        level: 'warn',
        destination: { write: (l: string) => void lines.push(l) },
      }),
    });
    const { status: got, headers, body } = await call(`${url}/fails/${how}`);
    expect(got).toBe(status);
    expect(Object.keys(body as object)).toEqual([name]);
    expect(JSON.stringify(body)).not.toContain('inside story');
    // a 503 always says when to come again
    expect(headers.get('retry-after')).toBe({ unavailable: '7', silent: '1' }[how] ?? null);
    expect(lines.join('')).toEqual(status >= 500 ? expect.stringContaining('inside story') : '');
  });
});

describe('tokens', () => {
  const validate: NonNullable<HttpAppOptions['tokens']>['validate'] = async (token) => {
    if (token === 'down') throw unavailable('identity does not answer');
    if (token === 'svc') return { userId: 'nova', projectId: 'service', roles: ['service'] };
    if (token !== 'good') throw unauthenticated('the token is not valid');
    return { userId: 'u1', projectId: 'p1', roles: ['reader'] };
  };
  const tokens = { validate, identityUri: 'http://id:5000/v3', publicPaths: ['/open', /^\/things\/public$/] };

  it.each([
    [{}, 401],
    [{ 'x-auth-token': 'bad' }, 401],
    [{ 'x-auth-token': 'good', 'x-service-token': 'bad' }, 401],
    [{ 'x-auth-token': 'down' }, 503],
    [{ 'x-auth-token': 'good' }, 200],
  ])('%j gets %i', async (headers: Record<string, string>, status) => {
    const url = await start({ tokens });
    const got = await call(`${url}/things`, { headers });
    expect(got.status).toBe(status);
    expect(got.headers.get('www-authenticate')).toBe(status === 401 ? 'Keystone uri="http://id:5000/v3"' : null);
  });

  it('hands the identity to the controller, and the service token’s roles', async () => {
    const url = await start({ tokens });
    const { body } = await call(`${url}/things`, { headers: { 'x-auth-token': 'good', 'x-service-token': 'svc' } });
    expect(body).toMatchObject({ user: 'u1', roles: ['reader'], service: ['service'] });
  });

  it('asks for a token on unknown paths too, but not on public ones', async () => {
    const url = await start({ tokens });
    expect((await call(`${url}/nothing`)).status).toBe(401);
    expect((await call(`${url}/open?x=1`)).body).toEqual({ user: null });
    expect((await call(`${url}/things/public`)).status).toBe(200);
    expect((await call(`${url}/healthz`)).status).toBe(200);
  });

  it('refuses to serve noauth beyond loopback', async () => {
    const app = await createHttpApp(ThingsModule, {
      service: 'things',
      logger: silentLogger(),
      metrics: createMetrics(),
      faultMapper: novaFaultMapper,
      tokens: noauth(),
    });
    apps.push(app);
    await expect(app.listen('0.0.0.0', 0)).rejects.toThrow(/loopback only/);
  });

  it('reads user and project from a noauth token', async () => {
    const url = await start({ tokens: noauth() });
    expect((await call(`${url}/things`, { headers: { 'x-auth-token': 'admin:p' } })).body).toMatchObject({
      user: 'admin',
      roles: expect.arrayContaining(['admin']),
    });
    expect((await call(`${url}/things`, { headers: { 'x-auth-token': 'demo' } })).body).toMatchObject({
      user: 'demo',
      roles: ['member', 'reader'],
    });
  });
});

describe('listening', () => {
  it('rejects when the port is taken, and can be closed all the same', async () => {
    const url = await start();
    const second = await createHttpApp(ThingsModule, {
      service: 'things',
      logger: silentLogger(),
      metrics: createMetrics(),
      faultMapper: novaFaultMapper,
    });
    apps.push(second);
    await expect(second.listen('127.0.0.1', Number(new URL(url).port))).rejects.toThrow(/EADDRINUSE/);
  });

  it('serves the request that a connection has begun with when it is told to close', async () => {
    const url = await start();
    const line = await dial(url);
    line.write('GET /things/7 HTTP/1.1\r\nhost: x\r\n');
    await call(`${url}/open`); // by now it has read so far
    const closed = apps[0]?.close();
    line.write('\r\n');
    const answer = await line.answer(/\}$/);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toMatch(/^connection: close\r$/im);
    await Promise.all([closed, line.closed]);
  });

  it('takes leave of open connections while it still takes new ones', async () => {
    const url = await start({ leaveTime: 5000 });
    const idle = await dial(url);
    const ask = async (line: Awaited<ReturnType<typeof dial>>): Promise<string> => {
      line.write('GET /things/7 HTTP/1.1\r\nhost: x\r\n\r\n');
      return line.answer(/\}$/);
    };
    expect(await ask(idle)).toMatch(/^connection: keep-alive\r$/im);
    const closed = apps[0]?.close();
    const late = await dial(url);
    for (const line of [late, await dial(url)]) {
      expect(await ask(line)).toMatch(/^connection: close\r$/im);
      await line.closed;
    }
    idle.write('GET /things/7 HTTP/1.1\r\nhost: x\r\n\r\n');
    await Promise.all([idle.closed, closed]);
    await expect(dial(url)).rejects.toThrow(/ECONNREFUSED/);
  });

  it('closes without ever having listened', async () => {
    const app = await createHttpApp(ThingsModule, {
      service: 'things',
      logger: silentLogger(),
      metrics: createMetrics(),
      faultMapper: novaFaultMapper,
    });
    await app.close();
  });
});

describe('operations', () => {
  it('is ready when every part is', async () => {
    let ok = false;
    const url = await start({ ready: async () => [{ part: 'database', ok, ...(ok ? {} : { why: 'locked' }) }] });
    expect(await call(`${url}/readyz`)).toMatchObject({
      status: 503,
      body: { ok: false, checks: [{ part: 'database', why: 'locked' }] },
    });
    ok = true;
    expect((await call(`${url}/readyz`)).status).toBe(200);
  });

  it('counts requests by route pattern', async () => {
    const url = await start();
    await call(`${url}/things/1`);
    await call(`${url}/nothing/at/all`);
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toContain(
      'fractus_http_server_seconds_count{service="things",method="GET",route="/things/:id",status="200"} 1',
    );
    expect(text).toContain('route="unmatched",status="404"} 1');
  });

  it('lets a browser of another origin ask, and read a refusal', async () => {
    const url = await start({
      cors: { origin: ['http://console.example'], allowedHeaders: ['x-auth-token'] },
      tokens: noauth(),
    });
    const preflight = await fetch(`${url}/things`, {
      method: 'OPTIONS',
      headers: {
        origin: 'http://console.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'x-auth-token',
      },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
      204,
      'http://console.example',
    ]);
    const refused = await fetch(`${url}/things`, { headers: { origin: 'http://console.example' } });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([
      401,
      'http://console.example',
    ]);
  });
});
