import { Servers, useCloud, type CloudUser } from '@fractus/testing';

describe('servers of others', () => {
  const cloud = useCloud({ hosts: 1 });
  let id: string;
  let stranger: CloudUser;
  let reader: CloudUser;
  beforeAll(async () => {
    id = await new Servers(cloud().demo).boot();
    stranger = await cloud().newUser({ name: 'stranger' });
    reader = await cloud().newUser({ name: 'reader', project: 'demo', role: 'reader' });
  });

  const CALLS: [method: string, path: string, body: unknown][] = [
    ['GET', '/servers/{id}', null],
    ['PUT', '/servers/{id}', { server: { name: 'mine' } }],
    ['DELETE', '/servers/{id}', null],
    ['GET', '/servers/{id}/os-instance-actions', null],
    ['GET', '/servers/{id}/os-instance-actions/req-11111111-2222-3333-4444-555555555555', null],
    ...['os-stop', 'os-start', 'pause', 'unpause', 'suspend', 'resume', 'lock', 'unlock'].map(
      (a): [string, string, unknown] => ['POST', '/servers/{id}/action', { [a]: null }],
    ),
    ['POST', '/servers/{id}/action', { reboot: { type: 'SOFT' } }],
  ];
  it.each(CALLS)('%s %s %j does not find them', async (method, path, body) => {
    const answer = await stranger.compute.call(method, path.replace('{id}', id), body ?? undefined, {
      version: '2.104',
    });
    expect([answer.status, answer.body.itemNotFound.message]).toEqual([404, `Instance ${id} could not be found.`]);
  });

  it('are in no list, under no filter', async () => {
    for (const query of [
      '',
      '?name=.',
      `?uuid=${id}`,
      '?tenant_id=' + (await cloud().demo.projectId()),
      `?changes-since=2020-01-01T00:00:00Z`,
    ])
      expect([query, (await stranger.compute.get(`/servers/detail${query}`)).body.servers]).toEqual([query, []]);
  });

  it('may be read but not changed by one who only reads', async () => {
    const calls = [
      () => reader.compute.delete(`/servers/${id}`),
      () => reader.compute.put(`/servers/${id}`, { server: { name: 'x' } }),
      () => reader.compute.post(`/servers/${id}/action`, { pause: null }),
    ];
    expect((await reader.compute.get(`/servers/${id}`)).status).toBe(200);
    for (const call of calls) {
      const { status, body } = await call();
      expect([status, body.forbidden.message]).toEqual([
        403,
        expect.stringMatching(/^Policy doesn't allow os_compute_api:\S+ to be performed\.$/),
      ]);
    }
    expect((await new Servers(reader).request()).status).toBe(403);
  });

  it('show an administrator what their owner does not see', async () => {
    const mine = (await cloud().demo.compute.get(`/servers/${id}`, { version: '2.3' })).body.server;
    const all = (await cloud().admin.compute.get(`/servers/${id}`, { version: '2.3' })).body.server;
    const hidden = ['OS-EXT-SRV-ATTR:host', 'OS-EXT-SRV-ATTR:hypervisor_hostname', 'OS-EXT-SRV-ATTR:instance_name'];
    for (const field of hidden) expect([field in mine, field in all]).toEqual([false, true]);
    expect(mine.hostId).toBe(all.hostId);
  });

  it('cannot be reached through another project’s path', async () => {
    const project = await cloud().demo.projectId();
    const { status, body } = await stranger.compute.get(`/${project}/servers/${id}`);
    expect([status, body.badRequest.message]).toEqual([
      400,
      expect.stringContaining("doesn't match Context's project_id"),
    ]);
  });
});
