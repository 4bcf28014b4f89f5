import { startHostsWorld, uuid, type HostsWorld } from './hosts-world';

describe('aggregates and zones', () => {
  let world: HostsWorld;
  let call: HostsWorld['call'];
  beforeEach(async () => {
    world = await startHostsWorld();
    call = world.call;
  });
  afterEach(() => world.close());

  const create = async (name: string, zone?: string): Promise<number> => {
    const { status, body } = await call('POST', '/os-aggregates', '2.41', {
      aggregate: { name, ...(zone ? { availability_zone: zone } : {}) },
    });
    expect(status).toBe(200);
    return body.aggregate.id as number;
  };
  const act = (id: number, action: string, body: unknown) =>
    call('POST', `/os-aggregates/${id}/action`, '2.41', { [action]: body });

  it('shows the uuid from 2.41 on, and hosts and metadata except at create', async () => {
    const old = await call('POST', '/os-aggregates', '2.40', { aggregate: { name: ' a ', availability_zone: 'z' } });
    expect(old).toMatchObject({ status: 400 });
    const { body } = await call('POST', '/os-aggregates', '2.40', { aggregate: { name: 'a', availability_zone: 'z' } });
    expect(Object.keys(body.aggregate).sort()).toEqual([
      'availability_zone',
      'created_at',
      'deleted',
      'deleted_at',
      'id',
      'name',
      'updated_at',
    ]);
    const id = body.aggregate.id as number;
    expect((await call('GET', `/os-aggregates/${id}`, '2.40')).body.aggregate).not.toHaveProperty('uuid');
    expect((await call('GET', `/os-aggregates/${id}`, '2.41')).body.aggregate).toMatchObject({
      uuid: expect.any(String),
      hosts: [],
      metadata: { availability_zone: 'z' },
      availability_zone: 'z',
    });
    expect((await call('GET', '/os-aggregates')).body.aggregates).toHaveLength(1);
  });

  it('refuses a name that is taken, ids that are none, and unknown parameters from 2.102 on', async () => {
    const id = await create('a');
    expect((await call('POST', '/os-aggregates', '2.1', { aggregate: { name: 'a' } })).status).toBe(409);
    expect((await call('GET', '/os-aggregates/x')).status).toBe(400);
    expect((await call('GET', '/os-aggregates/999')).status).toBe(404);
    expect((await call('GET', `/os-aggregates/${id}?x=1`, '2.101')).status).toBe(200);
    expect((await call('GET', `/os-aggregates/${id}?x=1`, '2.102')).status).toBe(400);
    expect((await call('GET', '/os-aggregates', '2.1', undefined, 'demo')).status).toBe(403);
  });

  it('renames, and sets and removes metadata; an empty zone is refused', async () => {
    const id = await create('a');
    expect(
      (await call('PUT', `/os-aggregates/${id}`, '2.1', { aggregate: { name: 'b' } })).body.aggregate,
    ).toMatchObject({ name: 'b' });
    expect((await act(id, 'set_metadata', { metadata: { ssd: 'true', old: '1' } })).body.aggregate.metadata).toEqual({
      ssd: 'true',
      old: '1',
    });
    expect((await act(id, 'set_metadata', { metadata: { old: null } })).body.aggregate.metadata).toEqual({
      ssd: 'true',
    });
    expect((await call('PUT', `/os-aggregates/${id}`, '2.1', { aggregate: { availability_zone: null } })).status).toBe(
      400,
    );
    expect((await act(id, 'set_metadata', { metadata: { availability_zone: null } })).status).toBe(400);
  });

  it('takes hosts in and out, in placement too, whoever else writes there', async () => {
    const id = await create('a');
    const { uuid: aggregate } = (await call('GET', `/os-aggregates/${id}`, '2.41')).body.aggregate as { uuid: string };
    world.conflicts = 2;
    expect((await act(id, 'add_host', { host: 'h1' })).body.aggregate.hosts).toEqual(['h1']);
    expect(world.providers.get(uuid(1))?.aggregates).toEqual([uuid(777), aggregate]);
    expect((await act(id, 'add_host', { host: 'h1' })).status).toBe(409);
    expect((await act(id, 'add_host', { host: 'nowhere' })).status).toBe(404);
    expect((await act(999, 'add_host', { host: 'h1' })).status).toBe(404);
    expect((await call('DELETE', `/os-aggregates/${id}`)).status).toBe(400);
    expect((await act(id, 'remove_host', { host: 'h1' })).body.aggregate.hosts).toEqual([]);
    expect(world.providers.get(uuid(1))?.aggregates).toEqual([uuid(777)]);
    expect((await act(id, 'remove_host', { host: 'h1' })).status).toBe(404);
    expect((await call('DELETE', `/os-aggregates/${id}`)).status).toBe(200);
  });

  it('keeps a host in its aggregate when placement cannot be told that it leaves', async () => {
    const id = await create('a');
    await act(id, 'add_host', { host: 'h1' });
    world.conflicts = 100;
    expect((await act(id, 'remove_host', { host: 'h1' })).status).toBe(409);
    expect((await call('GET', `/os-aggregates/${id}`)).body.aggregate.hosts).toEqual(['h1']);
  });

  it('never moves a server from zone to zone', async () => {
    const east = await create('east', 'east');
    const west = await create('west', 'west');
    const plain = await create('plain');
    await world.addServer(1, 'h1');
    expect((await act(east, 'add_host', { host: 'h1' })).status).toBe(409);
    expect((await act(plain, 'add_host', { host: 'h1' })).status).toBe(200);
    expect((await act(plain, 'set_metadata', { metadata: { availability_zone: 'east' } })).status).toBe(400);
    expect((await act(east, 'add_host', { host: 'h2' })).status).toBe(200);
    expect((await act(west, 'add_host', { host: 'h2' })).status).toBe(409);
    expect(
      (await call('PUT', `/os-aggregates/${east}`, '2.1', { aggregate: { availability_zone: 'north' } })).status,
    ).toBe(200);
    await world.addServer(2, 'h2');
    expect(
      (await call('PUT', `/os-aggregates/${east}`, '2.1', { aggregate: { availability_zone: 'south' } })).status,
    ).toBe(400);
    expect((await act(east, 'remove_host', { host: 'h2' })).status).toBe(409);
  });

  it('says honestly that images cannot be cached ahead, from 2.81 on', async () => {
    const id = await create('a');
    const body = { cache: [{ id: uuid(1) }] };
    expect((await call('POST', `/os-aggregates/${id}/images`, '2.80', body)).status).toBe(404);
    expect((await call('POST', `/os-aggregates/${id}/images`, '2.81', body)).status).toBe(400);
    expect(
      (await call('POST', `/os-aggregates/${id}/images`, '2.81', { cache: [{ id: uuid(1) }, { id: uuid(1) }] })).status,
    ).toBe(400);
  });

  it('shows zones to everyone, their hosts to operators', async () => {
    const east = await create('east', 'east');
    await act(east, 'add_host', { host: 'h3' });
    const [service] = await world.hosts.services({ host: 'h3' });
    const zone = (zoneName: string, available: boolean, hosts: unknown = null) => ({
      zoneName,
      zoneState: { available },
      hosts,
    });
    expect((await call('GET', '/os-availability-zone', '2.1', undefined, 'demo')).body).toEqual({
      availabilityZoneInfo: [zone('east', true), zone('nova', true)],
    });
    expect((await call('GET', '/os-availability-zone/detail', '2.1', undefined, 'demo')).status).toBe(403);
    const alive = { available: true, active: true, updated_at: expect.any(String) };
    expect((await call('GET', '/os-availability-zone/detail')).body).toEqual({
      availabilityZoneInfo: [
        zone('east', true, { h3: { 'nova-compute': alive } }),
        zone('internal', true, { control: { 'nova-conductor': alive } }),
        zone('nova', true, { h1: { 'nova-compute': alive }, h2: { 'nova-compute': alive } }),
      ],
    });
    await world.hosts.updateService(service!.id, { disabled: true }, Date.now());
    expect((await call('GET', '/os-availability-zone')).body.availabilityZoneInfo).toEqual([
      zone('nova', true),
      zone('east', false),
    ]);
  });
});
