import { eventually, everythingIsGone, readBooks, Servers, useCloud } from '@fractus/testing';

describe('a build that fails', () => {
  const cloud = useCloud({ hosts: 4 });
  let demo: Servers;
  let admin: Servers;
  beforeAll(() => {
    demo = new Servers(cloud().demo);
    admin = new Servers(cloud().admin);
  });
  afterEach(async () => everythingIsGone(cloud(), [await cloud().demo.projectId()]));
  const hostsOf = async (id: string): Promise<string[]> => {
    const { body } = await cloud().admin.compute.get(`/servers/${id}/os-instance-actions`, { version: '2.104' });
    const request = body.instanceActions.find((a: { action: string }) => a.action === 'create').request_id;
    const shown = await cloud().admin.compute.get(`/servers/${id}/os-instance-actions/${request}`, {
      version: '2.104',
    });
    return shown.body.instanceAction.events.map((e: { host?: string }) => e.host).filter(Boolean);
  };

  it('on one host goes to another', async () => {
    const id = await demo.boot({ server: { metadata: { 'sim:fail_spawn': '1' }, networks: 'auto' } });
    const server = await admin.show(id);
    expect(server.status).toBe('ACTIVE');
    expect(new Set(await hostsOf(id)).size).toBeGreaterThanOrEqual(2);
    const { guests, consumers, ports } = await readBooks(cloud());
    expect([guests, consumers]).toEqual([[id], [id]]);
    expect(ports).toHaveLength(1);
    const port = (await cloud().admin.network.get(`/ports/${ports[0]}`)).body.port;
    expect(port['binding:host_id']).toBe(server['OS-EXT-SRV-ATTR:host']);
    await demo.delete(id);
  });

  it('on every host ends in ERROR, and tells every host’s story to the operator', async () => {
    const id = await demo.create({ server: { metadata: { 'sim:fail_spawn': 'always' }, networks: 'auto' } });
    const seen = await demo.becomes(id, 'ERROR');
    expect(seen.fault).toMatchObject({
      code: 500,
      message: expect.stringMatching(/^Exceeded maximum number of retries\. The build failed on 3 hosts;/),
    });
    expect(seen.fault).not.toHaveProperty('details');
    const { fault } = await admin.show(id);
    expect(fault.details.match(/host-\d+: /g)).toHaveLength(3);
    expect(new Set(fault.details.match(/host-\d+/g)).size).toBe(3);
    await eventually('the undo is done', async () => {
      const { consumers, ports, guests } = await readBooks(cloud());
      return consumers.length + ports.length + guests.length === 0
        ? true
        : JSON.stringify({ consumers, ports, guests });
    });
    expect(await demo.show(id)).toMatchObject({ addresses: {}, hostId: '', 'OS-EXT-STS:vm_state': 'error' });
    for (const body of [{ 'os-start': null }, { 'os-stop': null }, { reboot: { type: 'SOFT' } }, { pause: null }])
      expect((await demo.act(id, body)).status).toBe(409);
    await demo.delete(id);
  });

  it('for a reason that no other host mends is not tried elsewhere', async () => {
    const id = await demo.create({
      server: { metadata: { 'sim:fail_spawn': 'always', 'sim:fail_spawn_final': 'true' } },
    });
    const { fault } = await demo.becomes(id, 'ERROR');
    expect(fault.message).toMatch(new RegExp(`^Build of instance ${id} aborted: `));
    expect((await admin.show(id)).fault.details.match(/host-\d+: /g)).toHaveLength(1);
    await demo.delete(id);
  });

  it('because nothing holds it says that no valid host was found, and which one thing stood in the way', async () => {
    const { body } = await cloud().admin.compute.post('/flavors', {
      flavor: { name: 'huge', ram: 900_000, vcpus: 1, disk: 1 },
    });
    const { quota_set: set } = (
      await cloud().admin.compute.put(`/os-quota-sets/${await cloud().demo.projectId()}`, { quota_set: { ram: -1 } })
    ).body;
    expect(set.ram).toBe(-1);
    const id = await demo.create({ server: { flavorRef: body.flavor.id } });
    const { fault } = await demo.becomes(id, 'ERROR');
    expect(fault.message).toMatch(/^No valid host was found\. ./);
    expect(fault.message).toMatch(/MEMORY_MB|memory/i);
    expect((await readBooks(cloud())).consumers).toEqual([]);
    await demo.delete(id);
    await cloud().admin.compute.delete(`/flavors/${body.flavor.id}`);
  });

  it('stays an ERROR that only delete mends, also where a guest never was', async () => {
    const id = await demo.create({ server: { metadata: { 'sim:fail_spawn': 'always' } } });
    await demo.becomes(id, 'ERROR');
    const { status, body } = await demo.act(id, { reboot: { type: 'HARD' } });
    expect([status, body.conflictingRequest.message]).toEqual([
      409,
      `Instance ${id} is in an invalid state for 'reboot'`,
    ]);
    await demo.delete(id);
  });
});
