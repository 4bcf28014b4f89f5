/** What conductors make of what operators ask of tasks. */
import { TaskOperations } from '@fractus/compute-db';
import { eachDatabase } from '@fractus/database/testing';
import { World } from './world/world';

jest.setTimeout(60_000);

eachDatabase('operators', (_open, dialect) => {
  let world: World;
  let operators: TaskOperations;
  beforeEach(async () => {
    world = await World.make({ dialect, conductors: 2 });
    operators = new TaskOperations(world.db, { clock: () => world.now });
  });
  afterEach(() => world.end());

  const abandon = async (serverId: string, reason?: string): Promise<void> => {
    const task = await world.tasks.openOf(serverId);
    await operators.abandon(task!.id, { by: 'ann', ...(reason === undefined ? {} : { reason }) });
  };
  const faultOf = async (id: string) => (await world.servers.latestFaults([id])).get(id);

  it('have a build that nobody answers for ended now: undone, the server in ERROR, with their word', async () => {
    world.agents.behaviour.set('host1', 'silent');
    const [id = ''] = await world.create();
    await world.idle();
    const began = world.now;
    world.agents.behaviour.delete('host1');
    await abandon(id, 'host1 burned down');
    await world.settle();
    expect(world.now).toBe(began);
    expect(await world.get(id)).toMatchObject({ vmState: 'error', taskState: null, host: null });
    const fault = await faultOf(id);
    expect(fault?.message).toBe("An operator abandoned the operation in step 'spawn'");
    expect(fault?.details).toBe('abandoned by ann: host1 burned down');
    const [task] = await world.tasks.ofServer(id);
    expect(task).toMatchObject({ status: 'failed', endRequest: null, error: { code: 'task.abandoned' } });
    await world.check();
  });

  it('have a delete ended that cannot go on, and it can be asked for again', async () => {
    const id = await world.serverIn('active');
    world.agents.behaviour.set('host1', 'silent');
    await world.act(id, 'delete');
    await world.idle();
    await abandon(id);
    await world.settle();
    expect(await world.get(id)).toMatchObject({ vmState: 'error', taskState: null, deleted: false });
    world.agents.behaviour.delete('host1');
    await world.act(id, 'delete');
    await world.settle();
    expect((await world.get(id)).deleted).toBe(true);
    await world.check();
  });

  it('have a power action ended as if its host had failed: the server is as it was', async () => {
    const id = await world.serverIn('active');
    world.agents.behaviour.set('host1', 'silent');
    await world.act(id, 'pause');
    await world.idle();
    await abandon(id);
    await world.settle();
    expect(await world.get(id)).toMatchObject({ vmState: 'active', taskState: null });
    expect((await faultOf(id))?.message).toBe("An operator abandoned the operation in step 'guest'");
  });

  it('are heard by the conductor that works on the task when it lets go next', async () => {
    world.agents.behaviour.set('host1', 'silent');
    let asked = false;
    world.probe = async (point, task) => {
      if (point !== 'before-step' || task.step !== 'ports' || asked) return;
      asked = true;
      await operators.abandon(task.id, { by: 'ann' });
    };
    const began = world.now;
    const [id = ''] = await world.create();
    await world.idle();
    expect(await world.tasks.openOf(id)).toMatchObject({ step: 'spawn', waiting: true, readyAt: began });
    world.agents.behaviour.delete('host1');
    await world.settle();
    expect(asked).toBe(true);
    expect(world.now).toBe(began);
    expect(await world.get(id)).toMatchObject({ vmState: 'error', host: null });
    await world.check();
  });

  it('have an undoing given up that does not end, by asking again', async () => {
    world.agents.behaviour.set('host1', 'silent');
    const [id = ''] = await world.create();
    await world.idle();
    await abandon(id);
    for (const { parts } of world.conductors) await parts.engine.sweep();
    await world.idle();
    expect(await world.tasks.openOf(id)).toMatchObject({ direction: 'undo', waiting: true, endRequest: null });
    await abandon(id, 'it will not answer');
    await world.settle();
    expect((await world.tasks.ofServer(id))[0]).toMatchObject({ status: 'abandoned' });
    expect(await world.get(id)).toMatchObject({ vmState: 'error', taskState: null });
    const fault = await faultOf(id);
    expect(fault?.message).toBe("An operator abandoned the operation in step 'spawn'");
    expect(fault?.details).toBe('abandoned by ann\nundo of spawn failed: abandoned by ann: it will not answer');
  });

  it('have a step tried again that waits for a host: same attempt, so nothing is done twice', async () => {
    world.agents.behaviour.set('host1', 'late');
    const [id = ''] = await world.create();
    await world.idle();
    const task = await world.tasks.openOf(id);
    await operators.retry(task!.id);
    for (const { parts } of world.conductors) await parts.engine.sweep();
    await world.idle();
    expect(await world.tasks.openOf(id)).toMatchObject({ waiting: true, attempt: 1, fence: task!.fence + 1 });
    world.agents.wake('host1');
    await world.settle();
    expect(world.agents.effects).toEqual(['build host1']);
    expect(await world.get(id)).toMatchObject({ vmState: 'active' });
    await world.check();
  });

  it('see why a task is repeated, and have its repetitions forgotten', async () => {
    world.agents.behaviour.set('host1', 'unreachable');
    world.agents.behaviour.set('host2', 'unreachable');
    world.agents.behaviour.set('host3', 'unreachable');
    const [id = ''] = await world.create();
    await world.idle();
    const [told] = await operators.list({ serverId: id });
    expect(told).toMatchObject({
      step: 'spawn',
      retries: 1,
      trouble: { message: 'nobody serves host1', at: world.now },
    });
    expect(await operators.retry(told!.id)).toMatchObject({ retries: 0, trouble: null, readyAt: world.now });
    for (const host of ['host1', 'host2', 'host3']) world.agents.behaviour.delete(host);
    await world.settle();
    expect(await world.get(id)).toMatchObject({ vmState: 'active' });
  });
});
