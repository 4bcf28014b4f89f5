import { Servers, useCloud } from '@fractus/testing';

/** Field of a server's view, the version that brought it, and the one that took it away. */
const FIELDS: [field: string, since: string, until?: string][] = [
  ['OS-EXT-SRV-ATTR:hostname', '2.3'],
  ['OS-EXT-SRV-ATTR:reservation_id', '2.3'],
  ['OS-EXT-SRV-ATTR:launch_index', '2.3'],
  ['OS-EXT-SRV-ATTR:root_device_name', '2.3'],
  ['OS-EXT-SRV-ATTR:user_data', '2.3'],
  ['locked', '2.9'],
  ['host_status', '2.16'],
  ['description', '2.19'],
  ['tags', '2.26'],
  ['trusted_image_certificates', '2.63'],
  ['server_groups', '2.71'],
  ['locked_reason', '2.73'],
  ['pinned_availability_zone', '2.96'],
  ['scheduler_hints', '2.100'],
];
const before = (version: string): string => `2.${Number(version.split('.')[1]) - 1}`;

describe('a server in every version', () => {
  const cloud = useCloud({ hosts: 1 });
  let admin: Servers;
  let id: string;
  beforeAll(async () => {
    admin = new Servers(cloud().admin);
    id = await admin.boot({ server: { networks: 'auto' } });
  });

  it.each(FIELDS)('%s comes with %s', async (field, since) => {
    expect([field in (await admin.show(id, before(since))), field in (await admin.show(id, since))]).toEqual([
      false,
      true,
    ]);
  });

  it('is as the contract says in all of them, alone and in lists', async () => {
    for (let minor = 1; minor <= 104; minor++) {
      const version = `2.${minor}`;
      // the client checks every answer against the contract
      for (const path of [`/servers/${id}`, '/servers/detail', '/servers'])
        expect([version, path, (await cloud().admin.compute.get(path, { version })).status]).toEqual([
          version,
          path,
          200,
        ]);
      expect(
        (await cloud().admin.compute.put(`/servers/${id}`, { server: { name: `at-${minor}` } }, { version })).status,
      ).toBe(200);
    }
  });

  it('shows its flavor as a link until 2.46, by its sizes from 2.47', async () => {
    expect(Object.keys((await admin.show(id, '2.46')).flavor).sort()).toEqual(['id', 'links']);
    expect(await admin.show(id, '2.47')).toMatchObject({
      flavor: { vcpus: 1, ram: 128, disk: 1, ephemeral: 0, swap: 0, original_name: 'm1.nano', extra_specs: {} },
    });
  });

  it('shows all of its image’s properties from 2.98', async () => {
    expect((await admin.show(id, '2.97')).image).not.toHaveProperty('properties');
    expect((await admin.show(id, '2.98')).image).toHaveProperty('properties');
  });

  it('shows the same after an update from 2.75', async () => {
    const put = async (version: string) =>
      (await cloud().admin.compute.put(`/servers/${id}`, { server: { name: 'same' } }, { version })).body.server;
    expect(await put('2.74')).not.toHaveProperty('OS-EXT-STS:vm_state');
    expect(Object.keys(await put('2.75')).sort()).toEqual(Object.keys(await admin.show(id, '2.75')).sort());
  });

  it('in the legacy endpoint is as in 2.1, and unknown members are dropped', async () => {
    const legacy = cloud().urls.compute + '/v2';
    const headers = {
      'x-auth-token': await cloud().admin.authenticate(),
      'content-type': 'application/json',
      'openstack-api-version': 'compute 2.104',
    };
    const shown = await fetch(`${legacy}/servers/${id}`, { headers });
    expect(shown.headers.get('openstack-api-version')).toBeNull();
    const { server } = (await shown.json()) as { server: object };
    const modern = await admin.show(id, '2.1');
    expect(Object.keys(server).sort()).toEqual(Object.keys(modern).sort());
    const body = JSON.stringify({ server: { name: 'old', colour: 'blue' } });
    expect((await fetch(`${legacy}/servers/${id}`, { method: 'PUT', headers, body })).status).toBe(200);
  });
});
