import { covers, Servers, useCloud } from '@fractus/testing';

describe('flavors', () => {
  const cloud = useCloud({ hosts: 2 });
  const create = (flavor: Record<string, unknown>, version = '2.104') =>
    cloud().admin.compute.post('/flavors', { flavor: { ram: 64, vcpus: 1, disk: 1, ...flavor } }, { version });
  const names = (list: { name: string }[]) => list.map((f) => f.name);

  it('are there from the start, by their well-known names', async () => {
    const { body } = await cloud().demo.compute.get('/flavors?sort_key=memory_mb&sort_dir=asc');
    expect(names(body.flavors)).toEqual([
      'm1.nano',
      'm1.micro',
      'm1.tiny',
      'm1.small',
      'm1.medium',
      'm1.large',
      'm1.xlarge',
    ]);
    const one = await cloud().demo.compute.get('/flavors/42', { version: '2.61' });
    expect(one.body.flavor).toMatchObject({ name: 'm1.nano', ram: 128, vcpus: 1, disk: 1, extra_specs: {} });
    expect((await cloud().demo.compute.get('/flavors/none-such')).body.itemNotFound.message).toBe(
      'Flavor none-such could not be found.',
    );
  });

  it('are made, described, booted from and deleted', async () => {
    const { status, body } = await create({ name: 'own', id: 'own', description: 'first' });
    expect([status, body.flavor]).toEqual([200, expect.objectContaining({ id: 'own', ram: 64, description: 'first' })]);
    expect((await create({ name: 'own' })).status).toBe(409);
    expect((await create({ name: 'other', id: 'own' })).status).toBe(409);
    const changed = await cloud().admin.compute.put(
      '/flavors/own',
      { flavor: { description: 'second' } },
      { version: '2.55' },
    );
    expect(changed.body.flavor.description).toBe('second');
    expect(
      (await cloud().admin.compute.put('/flavors/own', { flavor: { description: 'x' } }, { version: '2.54' })).status,
    ).toBe(404);
    const demo = new Servers(cloud().demo);
    const id = await demo.boot({ server: { flavorRef: 'own' } });
    expect((await cloud().admin.compute.delete('/flavors/own')).status).toBe(202);
    // a server keeps what it was made of
    expect((await demo.show(id)).flavor).toMatchObject({ original_name: 'own', ram: 64 });
    expect((await demo.request({ server: { flavorRef: 'own' } })).status).toBe(400);
    await demo.delete(id);
  });

  it('carry extra specs', async () => {
    await create({ name: 'specs', id: 'specs' });
    const at = (rest = '') => `/flavors/specs/os-extra_specs${rest}`;
    const { compute } = cloud().admin;
    expect((await compute.post(at(), { extra_specs: { 'hw:cpu_policy': 'shared', own: '1' } })).status).toBe(200);
    expect((await compute.get(at())).body.extra_specs).toEqual({ 'hw:cpu_policy': 'shared', own: '1' });
    expect((await compute.put(at('/own'), { own: '2' })).body).toEqual({ own: '2' });
    expect((await compute.put(at('/own'), { other: '2' })).status).toBe(400);
    expect((await compute.get(at('/own'))).body).toEqual({ own: '2' });
    expect((await compute.delete(at('/own'))).status).toBe(200);
    expect((await compute.get(at('/own'))).status).toBe(404);
    expect((await cloud().demo.compute.post(at(), { extra_specs: { a: 'b' } })).status).toBe(403);
    // 2.86 knows the standard ones and their values
    expect(
      (await compute.post(at(), { extra_specs: { 'hw:cpu_policy': 'none-such' } }, { version: '2.86' })).status,
    ).toBe(400);
    expect(
      (await compute.post(at(), { extra_specs: { 'hw:cpu_policy': 'none-such' } }, { version: '2.85' })).status,
    ).toBe(200);
  });

  it('that are private are for the projects they are given to', async () => {
    await create({ name: 'private', id: 'private', 'os-flavor-access:is_public': false });
    const project = await cloud().demo.projectId();
    const sees = async () => [
      (await cloud().demo.compute.get('/flavors/private')).status,
      (await new Servers(cloud().demo).request({ server: { flavorRef: 'private', name: '' } })).status,
    ];
    expect((await sees())[0]).toBe(404);
    const { compute } = cloud().admin;
    const given = await compute.post('/flavors/private/action', { addTenantAccess: { tenant: project } });
    expect(given.body.flavor_access).toEqual([{ flavor_id: 'private', tenant_id: project }]);
    expect((await sees())[0]).toBe(200);
    expect((await compute.get('/flavors/private/os-flavor-access')).body.flavor_access).toHaveLength(1);
    expect(
      (await compute.post('/flavors/private/action', { removeTenantAccess: { tenant: project } })).body.flavor_access,
    ).toEqual([]);
    expect((await sees())[0]).toBe(404);
  });

  it('are filtered, sorted and paged', async () => {
    const get = async (query: string) =>
      names((await cloud().demo.compute.get(`/flavors/detail?${query}`)).body.flavors);
    expect(await get('minRam=4096')).toEqual(expect.arrayContaining(['m1.medium', 'm1.large', 'm1.xlarge']));
    expect(await get('minDisk=80&sort_key=root_gb&sort_dir=desc')).toEqual(['m1.xlarge', 'm1.large']);
    const seen: string[] = [];
    let path: string | undefined = '/flavors?limit=2';
    while (path) {
      const page: { flavors: { name: string }[]; flavors_links?: { href: string }[] } = (
        await cloud().demo.compute.get(path)
      ).body;
      seen.push(...names(page.flavors));
      path = page.flavors_links?.[0]?.href.replace(/^.*\/v2\.1/, '');
    }
    expect(seen.sort()).toEqual(names((await cloud().demo.compute.get('/flavors')).body.flavors).sort());
  });

  covers(cloud, [
    'GET /flavors',
    'GET /flavors/detail',
    'GET /flavors/{id}',
    'POST /flavors',
    'PUT /flavors/{id}',
    'DELETE /flavors/{id}',
    'GET /flavors/{flavor_id}/os-extra_specs',
    'POST /flavors/{flavor_id}/os-extra_specs',
    'GET /flavors/{flavor_id}/os-extra_specs/{id}',
    'PUT /flavors/{flavor_id}/os-extra_specs/{id}',
    'DELETE /flavors/{flavor_id}/os-extra_specs/{id}',
    'GET /flavors/{flavor_id}/os-flavor-access',
    'POST /flavors/{id}/action addTenantAccess',
    'POST /flavors/{id}/action removeTenantAccess',
  ]);
});
