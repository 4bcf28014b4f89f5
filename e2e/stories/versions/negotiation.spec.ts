import { useCloud } from '@fractus/testing';

const BOTH = ['openstack-api-version', 'x-openstack-nova-api-version'] as const;

describe('microversions', () => {
  const cloud = useCloud({ hosts: 1 });
  const root = () => cloud().urls.compute;
  const ask = async (headers: Record<string, string>) =>
    fetch(`${root()}/v2.1/flavors`, { headers: { 'x-auth-token': await cloud().demo.authenticate(), ...headers } });

  it.each([
    ['nothing', {}, '2.1'],
    ['the standard header', { 'openstack-api-version': 'compute 2.37' }, '2.37'],
    ['the old header', { 'x-openstack-nova-api-version': '2.26' }, '2.26'],
    [
      'both: the standard one counts',
      { 'openstack-api-version': 'compute 2.53', 'x-openstack-nova-api-version': '2.26' },
      '2.53',
    ],
    ['the newest by name', { 'openstack-api-version': 'compute latest' }, '2.104'],
    ['another service’s version', { 'openstack-api-version': 'placement 1.39' }, '2.1'],
  ])('asked for by %s', async (_how, headers, version) => {
    const answer = await ask(headers as Record<string, string>);
    expect(answer.status).toBe(200);
    expect(answer.headers.get(BOTH[0])).toBe(`compute ${version}`);
    expect(answer.headers.get(BOTH[1])).toBe(version);
    expect(answer.headers.get('vary')).toMatch(/OpenStack-API-Version/i);
  });

  it.each(['2.0', '2.105', '3.0', '1.1'])('out of range are 406: %s', async (version) => {
    const answer = await ask({ 'openstack-api-version': `compute ${version}` });
    expect(answer.status).toBe(406);
    expect(((await answer.json()) as { computeFault: { message: string } }).computeFault.message).toBe(
      `Version ${version} is not supported by the API. Minimum is 2.1 and maximum is 2.104.`,
    );
  });

  it.each(['x', '2', '2.1.1', '2.01'])('that are none are 400: %s', async (version) => {
    expect((await ask({ 'openstack-api-version': `compute ${version}` })).status).toBe(400);
  });

  it('are told by the version documents, which need no token', async () => {
    const all = (await (await fetch(`${root()}/`)).json()) as {
      versions: { id: string; version: string; min_version: string; status: string }[];
    };
    expect(all.versions.find((v) => v.id === 'v2.1')).toMatchObject({
      version: '2.104',
      min_version: '2.1',
      status: 'CURRENT',
    });
    const one = (await (await fetch(`${root()}/v2.1/`)).json()) as { version: { id: string; version: string } };
    expect(one.version).toMatchObject({ id: 'v2.1', version: '2.104' });
    expect((await fetch(`${root()}/nowhere`)).status).toBe(300);
    expect((await fetch(`${root()}/v2.1/servers`)).status).toBe(401);
  });

  it('of Placement go from 1.0 to 1.39', async () => {
    const ask = async (version: string) => {
      const { status, headers } = await cloud().admin.placement.get('/resource_providers', { version });
      return [status, headers.get('openstack-api-version')];
    };
    expect(await ask('1.0')).toEqual([200, 'placement 1.0']);
    expect(await ask('1.39')).toEqual([200, 'placement 1.39']);
    expect(await ask('latest')).toEqual([200, 'placement 1.39']);
    expect((await ask('1.40'))[0]).toBe(406);
    expect((await ask('x'))[0]).toBe(400);
  });

  it('paths are served with and without the project, and unknown ones are 404', async () => {
    const project = await cloud().demo.projectId();
    const { compute } = cloud().demo;
    expect((await compute.get(`/${project}/flavors`)).body.flavors[0].links[0].href).toContain(
      `/v2.1/${project}/flavors/`,
    );
    expect((await compute.get('/nothing')).status).toBe(404);
    expect((await compute.call('PATCH', '/servers', {})).status).toBe(404);
  });
});
