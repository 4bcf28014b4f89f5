/** Guests that change by themselves: while nothing is done to them, and while a task is open. */
import { eachDatabase } from '@fractus/database/testing';
import type { GuestEvent } from '@fractus/rpc-contracts';
import type { ActionKey } from '@fractus/server-lifecycle';
import { World } from './world/world';

jest.setTimeout(60_000);

const RUNNING = 1;
const SHUTDOWN = 4;
const CRASHED = 6;

eachDatabase('guests that change by themselves', (_open, dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await World.make({ dialect });
  });
  afterEach(() => world.end());

  /** As the agent of the server's host sends it: with the highest fence that it has seen. */
  const says = async (serverId: string, powerState: number, extra: Partial<GuestEvent> = {}): Promise<void> => {
    const fence = world.agents.answers.filter((a) => a.operation.serverId === serverId).at(-1)?.operation.fence ?? 0;
    const event = { serverId, host: 'host1', fence, powerState, at: world.now, ...extra };
    await world.conductor.guests.event(world.ctx(), event);
  };
  /** An action that the host has done, and whose answer conductor has not read. */
  const done = async (id: string, action: ActionKey): Promise<void> => {
    world.now += 10;
    await world.act(id, action);
    await world.idle();
    expect(world.waitingMail).toBe(1);
  };

  it('are followed once the task that was open has ended', async () => {
    const id = await world.serverIn('active');
    await done(id, 'reboot-hard');
    world.now += 10;
    await says(id, CRASHED);
    expect(await world.get(id)).toMatchObject({ vmState: 'active', taskState: 'rebooting_hard' });
    await world.settle();
    expect(await world.get(id)).toMatchObject({ vmState: 'stopped', powerState: CRASHED, taskState: null });
  });

  it('are followed after a build too, whose guest died as soon as it ran', async () => {
    const [id = ''] = await world.create();
    await world.idle();
    world.now += 10;
    await says(id, SHUTDOWN);
    await world.settle();
    expect(await world.get(id)).toMatchObject({ vmState: 'stopped', powerState: SHUTDOWN, host: 'host1' });
  });

  it('are not followed where the operation ended after it: its answer says how the guest is', async () => {
    const id = await world.serverIn('active');
    await done(id, 'reboot-hard');
    await says(id, SHUTDOWN, { at: world.now - 1 });
    await world.settle();
    expect(await world.get(id)).toMatchObject({ vmState: 'active', powerState: RUNNING });
    await says(id, SHUTDOWN, { at: world.now - 1 });
    expect(await world.get(id)).toMatchObject({ vmState: 'active', powerState: RUNNING });
  });

  it('are followed where an operation that had fallen silent is done in the end', async () => {
    const id = await world.serverIn('active');
    world.agents.behaviour.set('host1', 'late');
    await world.act(id, 'stop');
    await world.settle();
    expect(await world.get(id)).toMatchObject({ vmState: 'active', powerState: RUNNING, taskState: null });
    world.agents.wake('host1');
    await world.settle();
    expect(world.agents.guests.get('host1')?.get(id)).toBe(SHUTDOWN);
    expect(await world.get(id)).toMatchObject({ vmState: 'stopped', powerState: SHUTDOWN, taskState: null });
    await world.check();
  });

  it('are not followed where an answer that was heard comes a second time', async () => {
    const id = await world.serverIn('active');
    await done(id, 'reboot-hard');
    await world.settle();
    const answer = world.agents.answers.at(-1)!;
    await says(id, CRASHED, { at: world.now + 10 });
    await world.conductor.operations.finished(world.ctx(), { ...answer, replayed: true });
    await world.settle();
    expect(await world.get(id)).toMatchObject({ vmState: 'stopped', powerState: CRASHED });
    expect(await world.tasks.ofServer(id)).toHaveLength(2);
  });

  it('are followed at the end of an operation that fell silent, since nothing else says how the guest is', async () => {
    const id = await world.serverIn('active');
    world.agents.behaviour.set('host1', 'silent');
    const { fence } = await world.get(id);
    await world.act(id, 'pause');
    await world.idle();
    const task = await world.tasks.openOf(id);
    expect(task!.fence).toBe(fence + 1);
    await says(id, SHUTDOWN, { fence: task!.fence });
    await world.settle();
    expect(await world.get(id)).toMatchObject({ vmState: 'stopped', powerState: SHUTDOWN, taskState: null });
  });

  it('are not followed when the operation was sent after them', async () => {
    const id = await world.serverIn('active');
    const { fence } = await world.get(id);
    await done(id, 'reboot-hard');
    await says(id, SHUTDOWN, { fence });
    await world.settle();
    expect(await world.get(id)).toMatchObject({ vmState: 'active', powerState: RUNNING });
  });

  it('are brought back to what was asked for, by a task that begins as the first one ends', async () => {
    const id = await world.serverIn('active');
    await done(id, 'stop');
    world.now += 10;
    await says(id, RUNNING);
    await world.deliver();
    await world.settle();
    expect(await world.get(id)).toMatchObject({ vmState: 'stopped', powerState: SHUTDOWN, taskState: null });
    expect((await world.tasks.ofServer(id)).map((task) => [task.type, task.status])).toEqual([
      ['build-server', 'done'],
      ['stop-server', 'done'],
      ['stop-server', 'done'],
    ]);
    await world.check();
  });

  it('that change several times are what they were last, in whatever order that is told', async () => {
    const id = await world.serverIn('active');
    await done(id, 'reboot-hard');
    await says(id, RUNNING, { at: world.now + 20 });
    await says(id, SHUTDOWN, { at: world.now + 10 });
    await world.settle();
    expect(await world.get(id)).toMatchObject({ vmState: 'active', powerState: RUNNING });
  });

  it('of a server that is deleted meanwhile matter to nobody', async () => {
    const id = await world.serverIn('active');
    await done(id, 'reboot-hard');
    await says(id, SHUTDOWN, { at: world.now + 10 });
    await world.act(id, 'delete');
    await says(id, SHUTDOWN, { at: world.now + 10 });
    await world.settle();
    expect((await world.get(id)).deleted).toBe(true);
    await world.check();
  });

  it('while their agent was away are followed, though its clock is ahead of conductor’s', async () => {
    const id = await world.serverIn('active');
    await done(id, 'reboot-hard');
    await world.settle();
    const { fence } = world.agents.answers.at(-1)!.operation;
    const ahead = world.now + 60_000;
    const task = (await world.tasks.ofServer(id)).at(-1)!;
    await world.tasks.amend(task.id, (state) => ({ ...state, answered: { host: 'host1', at: ahead } }));
    const guests = [{ serverId: id, fence, powerState: SHUTDOWN }];
    await world.conductor.guests.reattach(world.ctx(), { agentId: 'a1', host: 'host1', guests, at: ahead + 10 });
    await world.settle();
    expect(await world.get(id)).toMatchObject({ vmState: 'stopped', powerState: SHUTDOWN });
  });

  it('are kept through the death of conductor', async () => {
    const id = await world.serverIn('active');
    await done(id, 'reboot-hard');
    await says(id, SHUTDOWN, { at: world.now + 10 });
    world.bury(world.conductors[0]!);
    await world.birth('heir');
    await world.settle();
    expect(await world.get(id)).toMatchObject({ vmState: 'stopped', powerState: SHUTDOWN });
  });
});
