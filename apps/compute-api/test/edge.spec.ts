import { operationsOf } from '@fractus/microversions';
import { controllersOfApi, declarationFaults } from '../src/app.module';
import { ApiUnderTest } from './api-under-test';
import { contract, findOperation, OURS_ALONE, upstreamValidator, withContract } from './contract/contract';

describe('the edge of the Compute API', () => {
  let api: ApiUnderTest;
  beforeAll(async () => void (api = await ApiUnderTest.start()));
  afterAll(() => api.close());

  it('fits together', () => expect(declarationFaults()).toEqual([]));

  it('lists its endpoints at the root, to anybody', async () => {
    const { status, body } = await api.get('/', { as: '' });
    expect(status).toBe(200);
    expect(body.versions.map((v: { id: string }) => v.id)).toEqual(['v2.0', 'v2.1']);
    expect(body.versions[1]).toMatchObject({
      status: 'CURRENT',
      version: '2.104',
      min_version: '2.1',
      links: [{ rel: 'self', href: `${api.service.url}/v2.1/` }],
    });
  });

  it.each([
    ['/v2.1', 'v2.1'],
    ['/v2.1/', 'v2.1'],
    ['/v2', 'v2.0'],
    ['/v2/', 'v2.0'],
  ])('documents %s without a token', async (path, id) => {
    const { status, body } = await api.get(path, { as: '' });
    expect(status).toBe(200);
    expect(body.version).toMatchObject({ id, links: [{ rel: 'self' }, { rel: 'describedby' }] });
  });

  it('documents an endpoint in the version asked for', async () => {
    const headers = async (path: string, version: string): Promise<unknown[]> => {
      const reply = await api.get(path, { as: '', version });
      return [
        reply.status,
        reply.headers.get('openstack-api-version'),
        reply.headers.get('x-openstack-nova-api-version'),
      ];
    };
    expect(await headers('/v2.1/', '2.55')).toEqual([200, 'compute 2.55', '2.55']);
    expect(await headers('/v2.1/', '2.105')).toEqual([406, 'compute 2.105', '2.105']);
    expect(await headers('/v2/', '2.105')).toEqual([200, null, null]);
    expect(await headers('/', '2.105')).toEqual([200, null, null]);
  });

  it.each(['/flavors', '/v1/flavors', '/v2.2', '/choices'])('answers %s with the choices', async (path) => {
    const { status, body } = await api.get(path, { as: '' });
    expect(status).toBe(300);
    expect(body.choices[1].links).toEqual([{ rel: 'self', href: `${api.service.url}/v2.1${path}` }]);
  });

  it('says which version it served, by both headers', async () => {
    const { headers } = await api.get('/v2.1/flavors', { version: '2.55' });
    expect(headers.get('openstack-api-version')).toBe('compute 2.55');
    expect(headers.get('x-openstack-nova-api-version')).toBe('2.55');
    expect(headers.get('vary')).toBe('OpenStack-API-Version, X-OpenStack-Nova-API-Version');
    expect(headers.get('x-compute-request-id')).toMatch(/^req-/);
    expect(
      (await api.get('/v2.1/flavors', { headers: { 'X-OpenStack-Nova-API-Version': '2.19' } })).headers.get(
        'x-openstack-nova-api-version',
      ),
    ).toBe('2.19');
    expect((await api.get('/v2.1/flavors')).headers.get('x-openstack-nova-api-version')).toBe('2.1');
  });

  it.each([
    ['2.105', 406, 'computeFault'],
    ['2.0', 406, 'computeFault'],
    ['nonsense', 400, 'badRequest'],
  ])('refuses version %s with %i', async (version, status, fault) => {
    const { status: got, body } = await api.get('/v2.1/flavors', { version });
    expect(got).toBe(status);
    expect(body[fault]).toMatchObject({ code: status });
  });

  it('serves every path bare and behind the asker’s own project', async () => {
    const ask = { as: 'admin:abc123' };
    expect((await api.get('/v2.1/flavors', ask)).status).toBe(200);
    expect((await api.get('/v2.1/abc123/flavors', ask)).status).toBe(200);
    const other = await api.get('/v2.1/def456/flavors', ask);
    expect(other).toMatchObject({
      status: 400,
      body: { badRequest: { code: 400, message: expect.stringContaining("project_id 'def456' doesn't match") } },
    });
  });

  it('serves the legacy endpoint without versions', async () => {
    const { status, headers } = await api.get('/v2/flavors', { version: '2.105' });
    expect([status, headers.get('openstack-api-version')]).toEqual([200, null]);
  });

  it.each([
    ['GET', '/v2.1/nothing', 404],
    ['DELETE', '/v2.1/flavors', 404],
    ['HEAD', '/v2.1/flavors', 404],
    ['GET', '/v2.1/healthz', 404],
    ['GET', '/v2.1/abc/healthz', 404],
    ['GET', '/v2.1/flavors/%zz', 400],
  ])('answers %s %s with %i', async (method, path, status) => {
    expect((await api.ask(method, path, { as: 'admin:abc' })).status).toBe(status);
  });

  it('asks for a token', async () => {
    expect((await api.get('/v2.1/flavors', { as: '' })).status).toBe(401);
    expect((await api.get('/v2.1/nothing', { as: '' })).status).toBe(401);
  });

  it('refuses bodies that are not JSON', async () => {
    const broken = await api.post('/v2.1/flavors', '{');
    expect(broken).toMatchObject({ status: 400, body: { badRequest: { code: 400 } } });
    expect((await api.post('/v2.1/flavors', '<a/>', { headers: { 'content-type': 'application/xml' } })).status).toBe(
      415,
    );
    expect((await api.post('/v2.1/flavors', JSON.stringify({ a: 'x'.repeat(200_000) }))).status).toBe(413);
  });
});

withContract('the operations of the Compute API', () => {
  const operations = controllersOfApi().flatMap((c) => operationsOf(c));

  it('has what is ours alone beside upstream’s, never in its place', () =>
    expect([...OURS_ALONE].filter((name) => findOperation(name))).toEqual([]));

  const upstreams = operations.filter((o) => !OURS_ALONE.has(o.name));
  it.each(upstreams.map((o) => [o.name, o] as const))('%s exists as upstream says', (name, operation) => {
    const found = findOperation(name);
    expect(found).toBeDefined();
    const { since = null, until = null, success = 200 } = operation.spec;
    expect({ since, until }).toEqual({
      since: found?.min === '2.0' || found?.min === '2.1' ? null : found?.min,
      until: found?.max,
    });
    const codes = new Set((found?.success ?? []).map((s) => s.code));
    const own = typeof success === 'number' ? [success] : Object.values(success);
    for (const code of own) expect(codes).toContain(code);
  });

  it('documents versions as upstream’s schemas say', async () => {
    const api = await ApiUnderTest.start();
    const { definitions } = contract();
    for (const [path, name] of [
      ['/', 'versions.index_response'],
      ['/v2.1', 'versions.show_response'],
      ['/v2', 'versions.show_response'],
      ['/x', 'versions.multi_response'],
    ]) {
      const validate = upstreamValidator(definitions[name ?? ''] ?? {});
      const { body } = await api.get(path ?? '');
      expect([path, validate(body), validate.errors]).toEqual([path, true, null]);
    }
    await api.close();
  });
});
