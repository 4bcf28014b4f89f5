import { covers, eventually, Servers, useCloud } from '@fractus/testing';

interface Service {
  id: string | number;
  binary: string;
  host: string;
  status: string;
  state: string;
  disabled_reason: string | null;
}

describe('services', () => {
  const cloud = useCloud({ hosts: 2 });
  const services = async (query = '', version = '2.53'): Promise<Service[]> =>
    (await cloud().admin.compute.get(`/os-services${query}`, { version })).body.services;
  const computeOn = async (host: string) => (await services(`?host=${host}&binary=nova-compute`))[0]!;
  const put = async (host: string, body: object) =>
    cloud().admin.compute.put(`/os-services/${(await computeOn(host)).id}`, body, { version: '2.53' });
  const hostOf = async (id: string): Promise<string> =>
    (await new Servers(cloud().admin).show(id))['OS-EXT-SRV-ATTR:host'];

  it('are listed by host and binary, and are up', async () => {
    const compute = (await services('?binary=nova-compute')).map((s) => [s.host, s.status, s.state]);
    expect(compute.sort()).toEqual([
      ['host-1', 'enabled', 'up'],
      ['host-2', 'enabled', 'up'],
    ]);
    for (const binary of ['nova-conductor', 'nova-scheduler']) {
      const found = await services(`?binary=${binary}`);
      expect(found.length).toBeGreaterThan(0);
      for (const service of found) expect(service).toMatchObject({ zone: 'internal', status: 'enabled', state: 'up' });
    }
    expect((await cloud().demo.compute.get('/os-services')).status).toBe(403);
  });

  it('that are disabled get no servers, and do again when enabled', async () => {
    const demo = new Servers(cloud().demo);
    const disabled = await put('host-1', { status: 'disabled', disabled_reason: 'new disks' });
    expect(disabled.body.service).toMatchObject({ status: 'disabled', disabled_reason: 'new disks' });
    const ids = [];
    for (let i = 0; i < 4; i++) ids.push(await demo.boot());
    for (const id of ids) expect(await hostOf(id)).toBe('host-2');
    await put('host-2', { status: 'disabled' });
    const nowhere = await demo.create();
    expect((await demo.becomes(nowhere, 'ERROR')).fault.message).toMatch(/^No valid host was found\. .*disabled/s);
    for (const host of ['host-1', 'host-2']) await put(host, { status: 'enabled' });
    ids.push(await demo.boot());
    expect((await computeOn('host-1')).disabled_reason).toBeNull();
    await demo.delete(...ids, nowhere);
  });

  it('that are forced down count as down', async () => {
    expect((await put('host-1', { forced_down: true })).body.service).toMatchObject({
      state: 'down',
      forced_down: true,
    });
    const demo = new Servers(cloud().demo);
    const id = await demo.boot();
    expect(await hostOf(id)).toBe('host-2');
    await demo.delete(id);
    expect((await put('host-1', { forced_down: false })).body.service).toMatchObject({
      state: 'up',
      forced_down: false,
    });
  });

  it('were changed by host and binary before 2.53', async () => {
    const act = (action: string, body: object, version = '2.11') =>
      cloud().admin.compute.put(
        `/os-services/${action}`,
        { host: 'host-1', binary: 'nova-compute', ...body },
        { version },
      );
    expect((await act('disable-log-reason', { disabled_reason: 'x' })).body.service).toMatchObject({
      status: 'disabled',
      disabled_reason: 'x',
    });
    expect((await act('enable', {})).body.service).toMatchObject({ status: 'enabled' });
    expect((await act('force-down', {}, '2.10')).status).toBe(404);
    expect((await act('force-down', { forced_down: false }, '2.11')).status).toBe(200);
  });

  it('of a host with servers cannot be deleted', async () => {
    const demo = new Servers(cloud().demo);
    const id = await demo.boot();
    const { id: service } = await computeOn(await hostOf(id));
    expect((await cloud().admin.compute.delete(`/os-services/${service}`, { version: '2.53' })).status).toBe(409);
    await demo.delete(id);
  });

  it('that are deleted take their host out of the cloud', async () => {
    const { id } = await computeOn('host-1');
    expect((await cloud().admin.compute.delete(`/os-services/${id}`, { version: '2.53' })).status).toBe(204);
    await eventually('the host is gone', async () => {
      const { body } = await cloud().admin.compute.get('/os-hypervisors', { version: '2.53' });
      return body.hypervisors.length === 1 ? true : `${body.hypervisors.length} hypervisors`;
    });
    const demo = new Servers(cloud().demo);
    const server = await demo.boot();
    expect(await hostOf(server)).toBe('host-2');
    await demo.delete(server);
  });

  covers(cloud, ['GET /os-services', 'PUT /os-services/{id}', 'DELETE /os-services/{id}']);
});
