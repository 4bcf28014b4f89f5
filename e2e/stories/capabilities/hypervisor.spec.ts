import { covers, eventually, Servers, useCloud } from '@fractus/testing';

/* eslint-disable @typescript-eslint/no-explicit-any -- stories read whatever the wire brings */

describe('what a hypervisor is capable of', () => {
  const cloud = useCloud({ hosts: 3 });
  let ids: Record<string, string>;
  const get = (path: string, options: object = {}) =>
    cloud().admin.compute.get(`/os-hypervisors${path}`, { version: '2.104', ...options });
  const names = async (query: string): Promise<string[]> =>
    (await get(`/capabilities${query}`)).body.capabilities.map((c: any) => c.host).sort();

  beforeAll(async () => {
    const { hypervisors } = (await get('')).body;
    ids = Object.fromEntries(hypervisors.map((h: any) => [h.hypervisor_hostname, h.id]));
    // an operator gives one of them a trait of their own
    const placement = cloud().admin.placement;
    const version = '1.39';
    await placement.put('/traits/CUSTOM_GOLD', undefined, { version });
    const path = `/resource_providers/${ids['host-2']}/traits`;
    await eventually('the trait is set', async () => {
      const { body } = await placement.get(path, { version });
      const traits = [...body.traits, 'CUSTOM_GOLD'];
      const put = await placement.put(path, { ...body, traits }, { version });
      return put.status === 200 ? true : String(put.status);
    });
  });

  it('is told whole: flags, whose its traits are, room', async () => {
    const found = (await get(`/${ids['host-2']}/capabilities`)).body.capabilities;
    expect(found).toMatchObject({
      hypervisor_id: ids['host-2'],
      host: 'host-2',
      driver_capabilities: { supports_image_type_raw: true, supports_multiattach: false },
      service: { status: 'enabled', state: 'up', version: expect.any(Number) },
      traits: { external: ['CUSTOM_GOLD'], unset: [] },
      inventory: { VCPU: { total: 32, reserved: 0, used: 0, min_unit: 1, max_unit: 32, step_size: 1 } },
      nested_providers: [],
      missing_lately: { hours: 24, truncated: false },
      unknown: [],
    });
    expect(found.traits.owned).toEqual(expect.arrayContaining(['COMPUTE_NODE', 'HW_CPU_X86_AVX2']));
    const { VCPU } = found.inventory;
    expect(VCPU.free).toBe(Math.floor((VCPU.total - VCPU.reserved) * VCPU.ratio));
  });

  it('follows what is taken of it', async () => {
    const demo = new Servers(cloud().demo);
    const server = await demo.boot({ server: { flavorRef: '1' } });
    const host = (await new Servers(cloud().admin).show(server))['OS-EXT-SRV-ATTR:host'];
    const { inventory } = (await get(`/${ids[host]}/capabilities`)).body.capabilities;
    expect(inventory.VCPU.used).toBe(1);
    expect(inventory.MEMORY_MB.used).toBe(512);
    await demo.delete(server);
  });

  it('says what was asked for and missing', async () => {
    const flavor = { name: 'gold', id: 'gold', ram: 64, vcpus: 1, disk: 1 };
    await cloud().admin.compute.post('/flavors', { flavor });
    const specs = { extra_specs: { 'trait:CUSTOM_GOLD': 'required', 'trait:HW_CPU_X86_AVX512F': 'required' } };
    await cloud().admin.compute.post('/flavors/gold/os-extra_specs', specs);
    const demo = new Servers(cloud().demo);
    const server = await demo.create({ server: { flavorRef: 'gold' } });
    await demo.becomes(server, 'ERROR');
    const missing = async (host: string): Promise<any> =>
      (await get(`/${ids[host]}/capabilities`)).body.capabilities.missing_lately;
    const traits = ({ items }: any): string[] => items.map((i: any) => i.trait);
    expect(await missing('host-1')).toMatchObject({ attempts: 1 });
    expect(traits(await missing('host-2'))).not.toContain('CUSTOM_GOLD');
    const told = new Set([...traits(await missing('host-1')), ...traits(await missing('host-2'))]);
    expect([...told].some((t) => t === 'CUSTOM_GOLD' || t === 'HW_CPU_X86_AVX512F')).toBe(true);
    await demo.delete(server);
  });

  it('chooses hypervisors by all of the traits and capabilities that are asked for', async () => {
    expect(await names('')).toEqual(['host-1', 'host-2', 'host-3']);
    expect(await names('?trait=CUSTOM_GOLD')).toEqual(['host-2']);
    expect(await names('?trait=CUSTOM_GOLD&trait=HW_CPU_X86_AVX&capability=supports_image_type_raw')).toEqual([
      'host-2',
    ]);
    expect(await names('?trait=CUSTOM_GOLD&capability=supports_multiattach')).toEqual([]);
    expect(await names('?capability=supports_image_type_raw&capability=supports_image_type_qcow2')).toHaveLength(3);
    expect(await names('?trait=CUSTOM_NONE')).toEqual([]);
  });

  it('is paged', async () => {
    const seen: string[] = [];
    let path: string | undefined = '/capabilities?limit=1&capability=supports_image_type_raw';
    for (let pages = 0; path !== undefined && pages < 9; pages++) {
      const body: any = (await get(path)).body;
      seen.push(...body.capabilities.map((c: any) => c.host));
      path = body.capabilities_links?.[0].href.replace(/^.*os-hypervisors/, '');
    }
    expect(seen.sort()).toEqual(['host-1', 'host-2', 'host-3']);
    expect((await get('/capabilities?limit=0')).body.capabilities).toEqual([]);
  });

  it.each([
    ['/capabilities?capability=supports_levitation', /^capability: 'supports_levitation' is none of/],
    ['/capabilities?trait=NOT_A_TRAIT', /^trait: 'NOT_A_TRAIT'/],
    ['/capabilities?trait=lower', /trait/],
    ['/capabilities?limit=-1', /limit/],
    ['/capabilities?marker=11111111-2222-3333-4444-555555555555', /marker/],
    ['/capabilities?verbose=1', /verbose/],
    ['/7/capabilities', /7/],
  ])('%s is 400 and names what is wrong', async (path, message) => {
    const { status, body } = await get(path);
    expect([status, body.badRequest.message]).toEqual([400, expect.stringMatching(message)]);
  });

  it('goes by number before 2.53, and is 404 where there is none', async () => {
    const { body } = await get('/capabilities?limit=1', { version: '2.52' });
    const number = body.capabilities[0].hypervisor_id;
    expect(number).toEqual(expect.any(Number));
    const one = await get(`/${number}/capabilities`, { version: '2.52' });
    expect(one.body.capabilities).toMatchObject({ hypervisor_id: number, microversion: '2.52' });
    expect((await get('/999/capabilities', { version: '2.52' })).status).toBe(404);
    expect((await get('/11111111-2222-3333-4444-555555555555/capabilities')).status).toBe(404);
  });

  it('is told to administrators', async () => {
    for (const path of ['/os-hypervisors/capabilities', `/os-hypervisors/${ids['host-1']}/capabilities`])
      expect((await cloud().demo.compute.get(path, { version: '2.104' })).status).toBe(403);
  });

  it.each(['/capabilities', '/capabilities?trait=CUSTOM_GOLD', '/host-3/capabilities'])(
    '%s is not sent again to who has it',
    async (given) => {
      const path = given.replace('host-3', ids['host-3']!);
      const first = await get(path);
      const again = await get(path, { headers: { 'if-none-match': first.headers.get('etag')! } });
      expect([again.status, again.body]).toEqual([304, null]);
      expect((await get(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    },
  );

  covers(cloud, ['GET /os-hypervisors/capabilities', 'GET /os-hypervisors/{id}/capabilities']);
});
