import { covers, eventually, Servers, useCloud } from '@fractus/testing';

describe('hypervisors', () => {
  const cloud = useCloud({ hosts: 3 });
  const get = (path: string, version = '2.53') => cloud().admin.compute.get(`/os-hypervisors${path}`, { version });

  it('are listed, up, by uuid from 2.53 and by number before', async () => {
    const list: { id: string; hypervisor_hostname: string; state: string }[] = (await get('')).body.hypervisors;
    // they stand in the order in which their agents brought them
    expect(list.map((h) => [h.hypervisor_hostname, h.state]).sort()).toEqual([
      ['host-1', 'up'],
      ['host-2', 'up'],
      ['host-3', 'up'],
    ]);
    expect(list[0]!.id).toMatch(/^[0-9a-f-]{36}$/);
    expect((await get('', '2.52')).body.hypervisors[0].id).toEqual(expect.any(Number));
    expect((await get(`/${list[0]!.id}`)).body.hypervisor).toMatchObject({
      vcpus: 32,
      memory_mb: 131072,
      local_gb: 2000,
    });
    expect((await cloud().demo.compute.get('/os-hypervisors')).status).toBe(403);
  });

  it('tell what their servers use, and which those are', async () => {
    const demo = new Servers(cloud().demo);
    const id = await demo.boot({ server: { availability_zone: 'nova', flavorRef: '1' } });
    const host = (await new Servers(cloud().admin).show(id))['OS-EXT-SRV-ATTR:host'];
    await eventually('the host has told', async () => {
      const [found] = (await get(`/detail?hypervisor_hostname_pattern=${host}`, '2.87')).body.hypervisors;
      return found.vcpus_used === 1 && found.running_vms === 1 ? true : JSON.stringify(found);
    });
    const [held] = (await get(`?hypervisor_hostname_pattern=${host}&with_servers=true`)).body.hypervisors;
    expect(held.servers).toEqual([{ uuid: id, name: expect.any(String) }]);
    expect((await get(`/${host}/servers`, '2.52')).body.hypervisors[0].servers).toHaveLength(1);
    expect((await get('/statistics', '2.87')).body.hypervisor_statistics).toMatchObject({
      count: 3,
      running_vms: 1,
      vcpus_used: 1,
    });
    await demo.delete(id);
  });

  it('are searched by name', async () => {
    expect((await get('/host-2/search', '2.52')).body.hypervisors).toHaveLength(1);
    expect((await get('/nothing/search', '2.52')).status).toBe(404);
    expect((await get('?hypervisor_hostname_pattern=nothing')).status).toBe(404);
  });

  it('are paged from 2.33 on', async () => {
    const seen: string[] = [];
    let path: string | undefined = '?limit=2';
    while (path !== undefined) {
      const page: { hypervisors: { hypervisor_hostname: string }[]; hypervisors_links?: { href: string }[] } = (
        await get(path)
      ).body;
      seen.push(...page.hypervisors.map((h) => h.hypervisor_hostname));
      path = page.hypervisors_links?.[0]?.href.replace(/^.*os-hypervisors/, '');
    }
    expect(seen.sort()).toEqual(['host-1', 'host-2', 'host-3']);
  });

  it('say how long they have been up until 2.87, each for itself', async () => {
    const { id } = (await get('')).body.hypervisors[0];
    expect((await get(`/${id}/uptime`, '2.87')).body.hypervisor.uptime).toMatch(/up/);
    expect((await get(`/${id}/uptime`, '2.88')).status).toBe(404);
    expect((await get(`/${id}`, '2.88')).body.hypervisor.uptime).toMatch(/up/);
  });

  covers(cloud, [
    'GET /os-hypervisors',
    'GET /os-hypervisors/detail',
    'GET /os-hypervisors/{id}',
    'GET /os-hypervisors/{id}/uptime',
    'GET /os-hypervisors/{id}/search',
    'GET /os-hypervisors/{id}/servers',
    'GET /os-hypervisors/statistics',
  ]);
});
