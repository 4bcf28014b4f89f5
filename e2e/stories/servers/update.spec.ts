import { covers, Servers, useCloud } from '@fractus/testing';

describe('updating a server', () => {
  const cloud = useCloud({ hosts: 1 });
  let demo: Servers;
  let id: string;
  beforeAll(async () => {
    demo = new Servers(cloud().demo);
    id = await demo.boot({ server: { name: 'before' } });
  });
  const put = (server: unknown, version = '2.104') =>
    cloud().demo.compute.put(`/servers/${id}`, { server }, { version });

  it('changes name, description, addresses and disk config, and shows them', async () => {
    const change = {
      name: 'after',
      description: 'näher',
      accessIPv4: '192.0.2.1',
      accessIPv6: '2001:db8::1',
      'OS-DCF:diskConfig': 'AUTO',
    };
    const { status, body } = await put(change);
    expect([status, body.server]).toEqual([200, expect.objectContaining(change)]);
    expect(await demo.show(id)).toMatchObject(change);
    expect((await put({ description: null })).body.server.description).toBeNull();
    expect((await demo.show(id)).name).toBe('after');
  });

  it('takes a host name from 2.90 on', async () => {
    expect((await put({ hostname: 'new-name' }, '2.90')).body.server['OS-EXT-SRV-ATTR:hostname']).toBe('new-name');
    expect((await put({ hostname: 'x' }, '2.89')).status).toBe(400);
    expect((await put({ hostname: 'dotted.name' }, '2.93')).status).toBe(400);
    expect((await put({ hostname: 'dotted.name' }, '2.94')).status).toBe(200);
  });

  it('pins to the zone it is in, and unpins (2.104)', async () => {
    expect((await put({ pinned_availability_zone: 'nova' }, '2.103')).status).toBe(400);
    expect((await put({ pinned_availability_zone: 'nova' })).body.server.pinned_availability_zone).toBe('nova');
    expect((await put({ pinned_availability_zone: 'elsewhere' })).status).toBe(409);
    expect((await put({ pinned_availability_zone: null })).body.server.pinned_availability_zone).toBeNull();
  });

  it.each([
    [{}],
    [{ name: '' }],
    [{ name: 7 }],
    [{ name: 'x'.repeat(256) }],
    [{ accessIPv4: 'x' }],
    [{ colour: 'blue' }],
    [null],
    [[]],
    ['x'],
  ])('refuses %j unless it is nothing at all', async (server) => {
    const { status } = await put(server);
    expect(status).toBe(JSON.stringify(server) === '{}' ? 200 : 400);
  });

  it('describes from 2.19 on only', async () => {
    expect((await put({ description: 'x' }, '2.18')).status).toBe(400);
    expect((await put({ description: 'x' }, '2.19')).status).toBe(200);
  });

  covers(cloud, ['PUT /servers/{server_id}']);
});
