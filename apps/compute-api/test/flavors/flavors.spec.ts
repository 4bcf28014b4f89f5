import fc from 'fast-check';
import { ApiUnderTest, type Reply } from '../api-under-test';

describe('flavors', () => {
  let api: ApiUnderTest;
  beforeEach(async () => void (api = await ApiUnderTest.start()));
  afterEach(async () => {
    expect(api.schemaFaults).toEqual([]);
    await api.close();
  });

  const create = (flavor: object, version = '2.104'): Promise<Reply> =>
    api.post('/v2.1/flavors', { flavor: { ram: 512, vcpus: 1, disk: 1, ...flavor } }, { version });
  const ids = (reply: Reply): string[] => reply.body.flavors.map((f: { id: string }) => f.id);

  it('are created with what was said, and defaults for the rest', async () => {
    const { status, body } = await create(
      { name: ' m1.tiny ', id: 7, ram: '512', swap: '64', rxtx_factor: '2.5' },
      '2.1',
    );
    expect(status).toBe(400);
    expect(body.badRequest.message).toContain('name');
    const made = await create(
      { name: 'm1.tiny', id: 7, ram: '512', swap: '64', rxtx_factor: '2.5', 'os-flavor-access:is_public': 'no' },
      '2.1',
    );
    expect(made.status).toBe(200);
    expect(made.body.flavor).toEqual({
      id: '7',
      name: 'm1.tiny',
      ram: 512,
      vcpus: 1,
      disk: 1,
      swap: 64,
      'OS-FLV-EXT-DATA:ephemeral': 0,
      'OS-FLV-DISABLED:disabled': false,
      'os-flavor-access:is_public': false,
      rxtx_factor: 2.5,
      links: [
        { rel: 'self', href: `${api.service.url}/v2.1/flavors/7` },
        { rel: 'bookmark', href: `${api.service.url}/flavors/7` },
      ],
    });
  });

  it.each([
    [
      '2.1',
      { swap: '', description: undefined, extra_specs: undefined, rxtx_factor: 1, 'OS-FLV-DISABLED:disabled': false },
    ],
    ['2.54', { swap: '', description: undefined }],
    ['2.55', { swap: '', description: null, extra_specs: undefined }],
    ['2.60', { extra_specs: undefined }],
    ['2.61', { swap: '', extra_specs: {} }],
    ['2.74', { swap: '' }],
    ['2.75', { swap: 0, rxtx_factor: 1 }],
    ['2.101', { rxtx_factor: 1, 'OS-FLV-DISABLED:disabled': false }],
    ['2.102', { swap: 0, rxtx_factor: undefined, 'OS-FLV-DISABLED:disabled': undefined, extra_specs: {} }],
  ])('have the form of version %s', async (version, fields) => {
    const made = await create({ name: 'a', id: 'a' }, version);
    for (const reply of [made, await api.get('/v2.1/flavors/a', { version })]) {
      for (const [field, value] of Object.entries(fields))
        expect([field, reply.body.flavor[field]]).toEqual([field, value]);
    }
    const [detail] = (await api.get('/v2.1/flavors/detail', { version })).body.flavors;
    expect(detail).toEqual((await api.get('/v2.1/flavors/a', { version })).body.flavor);
    const [brief] = (await api.get('/v2.1/flavors', { version })).body.flavors;
    expect(Object.keys(brief).sort()).toEqual(
      ['2.1', '2.54'].includes(version) ? ['id', 'links', 'name'] : ['description', 'id', 'links', 'name'],
    );
  });

  it('have a name and an id of their own', async () => {
    await create({ name: 'a', id: '1' });
    expect(await create({ name: 'a', id: '2' })).toMatchObject({
      status: 409,
      body: { conflictingRequest: { message: expect.stringContaining('name a') } },
    });
    expect(await create({ name: 'b', id: '1' })).toMatchObject({
      status: 409,
      body: { conflictingRequest: { message: expect.stringContaining('ID 1') } },
    });
    expect((await create({ name: 'b', id: '' }, '2.1')).status).toBe(400);
    expect((await create({ name: 'b', id: null })).body.flavor.id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('can be described from 2.55 on', async () => {
    await create({ name: 'a', id: 'a', description: 'first' });
    const update = (version: string): Promise<Reply> =>
      api.put('/v2.1/flavors/a', { flavor: { description: 'second' } }, { version });
    expect((await update('2.54')).status).toBe(404);
    expect((await update('2.55')).body.flavor.description).toBe('second');
    expect((await api.put('/v2.1/flavors/nope', { flavor: { description: null } }, { version: '2.55' })).status).toBe(
      404,
    );
  });

  it('are gone once deleted', async () => {
    await create({ name: 'a', id: 'a' });
    expect((await api.delete('/v2.1/flavors/a')).status).toBe(202);
    expect((await api.delete('/v2.1/flavors/a')).status).toBe(404);
    expect((await api.get('/v2.1/flavors/a')).status).toBe(404);
    expect((await create({ name: 'a', id: 'a' })).status).toBe(200);
  });

  it('are made by operators only', async () => {
    const asked = await api.post(
      '/v2.1/flavors',
      { flavor: { name: 'a', ram: 1, vcpus: 1, disk: 0 } },
      { as: 'joe:p1' },
    );
    expect(asked).toMatchObject({
      status: 403,
      body: { forbidden: { message: expect.stringContaining('os_compute_api:os-flavor-manage:create') } },
    });
  });

  it('are seen by those who may use them', async () => {
    await create({ name: 'a', id: 'public' });
    await create({ name: 'b', id: 'private', 'os-flavor-access:is_public': false });
    const as = 'joe:p1';
    expect(ids(await api.get('/v2.1/flavors', { as }))).toEqual(['public']);
    expect((await api.get('/v2.1/flavors/private', { as })).status).toBe(404);
    expect(await api.post('/v2.1/flavors/private/action', { addTenantAccess: { tenant: 'p1' } })).toMatchObject({
      status: 200,
      body: { flavor_access: [{ flavor_id: 'private', tenant_id: 'p1' }] },
    });
    expect((await api.post('/v2.1/flavors/private/action', { addTenantAccess: { tenant: 'p1' } })).status).toBe(409);
    expect(ids(await api.get('/v2.1/flavors', { as }))).toEqual(['private', 'public']);
    expect((await api.get('/v2.1/flavors/private', { as })).status).toBe(200);
    expect(ids(await api.get('/v2.1/flavors?is_public=false'))).toEqual(['private']);
    expect(ids(await api.get('/v2.1/flavors?is_public=None'))).toEqual(['private', 'public']);
    expect(ids(await api.get('/v2.1/flavors?is_public=None', { as: 'joe:p2' }))).toEqual(['public']);
    expect((await api.get('/v2.1/flavors?is_public=maybe')).status).toBe(400);
    expect((await api.get('/v2.1/flavors/private/os-flavor-access')).body.flavor_access).toHaveLength(1);
    expect((await api.get('/v2.1/flavors/public/os-flavor-access')).status).toBe(404);
    expect((await api.post('/v2.1/flavors/private/action', { removeTenantAccess: { tenant: 'p1' } })).body).toEqual({
      flavor_access: [],
    });
    expect((await api.post('/v2.1/flavors/private/action', { removeTenantAccess: { tenant: 'p1' } })).status).toBe(404);
  });

  it('refuse access to public ones from 2.7 on', async () => {
    await create({ name: 'a', id: 'a' });
    const add = (version: string): Promise<Reply> =>
      api.post('/v2.1/flavors/a/action', { addTenantAccess: { tenant: 'p1' } }, { version });
    expect((await add('2.7')).status).toBe(409);
    expect((await add('2.6')).status).toBe(200);
    expect((await api.post('/v2.1/flavors/a/action', { somethingElse: {} })).status).toBe(400);
  });

  it('carry extra specs', async () => {
    await create({ name: 'a', id: 'a' });
    const specs = '/v2.1/flavors/a/os-extra_specs';
    expect((await api.post(specs, { extra_specs: { 'hw:cpu_policy': 'dedicated', n: 5 } })).body).toEqual({
      extra_specs: { 'hw:cpu_policy': 'dedicated', n: 5 },
    });
    expect((await api.get(specs)).body).toEqual({ extra_specs: { 'hw:cpu_policy': 'dedicated', n: '5' } });
    expect((await api.put(`${specs}/n`, { n: '6' })).body).toEqual({ n: '6' });
    expect((await api.put(`${specs}/n`, { m: '6' })).status).toBe(400);
    expect((await api.put(`${specs}/n`, { n: '6', m: '1' })).status).toBe(400);
    expect((await api.get(`${specs}/n`)).body).toEqual({ n: '6' });
    expect((await api.get(`${specs}/toString`)).status).toBe(404);
    expect((await api.delete(`${specs}/n`)).status).toBe(200);
    expect((await api.delete(`${specs}/n`)).status).toBe(404);
    expect((await api.get('/v2.1/flavors/a', { version: '2.61' })).body.flavor.extra_specs).toEqual({
      'hw:cpu_policy': 'dedicated',
    });
  });

  it.each([
    ['hw:cpu_policy', 'nonsense', 400],
    ['hw:cpu_policy', 'shared', 200],
    ['hw:nonsense', '1', 400],
    ['hw:numa_mem.0', '0', 400],
    ['hw:numa_cpus.1', '0-3,^2', 200],
    ['resources:VCPU', 'x', 400],
    ['resources_net:CUSTOM_BW', '3', 200],
    ['resources:NOPE', '3', 400],
    ['trait:HW_CPU_X86_AVX', 'required', 200],
    ['trait:HW_CPU_X86_AVX', 'maybe', 400],
    ['quota:disk_read_bytes_sec', '-1', 400],
    ['group_policy', 'isolate', 200],
    ['own:anything', 'at all', 200],
    ['toString', 'x', 200],
  ])('check %s=%s from 2.86 on (%i)', async (key, value, status) => {
    await create({ name: 'a', id: 'a' });
    const set = async (version: string): Promise<number> =>
      (await api.post('/v2.1/flavors/a/os-extra_specs', { extra_specs: { [key]: value } }, { version })).status;
    expect([await set('2.85'), await set('2.86')]).toEqual([200, status]);
  });

  it('are filtered and sorted', async () => {
    await create({ name: 'x1', id: 'a', ram: 512, disk: 10 });
    await create({ name: 'x2', id: 'b', ram: 1024, disk: 5 });
    await create({ name: 'y', id: 'c', ram: 2048, disk: 5 });
    const list = async (query: string, version = '2.104'): Promise<string> =>
      ids(await api.get(`/v2.1/flavors${query}`, { version })).join('');
    expect(await list('?minRam=1024')).toBe('bc');
    expect(await list('?minDisk=6')).toBe('a');
    expect(await list('?sort_key=root_gb&sort_dir=desc')).toBe('abc');
    expect(await list('?sort_key=memory_mb&sort_dir=desc')).toBe('cba');
    expect(await list('?name=x', '2.102')).toBe('ab');
    expect(await list('?name=%25', '2.102')).toBe('');
    expect(await list('?name=x', '2.74')).toBe('abc');
    for (const [query, version] of [
      ['?name=x', '2.101'],
      ['?minRam=x', '2.1'],
      ['?sort_key=x', '2.1'],
      ['?sort_dir=x', '2.1'],
      ['?sort_key=rxtx_factor', '2.102'],
      ['?limit=x', '2.1'],
      ['?limit=-1', '2.1'],
      ['?marker=x', '2.1'],
      ['?nope=1', '2.75'],
      ['?limit=', '2.1'],
    ]) {
      expect([query, (await api.get(`/v2.1/flavors${query}`, { version: version ?? '2.1' })).status]).toEqual([
        query,
        400,
      ]);
    }
    expect((await api.get('/v2.1/flavors?nope=1', { version: '2.74' })).status).toBe(200);
  });

  it('visit each flavor once, page by page, whatever the order', async () => {
    const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    for (const [i, id] of all.entries())
      await create({ name: id, id, ram: 512 * (1 + (i % 3)), description: i % 2 ? `d${i % 3}` : null });
    const keys = fc.constantFrom('flavorid', 'memory_mb', 'description', 'name', 'updated_at', 'created_at');
    const property = fc.asyncProperty(
      keys,
      fc.constantFrom('asc', 'desc'),
      fc.integer({ min: 1, max: 8 }),
      async (key, dir, limit) => {
        const seen: string[] = [];
        let url: string | undefined = `/v2.1/flavors?sort_key=${key}&sort_dir=${dir}&limit=${limit}`;
        while (url) {
          const reply: Reply = await api.get(url, { version: '2.104' });
          seen.push(...ids(reply));
          const next = (reply.body.flavors_links as { href: string }[] | undefined)?.[0]?.href;
          url = next?.slice(api.service.url?.length);
        }
        expect([...seen].sort()).toEqual(all);
      },
    );
    await fc.assert(property, { numRuns: 30 });
  });

  it('link to the endpoint and project that the client wrote', async () => {
    await create({ name: 'a', id: 'a' });
    const links = async (path: string): Promise<string[]> =>
      (await api.get(path, { as: 'admin:abc' })).body.flavor.links.map((l: { href: string }) =>
        l.href.slice(api.service.url?.length),
      );
    expect(await links('/v2.1/flavors/a')).toEqual(['/v2.1/flavors/a', '/flavors/a']);
    expect(await links('/v2.1/abc/flavors/a')).toEqual(['/v2.1/abc/flavors/a', '/abc/flavors/a']);
    expect(await links('/v2/abc/flavors/a')).toEqual(['/v2/abc/flavors/a', '/abc/flavors/a']);
  });

  it('keep the old endpoint’s manners: unknown members are dropped', async () => {
    const made = await api.post('/v2/flavors', {
      flavor: { name: ' spaced ', id: 'a', ram: 1, vcpus: 1, disk: 0, nope: 1, description: 'x' },
    });
    expect(made).toMatchObject({ status: 200, body: { flavor: { name: 'spaced' } } });
  });
});
