import { AggregatesRepository } from '@fractus/compute-db';
import { GROUP, IMAGE, NETWORK, PORT, ServersWorld } from './servers-world';

describe('a server that is asked for', () => {
  let world: ServersWorld;
  beforeEach(async () => void (world = await ServersWorld.start()));
  afterEach(async () => {
    expect(world.api.schemaFaults).toEqual([]);
    await world.close();
  });

  const refusal = async (...ask: Parameters<ServersWorld['create']>): Promise<[number, string]> => {
    const { status, body } = await world.create(...ask);
    return [status, (Object.values(body)[0] as { message: string }).message];
  };

  it('is described by its name before 2.19, by what is said from then on', async () => {
    const description = async (ask: object): Promise<unknown> =>
      (await world.show(await world.made({ networks: [] }, ask))).body.server.description;
    expect(await description({ version: '2.18' })).toBe('one');
    expect(await description({ version: '2.19' })).toBeNull();
  });

  it('shows addresses as everybody writes them', async () => {
    const id = await world.made({ accessIPv4: '10.0.0.1', accessIPv6: '2001:0DB8:0:0::0001' });
    expect((await world.show(id)).body.server).toMatchObject({ accessIPv4: '10.0.0.1', accessIPv6: '2001:db8::1' });
    const path = `/v2.1/servers/${id}`;
    const changed = await world.api.put(path, { server: { accessIPv6: '::BABE:220.12.22.2' } }, { as: 'joe:p1' });
    expect(changed.body.server.accessIPv6).toBe('::babe:dc0c:1602');
  });

  it('has a host name made from its name', async () => {
    const hosts = async (server: object): Promise<string[]> => {
      const ask = { as: 'admin:p1', version: '2.104' };
      const { body } = await world.create({ return_reservation_id: true, ...server });
      const all = await world.api.get(`/v2.1/servers/detail?reservation_id=${body.reservation_id}`, ask);
      return all.body.servers.map((s: Record<string, string>) => s['OS-EXT-SRV-ATTR:hostname']).sort();
    };
    expect(await hosts({ name: 'My web_server.example.org' })).toEqual(['my-web-server-example-org']);
    expect(await hosts({ name: '漢字' })).toEqual([expect.stringMatching(/^Server-/)]);
    const long = 'a'.repeat(80);
    expect(await hosts({ name: long })).toEqual(['a'.repeat(63)]);
    expect(await hosts({ name: long, min_count: 2 })).toEqual([`${'a'.repeat(61)}-1`, `${'a'.repeat(61)}-2`]);
  });

  it('takes scheduler hints by either name, and the newer one where both are given', async () => {
    const hints = async (beside: object): Promise<unknown> => {
      const { body } = await world.create({}, { beside });
      return (await world.show(body.server.id, { version: '2.100' })).body.server.scheduler_hints;
    };
    expect(await hints({ 'OS-SCH-HNT:scheduler_hints': { a: 'old' } })).toEqual({ a: ['old'] });
    expect(await hints({ 'OS-SCH-HNT:scheduler_hints': { a: 'old' }, 'os:scheduler_hints': { a: 'new' } })).toEqual({
      a: ['new'],
    });
  });

  it('needs an image, and says what is missing', async () => {
    expect(await refusal({ imageRef: undefined })).toEqual([400, 'Missing imageRef attribute']);
    expect(await refusal({ imageRef: '' })).toEqual([400, 'Missing imageRef attribute']);
    const unknown = '99999999-9999-4999-8999-999999999999';
    expect(await refusal({ imageRef: unknown })).toEqual([400, 'Can not find requested image']);
  });

  it('may name the disk of its image once more, and map no other image to a local disk', async () => {
    const disk = { source_type: 'image', destination_type: 'local', uuid: IMAGE, boot_index: 0 };
    const boot = (imageRef: string | undefined, device: object) =>
      refusal({ imageRef, block_device_mapping_v2: [{ ...disk, ...device }] });
    expect((await world.create({ block_device_mapping_v2: [disk] })).status).toBe(202);
    const refused = [400, 'Block Device Mapping is Invalid: Mapping image to local is not supported.'];
    expect(await boot(undefined, {})).toEqual(refused);
    expect(await boot(IMAGE, { boot_index: 1 })).toEqual(refused);
  });

  it('cannot have a flavor that is switched off', async () => {
    expect(await refusal({ flavorRef: 'off' })).toEqual([400, 'Flavor off could not be found.']);
    expect((await refusal({ flavorRef: 'off' }, { as: 'admin:admin' }))[0]).toBe(400);
  });

  it('is told what is wrong with its networks', async () => {
    const twice = [{ port: PORT }, { port: PORT }];
    expect(await refusal({ networks: twice })).toEqual([
      400,
      `Port ID '${PORT}' was specified twice: you cannot attach a port multiple times.`,
    ]);
    expect((await refusal({ networks: [{ port: PORT, fixed_ip: '10.0.0.4' }] }))[1]).toContain(
      'the two cannot be specified together',
    );
    for (const uuid of ['br-22222222-2222-4222-8222-222222222222', 'nonsense'])
      expect(await refusal({ networks: [{ uuid }] }, { version: '2.36' })).toEqual([
        400,
        `Bad networks format: network uuid is not in proper format (${uuid})`,
      ]);
    world.neighbours.ports = [{ deviceId: 'other', fixedIps: [{ ipAddress: '10.0.0.4', subnetId: 's1' }] }];
    expect(await refusal({ networks: [{ uuid: NETWORK, fixed_ip: '10.0.0.4' }] })).toEqual([
      400,
      'Fixed IP address 10.0.0.4 is already in use on instance other.',
    ]);
    expect((await world.create({ networks: [{ uuid: NETWORK, fixed_ip: '10.0.0.5' }] })).status).toBe(202);
  });

  it('is one of as many as the project’s ports allow', async () => {
    world.neighbours.portQuota = 3;
    world.neighbours.ports = [{}];
    const networks = [{ uuid: NETWORK }];
    expect(await refusal({ networks, min_count: 3 })).toEqual([403, 'Maximum number of ports exceeded']);
    await world.made({ networks, min_count: 1, max_count: 5 });
    expect(await world.names('')).toEqual(['one-1', 'one-2']);
  });

  it('answers with the security groups as they were asked for, and keeps them by name', async () => {
    const groups = async (server: object): Promise<unknown> =>
      (await world.create({ ...server })).body.server.security_groups;
    expect(await groups({})).toEqual([{ name: 'default' }]);
    expect(await groups({ security_groups: [{ name: GROUP }] })).toEqual([{ name: GROUP }]);
    expect(await refusal({ security_groups: [{ name: 'nope' }] })).toEqual([
      400,
      "Unable to find security_group with name or id 'nope'",
    ]);
    const id = await world.made({ security_groups: [{ name: GROUP }, { name: 'default' }] });
    const shown = async (): Promise<unknown> => (await world.show(id)).body.server.security_groups;
    expect(await shown()).toBeUndefined(); // no port, no group
    const nic = { portId: PORT, networkId: NETWORK, macAddress: 'fa:16:3e:00:00:01', fixedIps: [] };
    await world.put(id, { nics: JSON.stringify([nic]) });
    expect(await shown()).toEqual([{ name: 'web' }, { name: 'default' }]);
  });

  it('has its disk partitioned as asked for, else as the image says', async () => {
    const how = async (server: object): Promise<unknown> =>
      (await world.create({ ...server })).body.server['OS-DCF:diskConfig'];
    expect(await how({})).toBe('MANUAL');
    expect(await how({ 'OS-DCF:diskConfig': 'AUTO' })).toBe('AUTO');
    world.neighbours.imageProperties = { auto_disk_config: 'True' };
    expect(await how({})).toBe('AUTO');
    expect(await how({ 'OS-DCF:diskConfig': 'MANUAL' })).toBe('MANUAL');
    world.neighbours.imageProperties = { auto_disk_config: 'Disabled' };
    expect(await refusal({ 'OS-DCF:diskConfig': 'AUTO' })).toEqual([
      400,
      `Requested image ${IMAGE} has automatic disk resize disabled.`,
    ]);
    expect(await how({})).toBe('MANUAL');
  });

  it('does not boot an image whose wish for a config drive makes no sense', async () => {
    world.neighbours.imageProperties = { img_config_drive: 'sometimes' };
    expect(await refusal({})).toEqual([400, "Image's config drive option 'sometimes' is invalid"]);
  });

  it('goes to a forced host, whatever zone was named with it', async () => {
    const hosts = await world.addHosts(2);
    const aggregates = new AggregatesRepository(world.api.database);
    const { id } = await aggregates.create({ uuid: PORT, name: 'east', metadata: { availability_zone: 'east' } }, 1);
    await aggregates.addHost(id, 'h1', 1);
    expect((await hosts.nodeOf('h1'))?.node).toBe('node-1.example');
    const pinned = async (availability_zone: string): Promise<unknown> => {
      const made = await world.made({ availability_zone }, { as: 'admin:admin' });
      return (await world.show(made, { as: 'admin:admin' })).body.server.pinned_availability_zone;
    };
    expect(await pinned('east:h1')).toBe('east');
    expect(await pinned('west:h1')).toBeNull();
    expect(await pinned('nova:h1')).toBeNull();
    expect(await pinned('nova:h2')).toBe('nova');
    expect(await pinned('east::node-1.example')).toBe('east');
    expect((await refusal({ availability_zone: 'west' }))[1]).toBe('The requested availability zone is not available');
    expect((await refusal({ availability_zone: 'east:h1' }))[0]).toBe(403);
    const both = await refusal({ availability_zone: 'nova:h2', host: 'h2' }, { as: 'admin:admin', version: '2.74' });
    expect([both[0], both[1].includes('mutually exclusive')]).toEqual([400, true]);
  });
});
