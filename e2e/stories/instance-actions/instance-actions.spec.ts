import { covers, Servers, useCloud } from '@fractus/testing';

describe('instance actions', () => {
  const cloud = useCloud({ hosts: 1 });
  let id: string;
  const get = (rest = '', version = '2.104', who = cloud().demo) =>
    who.compute.get(`/servers/${id}/os-instance-actions${rest}`, { version });

  it('tell what was done to a server, newest first, by whom and with which request', async () => {
    const demo = new Servers(cloud().demo);
    const { body, headers } = await demo.request();
    id = body.server.id;
    await demo.becomes(id, 'ACTIVE');
    await demo.perform(id, { 'os-stop': null }, 'SHUTOFF');
    await new Servers(cloud().admin).perform(id, { 'os-start': null }, 'ACTIVE');
    const actions = (await get()).body.instanceActions;
    expect(actions.map((a: { action: string }) => a.action)).toEqual(['start', 'stop', 'create']);
    expect(actions[2].request_id).toBe(headers.get('x-openstack-request-id'));
    expect(actions[0].user_id).toBe(await cloud().admin.userId());
    expect(actions[2].user_id).toBe(await cloud().demo.userId());
  });

  it('have events with their results; hosts and traces are for administrators', async () => {
    const [, , create] = (await get()).body.instanceActions;
    const mine = (await get(`/${create.request_id}`)).body.instanceAction;
    expect(mine.events.length).toBeGreaterThan(0);
    for (const event of mine.events) {
      expect(event).toMatchObject({ result: 'Success', finish_time: expect.any(String) });
      expect(event).not.toHaveProperty('host');
      expect(event).not.toHaveProperty('traceback');
    }
    const all = (await get(`/${create.request_id}`, '2.104', cloud().admin)).body.instanceAction;
    expect(all.events.some((e: { host?: string }) => e.host === 'host-1')).toBe(true);
    expect((await get(`/${create.request_id}`, '2.50')).body.instanceAction).not.toHaveProperty('events');
    expect((await get('/req-none')).status).toBe(404);
  });

  it('are paged and filtered by time from 2.58 on', async () => {
    const first = (await get('?limit=1', '2.58')).body;
    expect(first.instanceActions).toHaveLength(1);
    const next = await get(new URL(first.links[0].href).search, '2.58');
    expect(next.body.instanceActions[0].action).toBe('stop');
    expect(
      (await get(`?changes-since=${new Date(Date.now() + 60_000).toISOString()}`, '2.58')).body.instanceActions,
    ).toEqual([]);
    expect((await get('?limit=x', '2.58')).status).toBe(400);
  });

  it('are shown of a deleted server too, from 2.21 on', async () => {
    await new Servers(cloud().demo).delete(id);
    expect((await get('', '2.20')).status).toBe(404);
    expect((await get('', '2.21')).body.instanceActions.map((a: { action: string }) => a.action)).toEqual([
      'delete',
      'start',
      'stop',
      'create',
    ]);
  });

  covers(cloud, ['GET /servers/{server_id}/os-instance-actions', 'GET /servers/{server_id}/os-instance-actions/{id}']);
});
