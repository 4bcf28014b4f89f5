import { covers, eventually, Servers, useCloud } from '@fractus/testing';

describe('aggregates and availability zones', () => {
  const cloud = useCloud({ hosts: 3 });
  let aggregate: number;
  const act = (body: object) => cloud().admin.compute.post(`/os-aggregates/${aggregate}/action`, body);
  const hostOf = async (id: string): Promise<string> =>
    (await new Servers(cloud().admin).show(id))['OS-EXT-SRV-ATTR:host'];

  it('a zone is made of an aggregate with a host, and servers go where they ask', async () => {
    const { compute } = cloud().admin;
    const made = await compute.post(
      '/os-aggregates',
      { aggregate: { name: 'east', availability_zone: 'az-east' } },
      { version: '2.41' },
    );
    aggregate = made.body.aggregate.id;
    expect(made.body.aggregate.uuid).toMatch(/^[0-9a-f-]{36}$/);
    const demo = new Servers(cloud().demo);
    expect((await demo.request({ server: { availability_zone: 'az-east' } })).status).toBe(400);
    expect((await act({ add_host: { host: 'host-2' } })).body.aggregate).toMatchObject({
      hosts: ['host-2'],
      availability_zone: 'az-east',
    });
    expect((await act({ add_host: { host: 'host-2' } })).status).toBe(409);
    expect((await act({ add_host: { host: 'nowhere' } })).status).toBe(404);

    const east = [];
    for (let i = 0; i < 3; i++) east.push(await demo.boot({ server: { availability_zone: 'az-east' } }));
    for (const id of east) expect(await hostOf(id)).toBe('host-2');
    expect((await demo.show(east[0]!))['OS-EXT-AZ:availability_zone']).toBe('az-east');
    const elsewhere = await demo.boot({ server: { availability_zone: 'nova' } });
    expect(await hostOf(elsewhere)).not.toBe('host-2');
    await demo.delete(...east, elsewhere);
  });

  it('zones are listed, with their hosts for administrators', async () => {
    const zones = (await cloud().demo.compute.get('/os-availability-zone')).body.availabilityZoneInfo;
    expect(zones.map((z: { zoneName: string }) => z.zoneName).sort()).toEqual(['az-east', 'nova']);
    expect((await cloud().demo.compute.get('/os-availability-zone/detail')).status).toBe(403);
    const detail = (await cloud().admin.compute.get('/os-availability-zone/detail')).body.availabilityZoneInfo;
    expect(
      detail.find((z: { zoneName: string }) => z.zoneName === 'az-east').hosts['host-2']['nova-compute'],
    ).toMatchObject({ available: true, active: true });
  });

  it('a host is forced by whoever may, and only by them', async () => {
    const demo = new Servers(cloud().demo);
    const admin = new Servers(cloud().admin);
    const id = await admin.boot({ server: { availability_zone: 'nova:host-3' } });
    expect(await hostOf(id)).toBe('host-3');
    expect((await demo.request({ server: { availability_zone: 'nova:host-3' } })).status).toBe(403);
    const asked = await admin.boot({ version: '2.74', server: { host: 'host-1' } });
    expect(await hostOf(asked)).toBe('host-1');
    expect((await admin.request({ version: '2.74', server: { host: 'nowhere' } })).status).toBe(400);
    await admin.delete(id, asked);
  });

  it('metadata is set and taken away; the zone stays while servers are in it', async () => {
    expect((await act({ set_metadata: { metadata: { ssd: 'true' } } })).body.aggregate.metadata).toEqual({
      availability_zone: 'az-east',
      ssd: 'true',
    });
    expect((await act({ set_metadata: { metadata: { ssd: null } } })).body.aggregate.metadata).toEqual({
      availability_zone: 'az-east',
    });
    const demo = new Servers(cloud().demo);
    const id = await demo.boot({ server: { availability_zone: 'az-east' } });
    const { compute } = cloud().admin;
    const path = `/os-aggregates/${aggregate}`;
    expect((await compute.put(path, { aggregate: { availability_zone: 'az-west' } })).status).toBe(400);
    expect((await act({ remove_host: { host: 'host-2' } })).status).toBe(409);
    await demo.delete(id);
    expect(
      (await compute.put(path, { aggregate: { availability_zone: 'az-west', name: 'west' } })).body.aggregate,
    ).toMatchObject({ name: 'west', availability_zone: 'az-west' });
  });

  it('is mirrored in Placement, and goes when it is empty', async () => {
    const { compute, placement } = cloud().admin;
    const path = `/os-aggregates/${aggregate}`;
    const { uuid } = (await compute.get(path, { version: '2.41' })).body.aggregate;
    const members = async (): Promise<string[]> =>
      (await placement.get(`/resource_providers?member_of=${uuid}`, { version: '1.39' })).body.resource_providers.map(
        (p: { name: string }) => p.name,
      );
    expect(await members()).toEqual(['host-2']);
    expect((await compute.delete(path)).status).toBe(400);
    expect((await act({ remove_host: { host: 'host-2' } })).body.aggregate.hosts).toEqual([]);
    expect(await members()).toEqual([]);
    expect((await compute.get('/os-aggregates')).body.aggregates).toHaveLength(1);
    expect((await compute.delete(path)).status).toBe(200);
    expect((await compute.get(path)).status).toBe(404);
    await eventually('the zone is gone', async () => {
      const zones = (await compute.get('/os-availability-zone')).body.availabilityZoneInfo;
      return zones.length === 1 ? true : JSON.stringify(zones);
    });
  });

  it('is an administrator’s affair', async () => {
    const { compute } = cloud().demo;
    for (const answer of [
      await compute.get('/os-aggregates'),
      await compute.post('/os-aggregates', { aggregate: { name: 'x' } }),
    ])
      expect(answer.status).toBe(403);
  });

  covers(cloud, [
    'GET /os-aggregates',
    'POST /os-aggregates',
    'GET /os-aggregates/{id}',
    'PUT /os-aggregates/{id}',
    'DELETE /os-aggregates/{id}',
    'POST /os-aggregates/{id}/action add_host',
    'POST /os-aggregates/{id}/action remove_host',
    'POST /os-aggregates/{id}/action set_metadata',
    'GET /os-availability-zone',
    'GET /os-availability-zone/detail',
  ]);
});
