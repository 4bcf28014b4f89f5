import { startHostsWorld, uuid, type HostsWorld } from './hosts-world';

describe('services', () => {
  let world: HostsWorld;
  let call: HostsWorld['call'];
  beforeEach(async () => {
    world = await startHostsWorld();
    call = world.call;
  });
  afterEach(() => world.close());
  const idOf = async (host: string): Promise<string> => (await world.hosts.services({ host }))[0]!.id;

  it('are listed, filtered, with zone and state', async () => {
    const { body } = await call('GET', '/os-services', '2.53');
    expect(
      body.services.map((s: Record<string, unknown>) => [s['binary'], s['host'], s['zone'], s['state'], s['status']]),
    ).toEqual([
      ['nova-compute', 'h1', 'nova', 'up', 'enabled'],
      ['nova-compute', 'h2', 'nova', 'up', 'enabled'],
      ['nova-compute', 'h3', 'nova', 'up', 'enabled'],
      ['nova-conductor', 'control', 'internal', 'up', 'enabled'],
    ]);
    expect((await call('GET', '/os-services?host=h2')).body.services).toHaveLength(1);
    expect((await call('GET', '/os-services?binary=nova-conductor')).body.services).toHaveLength(1);
    expect((await call('GET', '/os-services?host=')).body.services).toHaveLength(4);
    expect((await call('GET', '/os-services?x=1', '2.74')).status).toBe(200);
    expect((await call('GET', '/os-services?x=1', '2.75')).status).toBe(400);
    expect((await call('GET', '/os-services', '2.1', undefined, 'demo')).status).toBe(403);
  });

  it('show forced_down from 2.11 on, and a uuid from 2.53 on', async () => {
    const one = async (version: string): Promise<Record<string, unknown>> =>
      (await call('GET', '/os-services?host=h1', version)).body.services[0];
    expect(await one('2.10')).not.toHaveProperty('forced_down');
    expect(await one('2.11')).toMatchObject({ forced_down: false, id: 1 });
    expect(await one('2.52')).toMatchObject({ id: 1 });
    expect(await one('2.53')).toMatchObject({ id: await idOf('h1') });
  });

  it('are changed by action, host and binary before 2.53', async () => {
    const put = (action: string, body: object, version = '2.11') =>
      call('PUT', `/os-services/${action}`, version, { host: 'h1', binary: 'nova-compute', ...body });
    expect((await put('disable', {})).body).toEqual({
      service: { host: 'h1', binary: 'nova-compute', status: 'disabled' },
    });
    expect((await put('disable-log-reason', { disabled_reason: 'fire' })).body.service).toMatchObject({
      disabled_reason: 'fire',
    });
    expect((await put('disable-log-reason', {})).status).toBe(400);
    expect((await call('GET', '/os-services?host=h1')).body.services[0]).toMatchObject({
      status: 'disabled',
      disabled_reason: 'fire',
    });
    expect((await put('enable', {})).body.service).toMatchObject({ status: 'enabled' });
    expect((await call('GET', '/os-services?host=h1')).body.services[0]).toMatchObject({
      status: 'enabled',
      disabled_reason: null,
    });
    expect((await put('force-down', { forced_down: 'true' })).body.service).toEqual({
      host: 'h1',
      binary: 'nova-compute',
      forced_down: true,
    });
    expect((await call('GET', '/os-services?host=h1', '2.11')).body.services[0]).toMatchObject({
      state: 'down',
      forced_down: true,
    });
    expect((await put('force-down', {})).status).toBe(400);
    expect((await put('force-down', { forced_down: true }, '2.10')).status).toBe(400);
    expect((await put('force-down', {}, '2.10')).status).toBe(404);
    expect((await put('explode', {})).status).toBe(404);
    expect((await put('constructor', {})).status).toBe(404);
    expect((await put('disable', { host: 'nowhere' })).status).toBe(404);
    expect((await put('disable', { binary: 'nova-conductor', host: 'control' })).status).toBe(400);
    expect(world.asked).toEqual(['enabled=false', 'enabled=true']);
  });

  it('are changed by uuid from 2.53 on', async () => {
    const id = await idOf('h2');
    const put = (body: object, at: string = id) => call('PUT', `/os-services/${at}`, '2.53', body);
    expect((await put({ status: 'disabled', disabled_reason: 'rain' })).body.service).toMatchObject({
      id,
      status: 'disabled',
      disabled_reason: 'rain',
      forced_down: false,
      zone: 'nova',
    });
    expect(world.asked).toEqual(['enabled=false rain']);
    expect((await put({ forced_down: true })).body.service).toMatchObject({
      forced_down: true,
      state: 'down',
      disabled_reason: 'rain',
    });
    expect((await put({ status: 'enabled', disabled_reason: 'x' })).status).toBe(400);
    expect((await put({ status: 'enabled', forced_down: false })).body.service).toMatchObject({
      status: 'enabled',
      state: 'up',
    });
    expect((await put({})).status).toBe(400);
    expect((await put({ status: 'enabled' })).status).toBe(400);
    expect((await put({ host: 'h2', binary: 'nova-compute' })).status).toBe(400);
    expect((await put({ status: 'disabled' }, 'disable')).status).toBe(400);
    expect((await put({ status: 'disabled' }, uuid(1))).status).toBe(404);
    expect((await put({ status: 'disabled' }, await idOf('control'))).status).toBe(400);
  });

  it('are deleted when nothing is left on the host', async () => {
    const id = await idOf('h1');
    await world.addServer(1, 'h1');
    expect((await call('DELETE', `/os-services/${id}`, '2.53')).status).toBe(409);
    expect(world.providers.has(uuid(1))).toBe(true);
    await world.db.transaction((tx) => tx.execute('DELETE FROM servers'));
    world.conflicts = 1;
    expect((await call('DELETE', `/os-services/${id}`, '2.53')).status).toBe(503);
    expect((await call('GET', '/os-services?host=h1')).body.services).toHaveLength(1);
    expect((await call('DELETE', `/os-services/${id}`, '2.53')).status).toBe(204);
    expect(world.providers.has(uuid(1))).toBe(false);
    expect((await call('GET', '/os-hypervisors')).body.hypervisors).toHaveLength(2);
    expect((await call('DELETE', `/os-services/${id}`, '2.53')).status).toBe(404);
    expect((await call('DELETE', '/os-services/2', '2.53')).status).toBe(400);
    expect((await call('DELETE', '/os-services/x', '2.52')).status).toBe(400);
    expect((await call('DELETE', '/os-services/2', '2.52')).status).toBe(204);
  });
});
