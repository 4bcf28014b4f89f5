import { eachDatabase } from '@fractus/database/testing';
import { randomUUID } from 'node:crypto';
import { RECONCILERS } from '../src/reconcilers';
import { endedTasks } from '../src/reconcilers/ended-tasks.reconciler';
import { leftGuests } from '../src/reconcilers/left-guests.reconciler';
import { orphanAllocations } from '../src/reconcilers/orphan-allocations.reconciler';
import { orphanPorts } from '../src/reconcilers/orphan-ports.reconciler';
import { quotaAudit } from '../src/reconcilers/quota-audit.reconciler';
import { serviceState } from '../src/reconcilers/service-state.reconciler';
import { stuckServers } from '../src/reconcilers/stuck-servers.reconciler';
import { World } from './world/world';

const MINUTE = 60_000;

jest.setTimeout(60_000);

eachDatabase('reconcilers', (_open, dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await World.make({ dialect });
  });
  afterEach(() => world.end());

  const claim = (consumerId: string, consumerType?: string): void =>
    world.placement.write({
      consumerId,
      projectId: 'p1',
      userId: 'u1',
      allocations: { [world.hosts[0]!.nodeId]: { resources: { VCPU: 1 } } },
      ...(consumerType ? { consumerType } : {}),
    });
  const deletedServer = async (): Promise<string> => {
    const id = await world.serverIn('active');
    await world.act(id, 'delete');
    await world.settle();
    return id;
  };

  it('leave a healthy cloud alone, however often they run', async () => {
    const id = await world.serverIn('active');
    const all = RECONCILERS.map((make) => make(world.conductor));
    for (let pass = 0; pass < 3; pass++) {
      for (const reconciler of all) expect([reconciler.name, await reconciler.run()]).toEqual([reconciler.name, 0]);
      world.now += 2 * MINUTE;
    }
    expect(world.agents.hostsOf(id)).toEqual(['host1']);
    await world.check();
  });

  it('remove allocations of a deleted server, seen twice a minute apart with one generation', async () => {
    const id = await deletedServer();
    const reconciler = orphanAllocations(world.conductor);
    claim(id);
    expect(await reconciler.run()).toBe(0);
    world.now += MINUTE - 1;
    expect(await reconciler.run()).toBe(0);
    claim(id);
    world.now += 1;
    expect(await reconciler.run()).toBe(0);
    world.now += MINUTE;
    expect(await reconciler.run()).toBe(1);
    expect(world.placement.consumers.size).toBe(0);
  });

  it('leave allocations alone that are not known to be of a server', async () => {
    const reconciler = orphanAllocations(world.conductor);
    claim(randomUUID());
    claim(randomUUID(), 'INSTANCE');
    await reconciler.run();
    world.now += MINUTE;
    expect(await reconciler.run()).toBe(1);
    expect(world.placement.consumers.size).toBe(1);
  });

  it('release ports of a deleted server, and not those of servers they do not know', async () => {
    const id = await deletedServer();
    world.ports.ports.set('orphan', { deviceId: id, host: 'host1', preexisting: false });
    world.ports.ports.set('foreign', { deviceId: randomUUID(), host: 'host1', preexisting: false });
    const reconciler = orphanPorts(world.conductor);
    expect(await reconciler.run()).toBe(0);
    world.now += MINUTE;
    expect(await reconciler.run()).toBe(1);
    expect([...world.ports.ports.keys()]).toEqual(['foreign']);
  });

  it('clear guests that were left on a host which could not be reached, once', async () => {
    const id = await world.serverIn('active');
    world.agents.behaviour.set('host1', 'unreachable');
    await world.act(id, 'delete');
    await world.settle();
    expect(world.agents.hostsOf(id)).toEqual(['host1']);
    const reconciler = leftGuests(world.conductor);
    expect(await reconciler.run()).toBe(0);
    world.agents.behaviour.delete('host1');
    expect(await reconciler.run()).toBe(1);
    await world.settle();
    expect(world.agents.hostsOf(id)).toEqual([]);
    expect(await reconciler.run()).toBe(0);
    await world.check();
  });

  it('free a server whose task is lost', async () => {
    const id = await world.serverIn('active');
    await world.db.transaction((tx) => tx.execute("UPDATE servers SET task_state = 'pausing' WHERE uuid = ?", [id]));
    const reconciler = stuckServers(world.conductor);
    expect(await reconciler.run()).toBe(0);
    world.now += MINUTE;
    expect(await reconciler.run()).toBe(1);
    expect(await world.get(id)).toMatchObject({ vmState: 'active', taskState: null });
  });

  it('repair quota usage that is not the sum over live servers', async () => {
    await world.serverIn('active');
    await world.db.transaction((tx) => tx.execute('UPDATE quota_usages SET cores = 7'));
    expect(await quotaAudit(world.conductor).run()).toBe(2);
    expect(await world.quota.usage('p1')).toEqual({ instances: 1, cores: 1, ram: 512 });
    expect(await quotaAudit(world.conductor).run()).toBe(0);
  });

  it('forget ended tasks in time, open ones never', async () => {
    await world.serverIn('active');
    const reconciler = endedTasks(world.conductor);
    expect(await reconciler.run()).toBe(0);
    world.now += 86_400_001;
    expect(await reconciler.run()).toBe(1);
  });

  it('notice hosts that fall silent and come back, once each', async () => {
    const reconciler = serviceState(world.conductor);
    expect(await reconciler.run()).toBe(0);
    await world.db.transaction((tx) => tx.execute('UPDATE services SET forced_down = 1'));
    expect(await reconciler.run()).toBe(3);
    expect(await reconciler.run()).toBe(0);
    await world.db.transaction((tx) => tx.execute('UPDATE services SET forced_down = 0'));
    expect(await reconciler.run()).toBe(3);
  });
});
