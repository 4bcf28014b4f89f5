/** What happens at the door: bytes that are no request, browsers from elsewhere, and what is looked at first. */
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { type PlacementService, startPlacementForTest } from './service';

const ORIGIN = 'http://dashboard.example.com';
let placement: PlacementService;
beforeAll(async () => {
  placement = await startPlacementForTest(undefined, { allowedOrigin: `http://other.example.com, ${ORIGIN}` });
});
afterAll(() => placement.close());

function raw(bytes: string): Promise<string> {
  const { hostname, port } = new URL(placement.url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on('data', (d) => (text += d.toString()));
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}

describe('bytes that are no request', () => {
  const post = (...headers: string[]): string =>
    ['POST /resource_providers HTTP/1.1', 'Host: x', 'X-Auth-Token: admin', ...headers].join('\r\n') + '\r\n\r\n';

  it.each([
    ['a length that is no number', post('Content-Length: hi mom'), 400, 'content-length header must be an integer'],
    ['a length below nothing', post('Content-Length: -1'), 400, 'content-length header must be an integer'],
    ['no request line', 'hello\r\n\r\n', 400, 'The request line names no method of HTTP.'],
    [
      'a chunk without a size',
      `${post('Transfer-Encoding: chunked')}x\r\n`,
      400,
      'A chunk of the body has no valid size.',
    ],
    ['very long headers', post(`Long: ${'x'.repeat(100_000)}`), 431, 'The request headers are too large.'],
  ])('%s', async (_what, bytes, status, detail) => {
    const [head = '', body = ''] = (await raw(bytes)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} .*\\r\\nContent-Type: application/json\\r\\n`));
    expect(head).toContain('Connection: close');
    const id = /x-openstack-request-id: (\S+)/.exec(head)?.[1];
    expect(JSON.parse(body)).toEqual({
      errors: [{ status, title: expect.any(String), detail, request_id: id ?? expect.any(String) }],
    });
  });
});

describe('browsers', () => {
  const ask = async (method: string, path: string, headers: Record<string, string>): Promise<Response> =>
    fetch(placement.url + path, { method, headers: { 'openstack-api-version': 'placement 1.39', ...headers } });

  it('are told before any token is asked for what they may send', async () => {
    const answer = await ask('OPTIONS', '/resource_providers', {
      origin: ORIGIN,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'x-auth-token,openstack-api-version',
    });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, ORIGIN]);
    expect(answer.headers.get('access-control-allow-headers')).toBe('x-auth-token,openstack-api-version');
    expect(answer.headers.get('access-control-allow-methods')).toContain('PUT');
    expect(answer.headers.get('access-control-max-age')).toBe('3600');
  });

  it('may read answers, refusals too, and no cache mixes them up', async () => {
    for (const [path, token, status] of [
      ['/traits', 'admin', 200],
      ['/traits', '', 401],
      ['/nothing', 'admin', 404],
    ] as const) {
      const answer = await ask('GET', path, { origin: ORIGIN, ...(token ? { 'x-auth-token': token } : {}) });
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([status, ORIGIN]);
      expect(answer.headers.get('access-control-expose-headers')).toContain('OpenStack-API-Version');
      expect(answer.headers.get('vary')?.toLowerCase().split(', ').sort()).toEqual(['openstack-api-version', 'origin']);
    }
  });

  it('from elsewhere are told nothing', async () => {
    const origin = 'http://elsewhere.example.com';
    for (const method of ['OPTIONS', 'GET']) {
      const answer = await ask(method, '/', { origin, 'access-control-request-method': 'GET' });
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, null]);
    }
  });
});

describe('of two faults in a request', () => {
  const missing = `/resource_providers/${randomUUID()}`;
  const put = (path: string, body: unknown): ReturnType<PlacementService['call']> =>
    placement.call('PUT', path, { version: '1.39', body });

  it('that of the provider is told, and with traits that of the body', async () => {
    expect((await put(`${missing}/inventories`, {})).status).toBe(404);
    expect((await put(`${missing}/aggregates`, {})).status).toBe(404);
    expect((await put(`${missing}/traits`, {})).status).toBe(400);
    expect((await put(`${missing}/traits`, { traits: [], resource_provider_generation: 0 })).status).toBe(404);
  });

  it('that of the version is told before that of the path, and the path before the body', async () => {
    const bad = { version: '1.99', body: {} };
    expect((await placement.call('PUT', '/nothing', bad)).status).toBe(406);
    expect((await placement.call('PUT', '/nothing', { version: '1.39', raw: '{' })).status).toBe(404);
    expect((await placement.call('POST', '/reshaper', { version: '1.29', raw: '{' })).status).toBe(404);
  });
});

describe('upstream’s words', () => {
  const detail = async (
    ...[method, path, options]: Parameters<PlacementService['call']>
  ): Promise<[number, string]> => {
    const { status, body } = await placement.call(method, path, options);
    return [status, (body as { errors: { detail: string }[] }).errors[0]!.detail];
  };

  it('name every member that has no place, in order', async () => {
    const body = { name: 'x', zeal: 1, colour: 2 };
    expect(await detail('POST', '/resource_providers', { version: '1.39', body })).toEqual([
      400,
      expect.stringContaining("Additional properties are not allowed ('colour', 'zeal' were unexpected)"),
    ]);
    expect(await detail('POST', '/allocations', { version: '1.39', body: { b: {}, a: {} } })).toEqual([
      400,
      expect.stringContaining("'a', 'b' do not match any of the regexes: '^[0-9a-fA-F-]{36}$'"),
    ]);
    expect(await detail('GET', '/traits?x=1', { version: '1.39' })).toEqual([
      400,
      expect.stringContaining("Additional properties are not allowed ('x' was unexpected)"),
    ]);
  });

  it('tell policy, broken JSON and a method that came later', async () => {
    expect(await detail('GET', '/traits', { version: '1.39', token: 'joe' })).toEqual([
      403,
      'Policy does not allow placement:traits:list to be performed.',
    ]);
    expect(await detail('POST', '/resource_providers', { version: '1.39', raw: '{' })).toEqual([
      400,
      expect.stringMatching(/^Malformed JSON: it is not valid JSON/),
    ]);
    expect(await detail('DELETE', `/resource_providers/${randomUUID()}/inventories`, { version: '1.4' })).toEqual([
      405,
      'The method DELETE is not allowed for this resource.',
    ]);
  });

  it('are not asked of a client that takes no JSON where there is no need', async () => {
    const headers = { accept: 'text/plain' };
    const status = async (path: string): Promise<number> =>
      (await placement.call('GET', path, { version: '1.39', headers })).status;
    expect([await status('/'), await status('/traits/HW_CPU_X86_VMX'), await status('/traits')]).toEqual([
      200, 204, 406,
    ]);
  });
});
