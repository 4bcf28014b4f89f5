import { eachDatabase } from '@fractus/database/testing';
import { POWER_STATES } from '@fractus/objects';
import { World } from './world/world';

jest.setTimeout(60_000);

eachDatabase('tasks in a small world', (_open, dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await World.make({ dialect });
  });
  afterEach(() => world.end());

  it('builds a server, stops, starts, reboots it, and deletes it', async () => {
    const id = await world.serverIn('active');
    await world.check();
    const built = await world.get(id);
    expect(built).toMatchObject({ host: 'host1', powerState: 1, progress: 100 });
    expect(built.launchedAt).not.toBeNull();
    for (const [action, vmState, powerState] of [
      ['stop', 'stopped', 4],
      ['start', 'active', 1],
      ['reboot-soft', 'active', 1],
      ['pause', 'paused', 3],
      ['reboot-hard', 'active', 1],
      ['suspend', 'suspended', 7],
      ['resume', 'active', 1],
    ] as const) {
      await world.act(id, action);
      await world.settle();
      expect(await world.get(id)).toMatchObject({ vmState, powerState, taskState: null });
    }
    await world.act(id, 'delete');
    await world.settle();
    expect((await world.get(id)).deleted).toBe(true);
    await world.check();
    expect(await world.quota.usage('p1')).toEqual({ instances: 0, cores: 0, ram: 0 });
  });

  it('tries the next host when one cannot build, and tells every story when none can', async () => {
    world.agents.behaviour.set('host1', 'refuses');
    const second = await world.serverIn('active');
    expect(await world.get(second)).toMatchObject({ host: 'host2' });
    const told = await world.db.query(
      "SELECT event, result, host FROM instance_action_events WHERE event LIKE 'compute%' ORDER BY id",
    );
    expect(told).toMatchObject([
      { result: 'Error', host: 'host1' },
      { result: 'Success', host: 'host2' },
    ]);
    world.agents.behaviour.set('host2', 'refuses').set('host3', 'refuses');
    const [id = ''] = await world.create();
    await world.settle();
    expect(await world.get(id)).toMatchObject({ vmState: 'error', host: null });
    const fault = (await world.servers.latestFaults([id])).get(id);
    expect(fault?.message).toMatch(/^Exceeded maximum number of retries\. The build failed on 3 hosts/);
    expect(fault?.details?.split('\n')).toEqual(['host1', 'host2', 'host3'].map((h) => `${h}: refused: driver.spawn`));
    await world.check();
  });

  it('says why no host is valid', async () => {
    const [id = ''] = await world.create({
      flavor: {
        flavorId: 'x',
        name: 'huge',
        vcpus: 9,
        memoryMb: 1,
        rootGb: 1,
        ephemeralGb: 0,
        swapMb: 0,
        extraSpecs: {},
      },
    });
    await world.settle();
    const fault = (await world.servers.latestFaults([id])).get(id);
    expect(fault?.message).toBe(
      'No valid host was found. There are not enough hosts available. 3 hosts, none has 9 VCPU free',
    );
    await world.act(id, 'delete');
    await world.settle();
    await world.check();
  });

  it('gives a silent host up by name of the step, and never builds elsewhere meanwhile', async () => {
    world.agents.behaviour.set('host1', 'silent');
    const [id = ''] = await world.create();
    await world.settle();
    expect(await world.get(id)).toMatchObject({ vmState: 'error', taskState: null });
    const fault = (await world.servers.latestFaults([id])).get(id);
    expect(fault?.message).toBe("The host was silent for 300 seconds in step 'spawn'");
    await world.check();
  });

  it('waits for a scheduler that is away, as long as may be, and says then that it was', async () => {
    const began = world.now;
    world.schedulerBackAt = began + 290_000;
    const [id = ''] = await world.create();
    await world.settle();
    expect(await world.get(id)).toMatchObject({ vmState: 'active' });
    expect(world.now - began).toBeLessThan(290_000 + 15_000);
    world.schedulerBackAt = Infinity;
    const [late = ''] = await world.create();
    await world.settle();
    expect(await world.get(late)).toMatchObject({ vmState: 'error' });
    expect((await world.servers.latestFaults([late])).get(late)?.message).toBe('the scheduler is away');
    world.schedulerBackAt = 0;
    await world.check();
  });

  it('gives a host up sooner that nobody serves', async () => {
    world.agents.behaviour.set('host1', 'unreachable');
    const began = world.now;
    const [id = ''] = await world.create();
    await world.settle();
    expect((await world.servers.latestFaults([id])).get(id)?.message).toBe('nobody serves host1');
    expect(world.now - began).toBeGreaterThan(30_000);
  });

  it('deletes a server whose host is gone, and leaves the guest to its return', async () => {
    const id = await world.serverIn('active');
    world.agents.behaviour.set('host1', 'unreachable');
    await world.act(id, 'delete');
    await world.settle();
    expect((await world.get(id)).deleted).toBe(true);
    expect(world.placement.consumers.size).toBe(0);
    const { guests } = await world.conductor.guests.reattach(world.ctx(), {
      agentId: 'a1',
      host: 'host1',
      guests: [{ serverId: id, fence: 1, powerState: 1 }],
    });
    expect(guests).toMatchObject([{ serverId: id, verdict: 'destroy' }]);
  });

  it('destroys what a host built after everybody had given up, whatever order the news come in', async () => {
    world.agents.behaviour.set('host1', 'late');
    const [id = ''] = await world.create();
    await world.settle();
    expect((await world.get(id)).vmState).toBe('error');
    world.agents.wake('host1');
    await world.settle();
    expect(world.agents.effects).toContain('build host1');
    expect(world.agents.hostsOf(id)).toEqual([]);
    await world.check();
  });

  it('destroys a guest whose build ends after the server was deleted', async () => {
    world.agents.behaviour.set('host1', 'late');
    const [id = ''] = await world.create();
    await world.conductor.engine.idle();
    // the host takes the build and nothing after it
    world.agents.behaviour.set('host1', 'unreachable');
    await world.act(id, 'delete');
    await world.settle();
    expect((await world.get(id)).deleted).toBe(true);
    world.agents.wake('host1');
    await world.settle();
    expect(world.agents.effects).toEqual(['build host1', 'destroy host1']);
    await world.check();
  });

  it('looks for guests on every host that a build was ever sent to', async () => {
    world.agents.behaviour.set('host1', 'refuses');
    const id = await world.serverIn('active');
    await world.act(id, 'delete');
    await world.settle();
    expect(world.agents.effects).toEqual(['build host2', 'destroy host2', 'destroy host1']);
  });

  it('bears refusals for their fence: of an earlier message not at all, of its own by asking again', async () => {
    const id = await world.serverIn('active');
    world.agents.behaviour.set('host1', 'silent');
    await world.act(id, 'pause');
    await world.conductor.engine.idle();
    const task = await world.tasks.openOf(id);
    const operation = {
      taskId: task!.id,
      serverId: id,
      step: 'guest',
      attempt: 1,
      fence: task!.fence,
      host: 'host1',
      silenceSeconds: 60,
    };
    const refusal = { outcome: 'failed', error: { code: 'fence.stale', message: '', retryElsewhere: false } } as const;
    await world.conductor.operations.finished(world.ctx(), {
      operation: { ...operation, fence: task!.fence - 1 },
      ...refusal,
    });
    expect(await world.tasks.openOf(id)).toMatchObject({ waiting: true, fence: task!.fence });
    await world.conductor.operations.finished(world.ctx(), { operation, ...refusal });
    world.agents.behaviour.delete('host1');
    await world.settle();
    expect(await world.get(id)).toMatchObject({ vmState: 'paused' });
  });

  it('asks again at once for what a returning agent had lost', async () => {
    world.agents.behaviour.set('host1', 'silent');
    const [id = ''] = await world.create();
    await world.conductor.engine.idle();
    world.agents.behaviour.delete('host1');
    const before = world.now;
    const answer = await world.conductor.guests.reattach(world.ctx(), {
      agentId: 'a1',
      host: 'host1',
      guests: [{ serverId: id, fence: 1, powerState: 0 }],
    });
    expect(answer.guests).toMatchObject([{ verdict: 'wait' }]);
    await world.settle();
    expect(await world.get(id)).toMatchObject({ vmState: 'active', host: 'host1' });
    expect(world.now - before).toBeLessThan(5000);
  });

  it('follows what guests did while their agent was away, but for those a task has in hand', async () => {
    const [active, paused, busy] = [
      await world.serverIn('active'),
      await world.serverIn('paused'),
      await world.serverIn('active'),
    ];
    const { host } = await world.get(active);
    const fences = await Promise.all([active, paused, busy].map(async (id) => (await world.get(id)).fence));
    world.agents.behaviour.set('host1', 'silent');
    await world.act(busy, 'pause');
    await world.conductor.engine.idle();
    world.agents.behaviour.delete('host1');
    const states = [POWER_STATES.shutdown, POWER_STATES.nostate, POWER_STATES.shutdown];
    const { guests } = await world.conductor.guests.reattach(world.ctx(), {
      agentId: 'a1',
      host: host ?? '',
      guests: [active, paused, busy].map((serverId, i) => ({ serverId, fence: fences[i]!, powerState: states[i]! })),
    });
    expect(guests.map((g) => g.verdict)).toEqual(['keep', 'keep', 'wait']);
    await world.settle();
    expect(await world.get(active)).toMatchObject({ vmState: 'stopped', powerState: POWER_STATES.shutdown });
    expect(await world.get(paused)).toMatchObject({ vmState: 'paused', powerState: POWER_STATES.paused });
    expect(await world.get(busy)).toMatchObject({ vmState: 'paused', powerState: POWER_STATES.paused });
    await world.check();
  });

  it('shows the phases of a build, and moves its silence limit', async () => {
    world.agents.behaviour.set('host1', 'silent');
    const [id = ''] = await world.create();
    await world.conductor.engine.idle();
    const task = await world.tasks.openOf(id);
    const operation = {
      taskId: task!.id,
      serverId: id,
      step: 'spawn',
      attempt: 1,
      fence: task!.fence,
      host: 'host1',
      silenceSeconds: 300,
    };
    world.now += 200_000;
    await world.conductor.operations.progress(world.ctx(), { operation, phase: 'image', percent: 40 });
    expect(await world.get(id)).toMatchObject({ taskState: 'spawning', progress: 40 });
    expect((await world.tasks.openOf(id))?.readyAt).toBe(world.now + 300_000);
    await world.conductor.operations.progress(world.ctx(), { operation, phase: 'networking', percent: 10 });
    expect(await world.get(id)).toMatchObject({ taskState: 'networking', progress: 40 });
    world.now += 3_600_000;
    await world.conductor.operations.progress(world.ctx(), { operation });
    await world.settle();
    const fault = (await world.servers.latestFaults([id])).get(id);
    expect(fault?.message).toBe("The operation took too long and was given up in step 'spawn'");
  });

  it('follows a guest that shut down, and stops one that nobody started', async () => {
    const id = await world.serverIn('active');
    const { fence } = await world.get(id);
    await world.conductor.guests.event(world.ctx(), {
      serverId: id,
      host: 'host1',
      fence: 0,
      powerState: 4,
      at: world.now,
    });
    expect((await world.get(id)).vmState).toBe('active');
    await world.conductor.guests.event(world.ctx(), {
      serverId: id,
      host: 'host2',
      fence,
      powerState: 4,
      at: world.now,
    });
    expect((await world.get(id)).vmState).toBe('active');
    await world.conductor.guests.event(world.ctx(), {
      serverId: id,
      host: 'host1',
      fence,
      powerState: 4,
      at: world.now,
    });
    expect(await world.get(id)).toMatchObject({ vmState: 'stopped', powerState: 4 });
    await world.conductor.guests.event(world.ctx(), {
      serverId: id,
      host: 'host1',
      fence,
      powerState: 1,
      at: world.now,
    });
    expect((await world.get(id)).taskState).toBe('powering-off');
    await world.settle();
    expect(await world.get(id)).toMatchObject({ vmState: 'stopped', powerState: 4, taskState: null });
  });

  it('keeps a port of the user', async () => {
    const portId = 'b8f4f8a7-6d3e-4a7c-9a52-0e6a1c1f0a01';
    const id = await world.serverIn('active', { requestedNetworks: [{ portId }] });
    await world.act(id, 'delete');
    await world.settle();
    expect(world.ports.ports.get(portId)).toEqual({ deviceId: '', host: '', preexisting: true });
  });

  it('lets one of two racing actions win', async () => {
    const id = await world.serverIn('active');
    const results = await Promise.allSettled([world.act(id, 'stop'), world.act(id, 'pause')]);
    expect(results.map((r) => r.status).sort()).toEqual(['fulfilled', 'rejected']);
    const loser = results.find((r) => r.status === 'rejected') as PromiseRejectedResult;
    expect((loser.reason as Error).message).toMatch(/^Cannot '\w+' instance .* while it is in task_state \w+/);
    await world.settle();
    await world.check();
  });
});
