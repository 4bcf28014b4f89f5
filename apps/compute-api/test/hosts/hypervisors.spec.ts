import { startHostsWorld, uuid, type HostsWorld } from './hosts-world';

describe('hypervisors', () => {
  let world: HostsWorld;
  let call: HostsWorld['call'];
  beforeEach(async () => {
    world = await startHostsWorld();
    call = world.call;
  });
  afterEach(() => world.close());
  const names = (body: { hypervisors: { hypervisor_hostname: string }[] }): string[] =>
    body.hypervisors.map((h) => h.hypervisor_hostname);

  it('go by number before 2.53 and by uuid since', async () => {
    const { body: old } = await call('GET', '/os-hypervisors/detail', '2.52');
    expect(old.hypervisors[0]).toMatchObject({ id: 1, service: { id: expect.any(Number), host: 'h1' } });
    const { body: now } = await call('GET', '/os-hypervisors/detail', '2.53');
    expect(now.hypervisors[0]).toMatchObject({ id: uuid(1), service: { id: expect.stringMatching(/-/), host: 'h1' } });
    expect((await call('GET', '/os-hypervisors/1', '2.52')).status).toBe(200);
    expect((await call('GET', '/os-hypervisors/99', '2.52')).status).toBe(404);
    expect((await call('GET', '/os-hypervisors/x', '2.52')).status).toBe(404);
    expect((await call('GET', '/os-hypervisors/1', '2.53')).status).toBe(400);
    expect((await call('GET', `/os-hypervisors/${uuid(1)}`, '2.53')).status).toBe(200);
    expect((await call('GET', `/os-hypervisors/${uuid(9)}`, '2.53')).status).toBe(404);
    expect((await call('GET', '/os-hypervisors', '2.1', undefined, 'demo')).status).toBe(403);
  });

  it('tell of the CPU as text before 2.28, as an object until 2.87, and not at all since', async () => {
    const cpu = async (version: string): Promise<unknown> =>
      (await call('GET', '/os-hypervisors/detail', version)).body.hypervisors[0].cpu_info;
    expect(await cpu('2.27')).toBe('{"arch":"x86_64"}');
    expect(await cpu('2.28')).toEqual({ arch: 'x86_64' });
    expect(await cpu('2.87')).toEqual({ arch: 'x86_64' });
    expect(await cpu('2.88')).toBeUndefined();
  });

  it('show what they have until 2.87, and their uptime since', async () => {
    const before = (await call('GET', `/os-hypervisors/${uuid(1)}`, '2.87')).body.hypervisor;
    expect(before).toMatchObject({ vcpus: 8, vcpus_used: 2, free_ram_mb: 15_360, free_disk_gb: 90, running_vms: 1 });
    expect(before).not.toHaveProperty('uptime');
    const since = (await call('GET', `/os-hypervisors/${uuid(1)}`, '2.88')).body.hypervisor;
    expect(since).not.toHaveProperty('vcpus');
    expect(since.uptime).toMatch(/^ \d\d:\d\d:\d\d up 1 day, 1:01$/);
    const [service] = await world.hosts.services({ host: 'h1' });
    await world.hosts.updateService(
      service!.id,
      { forcedDown: true, disabled: true, disabledReason: 'fire' },
      Date.now(),
    );
    expect((await call('GET', `/os-hypervisors/${uuid(1)}`, '2.88')).body.hypervisor).toMatchObject({
      uptime: null,
      state: 'down',
      status: 'disabled',
      service: { disabled_reason: 'fire' },
    });
  });

  it('have statistics and uptime of their own until 2.87', async () => {
    expect((await call('GET', '/os-hypervisors/statistics', '2.87')).body.hypervisor_statistics).toMatchObject({
      count: 3,
      vcpus: 24,
      free_disk_gb: 270,
    });
    expect((await call('GET', '/os-hypervisors/statistics', '2.88')).status).toBe(404);
    expect((await call('GET', '/os-hypervisors/1/uptime', '2.52')).body.hypervisor).toMatchObject({
      id: 1,
      uptime: ' 10:00:00 up 5 days,  1:00',
    });
    expect((await call('GET', `/os-hypervisors/${uuid(1)}/uptime`, '2.53')).body.hypervisor).toMatchObject({
      id: uuid(1),
    });
    expect((await call('GET', `/os-hypervisors/${uuid(1)}/uptime`, '2.88')).status).toBe(404);
    // nobody serves the third host
    expect((await call('GET', '/os-hypervisors/3/uptime')).status).toBe(400);
  });

  it('are listed by pages from 2.33 on', async () => {
    expect(names((await call('GET', '/os-hypervisors?limit=1', '2.32')).body)).toHaveLength(3);
    const first = (await call('GET', '/os-hypervisors?limit=2', '2.33')).body;
    expect(first.hypervisors_links[0].href).toMatch(/\/v2\.1\/os-hypervisors\?limit=2&marker=2$/);
    const path = (first.hypervisors_links[0].href as string).replace(/^.*\/v2\.1/, '');
    const second = (await call('GET', path, '2.33')).body;
    expect([names(first), names(second)]).toEqual([['node-1.example', 'node-2.example'], ['node-3.example']]);
    expect(second).not.toHaveProperty('hypervisors_links');
    expect((await call('GET', '/os-hypervisors/detail?limit=1', '2.53')).body.hypervisors_links[0].href).toContain(
      `/os-hypervisors/detail?limit=1&marker=${uuid(1)}`,
    );
    expect((await call('GET', '/os-hypervisors?marker=99', '2.33')).status).toBe(400);
    expect((await call('GET', `/os-hypervisors?marker=${uuid(9)}`, '2.53')).status).toBe(400);
    expect((await call('GET', '/os-hypervisors?limit=x', '2.33')).status).toBe(400);
    expect((await call('GET', '/os-hypervisors?limit=0', '2.33')).body).toEqual({ hypervisors: [] });
    expect((await call('GET', '/os-hypervisors?unknown=1', '2.52')).status).toBe(200);
    expect((await call('GET', '/os-hypervisors?unknown=1', '2.53')).status).toBe(400);
  });

  it('are searched under a path before 2.53 and by a parameter since', async () => {
    await world.addServer(1, 'h2');
    expect(names((await call('GET', '/os-hypervisors/node-2/search', '2.52')).body)).toEqual(['node-2.example']);
    expect((await call('GET', '/os-hypervisors/nope/search', '2.52')).status).toBe(404);
    expect((await call('GET', '/os-hypervisors/node-2/search', '2.53')).status).toBe(404);
    const servers = [{ name: 'server-1', uuid: uuid(5001) }];
    const { body } = await call('GET', '/os-hypervisors/node/servers', '2.52');
    expect(body.hypervisors.map((h: { servers?: unknown }) => h.servers)).toEqual([undefined, servers, undefined]);
    const search = (query: string, version = '2.53') => call('GET', `/os-hypervisors?${query}`, version);
    expect(names((await search('hypervisor_hostname_pattern=-3')).body)).toEqual(['node-3.example']);
    expect((await search('hypervisor_hostname_pattern=nope')).status).toBe(404);
    expect((await search('hypervisor_hostname_pattern=node&limit=1')).status).toBe(400);
    expect((await search('with_servers=true')).body.hypervisors.map((h: { servers?: unknown }) => h.servers)).toEqual([
      undefined,
      servers,
      undefined,
    ]);
    expect(
      (await search('with_servers=true', '2.75')).body.hypervisors.map((h: { servers?: unknown }) => h.servers),
    ).toEqual([[], servers, []]);
    expect((await search('with_servers=maybe')).status).toBe(400);
  });
});
