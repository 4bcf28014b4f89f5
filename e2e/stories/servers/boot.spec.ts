import { covers, everythingIsGone, NANO, readBooks, Servers, TINY, useCloud } from '@fractus/testing';

describe('booting a server', () => {
  const cloud = useCloud({ hosts: 3 });
  let demo: Servers;
  beforeAll(() => (demo = new Servers(cloud().demo)));
  const networkId = async (name = 'private'): Promise<string> =>
    (await cloud().demo.network.get(`/networks?name=${name}`)).body.networks[0].id;
  const portsOf = async (id: string) => (await cloud().admin.network.get(`/ports?device_id=${id}`)).body.ports;

  it('on a network, gets an address of it and a bound port', async () => {
    const network = await networkId();
    const id = await demo.boot({ server: { name: 'web', flavorRef: TINY, networks: [{ uuid: network }] } });
    const server = await demo.show(id);
    expect(server).toMatchObject({
      name: 'web',
      status: 'ACTIVE',
      'OS-EXT-STS:vm_state': 'active',
      'OS-EXT-STS:power_state': 1,
    });
    const [address] = server.addresses.private;
    expect(address).toMatchObject({ version: 4, 'OS-EXT-IPS:type': 'fixed' });
    const [port, ...others] = await portsOf(id);
    expect(others).toEqual([]);
    const host = (await new Servers(cloud().admin).show(id))['OS-EXT-SRV-ATTR:host'];
    expect(port).toMatchObject({
      'binding:host_id': host,
      network_id: network,
      device_owner: expect.stringMatching(/^compute:/),
      status: 'ACTIVE',
    });
    expect(port.fixed_ips.map((ip: { ip_address: string }) => ip.ip_address)).toEqual([address.addr]);
    expect(port.mac_address).toBe(address['OS-EXT-IPS-MAC:mac_addr']);
    expect(server.flavor).toMatchObject({ vcpus: 1, ram: 512, disk: 1, original_name: 'm1.tiny' });
    await demo.delete(id);
    expect(await portsOf(id)).toEqual([]);
  });

  it('with networks none, has no address and no port', async () => {
    const id = await demo.boot();
    expect((await demo.show(id)).addresses).toEqual({});
    expect(await portsOf(id)).toEqual([]);
    await demo.delete(id);
  });

  it('with networks auto, is plugged into the one network there is', async () => {
    const id = await demo.boot({ server: { networks: 'auto' } });
    expect(Object.keys((await demo.show(id)).addresses)).toEqual(['private']);
    await demo.delete(id);
  });

  it('must say what network it wants from 2.37 on, and need not before', async () => {
    const refused = await demo.request({ version: '2.37', server: { networks: undefined } });
    expect([refused.status, refused.body.badRequest.message]).toEqual([400, expect.stringContaining('networks')]);
    const early = await demo.request({ version: '2.36', server: { networks: undefined } });
    expect(early.status).toBe(202);
    await demo.becomes(early.body.server.id, 'ACTIVE');
    expect(Object.keys((await demo.show(early.body.server.id)).addresses)).toEqual(['private']);
    await demo.delete(early.body.server.id);
  });

  it('takes a port that was made before, and gives it back unbound', async () => {
    const { body } = await cloud().demo.network.post('/ports', { port: { network_id: await networkId() } });
    const id = await demo.boot({ server: { networks: [{ port: body.port.id }] } });
    const addr = body.port.fixed_ips[0].ip_address;
    expect((await demo.show(id)).addresses.private.map((a: { addr: string }) => a.addr)).toEqual([addr]);
    const twice = await demo.request({ server: { networks: [{ port: body.port.id }] } });
    expect([twice.status, twice.body.conflictingRequest.message]).toEqual([
      409,
      `Port ${body.port.id} is still in use.`,
    ]);
    await demo.delete(id);
    const kept = await cloud().admin.network.get(`/ports/${body.port.id}`);
    expect(kept.body.port).toMatchObject({ device_id: '', device_owner: '', 'binding:host_id': '' });
    await cloud().demo.network.delete(`/ports/${body.port.id}`);
  });

  it('gets the fixed address it asks for', async () => {
    const network = await networkId();
    const subnets = await cloud().demo.network.get(`/subnets?network_id=${network}`);
    const cidr: string = subnets.body.subnets[0].cidr;
    const fixedIp = cidr.replace(/\.\d+\/\d+$/, '.77');
    const id = await demo.boot({ server: { networks: [{ uuid: network, fixed_ip: fixedIp }] } });
    expect((await demo.show(id)).addresses.private[0].addr).toBe(fixedIp);
    await demo.delete(id);
  });

  it.each([
    ['an unknown image', { imageRef: '11111111-2222-3333-4444-555555555555' }, 'Can not find requested image'],
    ['an unknown flavor', { flavorRef: 'no-such' }, 'Flavor no-such could not be found.'],
    [
      'an unknown network',
      { networks: [{ uuid: '11111111-2222-3333-4444-555555555555' }] },
      'Network 11111111-2222-3333-4444-555555555555 could not be found.',
    ],
    [
      'an unknown port',
      { networks: [{ port: '11111111-2222-3333-4444-555555555555' }] },
      'Port id 11111111-2222-3333-4444-555555555555 could not be found.',
    ],
    ['an unknown key pair', { key_name: 'no-such' }, 'Invalid key_name provided.'],
    ['an unknown zone', { availability_zone: 'no-such' }, 'The requested availability zone is not available'],
    ['more at least than at most', { min_count: 3, max_count: 2 }, 'min_count must be <= max_count'],
    ['no image', { imageRef: '' }, 'Missing imageRef attribute'],
  ])('refuses %s', async (_what, server, message) => {
    const { status, body } = await demo.request({ server });
    expect([status, body.badRequest?.message]).toEqual([400, message]);
  });

  it('shows what it was asked for', async () => {
    const asked = {
      name: 'Über all',
      description: 'für alle',
      metadata: { role: 'db', ünïcode: '☃' },
      tags: ['blue', 'red'],
      config_drive: true,
      accessIPv4: '192.0.2.7',
      accessIPv6: '2001:db8::7',
      'OS-DCF:diskConfig': 'AUTO',
      user_data: Buffer.from('#!/bin/sh').toString('base64'),
    };
    const refused = await demo.request({ version: '2.52', server: asked });
    expect(refused.status).toBe(400); // metadata keys are ASCII
    const id = await demo.boot({ version: '2.52', server: { ...asked, metadata: { role: 'db' } } });
    expect(await demo.show(id)).toMatchObject({
      name: 'Über all',
      description: 'für alle',
      metadata: { role: 'db' },
      tags: ['blue', 'red'],
      config_drive: 'True',
      accessIPv4: '192.0.2.7',
      accessIPv6: '2001:db8::7',
      'OS-DCF:diskConfig': 'AUTO',
      key_name: null,
    });
    expect((await new Servers(cloud().admin).show(id))['OS-EXT-SRV-ATTR:user_data']).toBe(asked.user_data);
    await demo.delete(id);
  });

  it('answers with id, links, password and a location', async () => {
    const { status, headers, body } = await demo.request({ server: { adminPass: 'given' } });
    expect(status).toBe(202);
    expect(body.server.adminPass).toBe('given');
    expect(headers.get('location')).toBe(body.server.links.find((l: { rel: string }) => l.rel === 'self').href);
    const made = await demo.request();
    expect(made.body.server.adminPass).toMatch(/^\w{12}$/);
    await demo.delete(body.server.id, made.body.server.id);
  });

  it('several at once are numbered, and share a reservation', async () => {
    const { body } = await demo.request({ server: { name: 'many', min_count: 3, return_reservation_id: true } });
    const { reservation_id: reservation } = body;
    const list = await cloud().demo.compute.get(
      `/servers?reservation_id=${reservation}&sort_key=display_name&sort_dir=asc`,
    );
    const servers: { id: string; name: string }[] = list.body.servers;
    expect(servers.map((s) => s.name)).toEqual(['many-1', 'many-2', 'many-3']);
    for (const { id } of servers) await demo.becomes(id, 'ACTIVE');
    await demo.delete(...servers.map((s) => s.id));
  });

  it('falls back to as many as the quota has room for, never below the least asked for', async () => {
    const limit = (await cloud().admin.compute.get(`/os-quota-sets/${await cloud().demo.projectId()}`)).body.quota_set
      .instances;
    const { status, body } = await demo.request({
      server: { min_count: 2, max_count: limit + 5, return_reservation_id: true },
    });
    expect(status).toBe(202);
    const made = await cloud().demo.compute.get(`/servers?reservation_id=${body.reservation_id}`);
    const ids: string[] = made.body.servers.map((s: { id: string }) => s.id);
    expect(ids).toHaveLength(limit);
    const over = await demo.request({ server: { min_count: 2, max_count: 3 } });
    expect([over.status, over.body.forbidden.message]).toEqual([
      403,
      expect.stringMatching(/^Quota exceeded for instances: Requested 3, but already used \d+ of \d+ instances$/),
    ]);
    await demo.delete(...ids);
    await demo.delete(await demo.boot());
  });

  it('needs a flavor that holds the image', async () => {
    const { body } = await cloud().demo.image.post('/images', {
      name: 'roomy',
      disk_format: 'raw',
      container_format: 'bare',
      min_disk: 5,
      min_ram: 1024,
    });
    const empty = await demo.request({ server: { imageRef: body.id } });
    expect([empty.status, empty.body.badRequest.message]).toEqual([400, `Image ${body.id} is not active.`]);
    await cloud().demo.image.call(
      'PUT',
      `/images/${body.id}/file`,
      { some: 'bytes' },
      { headers: { 'content-type': 'application/octet-stream' } },
    );
    const little = await demo.request({ server: { imageRef: body.id, flavorRef: NANO } });
    expect([little.status, little.body.badRequest.message]).toEqual([
      400,
      "Flavor's memory is too small for requested image.",
    ]);
    const { body: flavor } = await cloud().admin.compute.post('/flavors', {
      flavor: { name: 'ram-no-disk', ram: 2048, vcpus: 1, disk: 1 },
    });
    const small = await demo.request({ server: { imageRef: body.id, flavorRef: flavor.flavor.id } });
    expect([small.status, small.body.badRequest.message]).toEqual([
      400,
      expect.stringContaining("Flavor's disk is smaller than the minimum size specified in image metadata."),
    ]);
    const id = await demo.boot({ server: { imageRef: body.id, flavorRef: '2' } });
    await demo.delete(id);
  });

  it('leaves nothing behind', async () => {
    await everythingIsGone(cloud(), [await cloud().demo.projectId()]);
    expect((await readBooks(cloud())).doubles).toEqual([]);
  });

  covers(cloud, ['POST /servers', 'GET /servers/{server_id}', 'DELETE /servers/{server_id}']);
});
