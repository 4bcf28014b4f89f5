import { InstanceActionsRepository } from '@fractus/compute-db';
import type { RequestContext } from '@fractus/objects';
import { startHostsWorld, uuid, type HostsWorld } from './hosts-world';

const server = uuid(5001);
const AT = Date.UTC(2026, 0, 1);

describe('instance actions', () => {
  let world: HostsWorld;
  let call: HostsWorld['call'];
  const requests = [1, 2, 3].map((n) => `req-${uuid(n)}`);
  beforeEach(async () => {
    world = await startHostsWorld();
    call = world.call;
    await world.addServer(1, 'h1');
    const actions = new InstanceActionsRepository(world.db);
    for (const [i, requestId] of requests.entries()) {
      const ctx: RequestContext = { requestId, userId: 'u1', projectId: 'p1', roles: [] };
      await world.db.transaction(async (tx) => {
        const action = await actions.start(tx, ctx, server, ['create', 'stop', 'start'][i]!, AT + i * 1000);
        await actions.startEvent(tx, action, 'compute_do', 'h1', AT + i * 1000);
        await actions.finishEvent(
          tx,
          action,
          'compute_do',
          { result: i === 1 ? 'Error' : 'Success', details: 'why' },
          AT + i * 1000,
        );
        await actions.finish(tx, action, i === 1 ? 'failed' : 'done', AT + i * 1000);
      });
    }
  });
  afterEach(() => world.close());

  const list = (query = '', version = '2.66', token = 'u1:p1') =>
    call('GET', `/servers/${server}/os-instance-actions${query}`, version, undefined, token);
  const show = (version: string, token = 'u1:p1', request = requests[1]!) =>
    call('GET', `/servers/${server}/os-instance-actions/${request}`, version, undefined, token);
  const names = ({ body }: { body: { instanceActions: { action: string }[] } }): string[] =>
    body.instanceActions.map((a) => a.action);

  it('are listed, the newest first, and say from 2.58 on when they changed', async () => {
    const old = await list('', '2.57');
    expect(names(old)).toEqual(['start', 'stop', 'create']);
    expect(old.body.instanceActions[1]).toEqual({
      action: 'stop',
      instance_uuid: server,
      request_id: requests[1],
      user_id: 'u1',
      project_id: 'p1',
      start_time: '2026-01-01T00:00:01.000000',
      message: 'Error',
    });
    expect((await list('', '2.58')).body.instanceActions[1]).toMatchObject({
      updated_at: '2026-01-01T00:00:01.000000',
    });
  });

  it('are listed by pages and by time', async () => {
    expect(names(await list('?limit=1', '2.57'))).toHaveLength(3);
    const first = await list('?limit=2', '2.58');
    expect(first.body.links[0].href).toContain(`/servers/${server}/os-instance-actions?limit=2&marker=${requests[1]}`);
    expect(names(await list(`?limit=2&marker=${requests[1]}`))).toEqual(['create']);
    expect((await list('?marker=nope')).status).toBe(400);
    expect(names(await list('?changes-since=2026-01-01T00:00:01Z', '2.58'))).toEqual(['start', 'stop']);
    expect((await list('?changes-before=2026-01-01T00:00:01Z', '2.65')).status).toBe(400);
    expect(names(await list('?changes-before=2026-01-01T00:00:01Z'))).toEqual(['stop', 'create']);
    expect((await list('?changes-since=2026-01-02T00:00:00Z&changes-before=2026-01-01T00:00:00Z')).status).toBe(400);
    expect((await list('?changes-since=yesterday')).status).toBe(400);
    expect((await list('?limit=0')).body).toEqual({ instanceActions: [] });
  });

  it('show their events to operators, from 2.51 on to the owner, and more of them to operators', async () => {
    expect((await show('2.50')).body.instanceAction).not.toHaveProperty('events');
    expect((await show('2.50', 'admin:ops')).body.instanceAction.events[0]).toHaveProperty('traceback', null);
    const [event] = (await show('2.51')).body.instanceAction.events;
    expect(event).toEqual({
      event: 'compute_do',
      start_time: '2026-01-01T00:00:01.000000',
      finish_time: '2026-01-01T00:00:01.000000',
      result: 'Error',
    });
    expect((await show('2.61', 'admin:ops')).body.instanceAction.events[0]).not.toHaveProperty('hostId');
    const own = (await show('2.62')).body.instanceAction.events[0];
    expect(own.hostId).toMatch(/^[0-9a-f]{56}$/);
    expect(own).not.toHaveProperty('host');
    expect((await show('2.62', 'admin:ops')).body.instanceAction.events[0]).toMatchObject({
      host: 'h1',
      hostId: own.hostId,
    });
    expect((await show('2.84')).body.instanceAction.events[0]).not.toHaveProperty('details');
    expect((await show('2.83', 'admin:ops')).body.instanceAction.events[0]).not.toHaveProperty('details');
    expect((await show('2.84', 'admin:ops')).body.instanceAction.events[0]).toMatchObject({ details: 'why' });
  });

  it('are nobody else’s', async () => {
    expect((await list('', '2.1', 'u2:p2')).status).toBe(404);
    expect((await show('2.1', 'u2:p2')).status).toBe(404);
    expect((await show('2.1', 'u1:p1', 'req-nope')).status).toBe(404);
    expect((await call('GET', `/servers/${uuid(4)}/os-instance-actions`)).status).toBe(404);
  });

  it('of a deleted server can be read from 2.21 on', async () => {
    await world.db.transaction((tx) => tx.execute('UPDATE servers SET deleted = id, deleted_at = 1'));
    expect((await list('', '2.20')).status).toBe(404);
    expect((await list('', '2.21')).status).toBe(200);
  });
});
