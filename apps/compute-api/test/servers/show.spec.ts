import { NETWORK, PORT, ServersWorld } from './servers-world';

describe('a server that is shown', () => {
  let world: ServersWorld;
  beforeEach(async () => void (world = await ServersWorld.start()));
  afterEach(async () => {
    expect(world.api.schemaFaults).toEqual([]);
    await world.close();
  });

  const admin = { as: 'admin:p1' };
  const server = async (id: string, ask: object = {}) => (await world.show(id, ask)).body.server;

  it('hides its addresses until it is there', async () => {
    const id = await world.made();
    const fixedIps = [{ ipAddress: '10.0.0.9', subnetId: 's1' }];
    const nic = { portId: PORT, networkId: NETWORK, networkName: 'private', macAddress: 'fa:16:3e:00:00:01', fixedIps };
    await world.put(id, { nics: JSON.stringify([nic]) });
    expect((await server(id)).addresses).toEqual({});
    await world.put(id, { vm_state: 'active', task_state: null });
    expect((await server(id)).addresses.private).toMatchObject([{ addr: '10.0.0.9' }]);
  });

  it('tells administrators how its host is', async () => {
    const hosts = await world.addHosts(1);
    const id = await world.made();
    const status = async (): Promise<unknown> => (await server(id, admin)).host_status;
    expect(await status()).toBe('');
    await world.put(id, { host: 'h1', node: 'node-1.example' });
    expect(await status()).toBe('UP');
    const service = (await hosts.computeService('h1'))!;
    await world.api.database.transaction((tx) => tx.execute('UPDATE services SET last_seen_at = 1', []));
    expect(await status()).toBe('UNKNOWN');
    await hosts.updateService(service.id, { disabled: true, disabledReason: null }, Date.now());
    expect(await status()).toBe('MAINTENANCE');
    await hosts.updateService(service.id, { forcedDown: true }, Date.now());
    expect(await status()).toBe('DOWN');
    await world.put(id, { host: 'h9' });
    expect(await status()).toBe('');
  });

  describe('and locked', () => {
    const lock = { lock: { locked_reason: 'mine' } };
    const v = { version: '2.73' };

    it('is its project’s, whoever of it locked it', async () => {
      const id = await world.made();
      expect((await world.act(id, lock, { ...v, as: 'member-two:p1' })).status).toBe(202);
      expect(await server(id)).toMatchObject({ locked: true, locked_reason: 'mine' });
      expect((await world.act(id, { unlock: null })).status).toBe(202);
      expect(await server(id)).toMatchObject({ locked: false, locked_reason: null });
    });

    it('by an administrator of another project stays theirs', async () => {
      const id = await world.made();
      expect((await world.act(id, { lock: { locked_reason: 'kept' } }, { ...v, as: 'admin:ops' })).status).toBe(202);
      expect((await world.act(id, lock, v)).status).toBe(202); // and changes nothing
      expect(await server(id)).toMatchObject({ locked: true, locked_reason: 'kept' });
      expect((await world.act(id, { unlock: null })).status).toBe(403);
      expect((await world.act(id, { lock: null }, { ...v, as: 'admin:ops' })).status).toBe(202);
      expect((await server(id)).locked_reason).toBe('kept');
      expect((await world.act(id, { unlock: null }, { as: 'admin:ops' })).status).toBe(202);
    });
  });

  it('shows what its image says to Compute, from 2.98 on', async () => {
    world.neighbours.imageProperties = { hw_disk_bus: 'scsi', architecture: 'x86_64', owner_note: 'mine' };
    const id = await world.made();
    expect((await server(id, { version: '2.97' })).image).not.toHaveProperty('properties');
    expect((await server(id, { version: '2.98' })).image.properties).toEqual({
      hw_disk_bus: 'scsi',
      architecture: 'x86_64',
    });
  });

  it('may be pinned again to the zone it is pinned to', async () => {
    await world.addHosts(1);
    const id = await world.made({ availability_zone: 'nova' });
    const pin = async (pinned_availability_zone: string | null) =>
      world.api.put(`/v2.1/servers/${id}`, { server: { pinned_availability_zone } }, { version: '2.104', ...admin });
    expect((await pin('nova')).body.server.pinned_availability_zone).toBe('nova');
    expect((await pin('west')).status).toBe(409);
    expect((await pin(null)).body.server.pinned_availability_zone).toBeNull();
  });
});
