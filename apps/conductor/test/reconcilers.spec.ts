import { eachDatabase } from '@fractus/database/testing';
import { randomUUID } from 'node:crypto';
import { DutiesRepository } from '@fractus/compute-db';
import { silentLogger } from '@fractus/telemetry';
import { RECONCILERS } from '../src/reconcilers';
import { Passes } from '../src/reconcilers/passes';
import { endedTasks } from '../src/reconcilers/ended-tasks.reconciler';
import { leftGuests } from '../src/reconcilers/left-guests.reconciler';
import { orphanAllocations } from '../src/reconcilers/orphan-allocations.reconciler';
import { orphanPorts } from '../src/reconcilers/orphan-ports.reconciler';
import { quotaAudit } from '../src/reconcilers/quota-audit.reconciler';
import { serviceState } from '../src/reconcilers/service-state.reconciler';
import { stuckServers } from '../src/reconcilers/stuck-servers.reconciler';
import type { Reconciler } from '../src/reconcilers/reconciler';
import { recordingLogger } from './world/log';
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

  /** How much a pass did. */
  const acted = async (reconciler: Reconciler): Promise<number> =>
    (await reconciler.run()).filter((finding) => finding.acted).length;

  it('leave a healthy cloud alone, however often they run', async () => {
    const id = await world.serverIn('active');
    const all = RECONCILERS.map((make) => make(world.conductor));
    for (let pass = 0; pass < 3; pass++) {
      for (const reconciler of all) expect([reconciler.name, await reconciler.run()]).toEqual([reconciler.name, []]);
      world.now += 2 * MINUTE;
    }
    expect(world.agents.hostsOf(id)).toEqual(['host1']);
    await world.check();
  });

  it('remove allocations of a deleted server, seen twice a minute apart with one generation', async () => {
    const id = await deletedServer();
    const reconciler = orphanAllocations(world.conductor);
    claim(id);
    expect(await acted(reconciler)).toBe(0);
    world.now += MINUTE - 1;
    expect(await acted(reconciler)).toBe(0);
    claim(id);
    world.now += 1;
    expect(await acted(reconciler)).toBe(0);
    world.now += MINUTE;
    expect(await acted(reconciler)).toBe(1);
    expect(world.placement.consumers.size).toBe(0);
  });

  it('leave allocations alone that are not known to be of a server', async () => {
    const reconciler = orphanAllocations(world.conductor);
    claim(randomUUID());
    claim(randomUUID(), 'INSTANCE');
    await reconciler.run();
    world.now += MINUTE;
    expect(await acted(reconciler)).toBe(1);
    expect(world.placement.consumers.size).toBe(1);
  });

  it('release ports of a deleted server, and not those of servers they do not know', async () => {
    const id = await deletedServer();
    world.ports.ports.set('orphan', { deviceId: id, host: 'host1', preexisting: false });
    world.ports.ports.set('foreign', { deviceId: randomUUID(), host: 'host1', preexisting: false });
    const reconciler = orphanPorts(world.conductor);
    expect(await acted(reconciler)).toBe(0);
    world.now += MINUTE;
    expect(await acted(reconciler)).toBe(1);
    expect([...world.ports.ports.keys()]).toEqual(['foreign']);
  });

  it('clear guests that were left on a host which could not be reached, once', async () => {
    const id = await world.serverIn('active');
    world.agents.behaviour.set('host1', 'unreachable');
    await world.act(id, 'delete');
    await world.settle();
    expect(world.agents.hostsOf(id)).toEqual(['host1']);
    const reconciler = leftGuests(world.conductor);
    expect(await acted(reconciler)).toBe(0);
    world.agents.behaviour.delete('host1');
    expect(await acted(reconciler)).toBe(1);
    await world.settle();
    expect(world.agents.hostsOf(id)).toEqual([]);
    expect(await acted(reconciler)).toBe(0);
    await world.check();
  });

  it('clear what was left on hosts that are back, however much was left before it on one that is not', async () => {
    const cloud = await World.make({ dialect, vcpusPerHost: 1 });
    const gone = await cloud.serverIn('active');
    const here = await cloud.serverIn('active');
    for (const host of ['host1', 'host2']) cloud.agents.behaviour.set(host, 'unreachable');
    for (const id of [gone, here]) await cloud.act(id, 'delete');
    await cloud.settle();
    expect([gone, here].map((id) => cloud.agents.hostsOf(id))).toEqual([['host1'], ['host2']]);
    await cloud.db.transaction((tx) => tx.execute("UPDATE services SET forced_down = 1 WHERE host = 'host1'"));
    cloud.agents.behaviour.delete('host2');
    // a pass in two pages, and one in which there is room for the first of them only
    expect((await leftGuests(cloud.conductor, { page: 1, pages: 9 }).run()).map((f) => f.acted)).toEqual([false, true]);
    const small = leftGuests(cloud.conductor, { page: 1, pages: 1 });
    expect(await acted(small)).toBe(0);
    expect(await acted(small)).toBe(1);
    await cloud.settle();
    expect(cloud.agents.hostsOf(here)).toEqual([]);
    expect(await leftGuests(cloud.conductor).run()).toMatchObject([{ subject: `server ${gone}`, acted: false }]);
    await cloud.end();
  });

  it('free a server whose task is lost', async () => {
    const id = await world.serverIn('active');
    await world.db.transaction((tx) => tx.execute("UPDATE servers SET task_state = 'pausing' WHERE uuid = ?", [id]));
    const reconciler = stuckServers(world.conductor);
    expect(await acted(reconciler)).toBe(0);
    world.now += MINUTE;
    expect(await acted(reconciler)).toBe(1);
    expect(await world.get(id)).toMatchObject({ vmState: 'active', taskState: null });
  });

  it('repair quota usage that is not the sum over live servers', async () => {
    await world.serverIn('active');
    await world.db.transaction((tx) => tx.execute('UPDATE quota_usages SET cores = 7'));
    expect(await acted(quotaAudit(world.conductor))).toBe(2);
    expect(await world.quota.usage('p1')).toEqual({ instances: 1, cores: 1, ram: 512 });
    expect(await acted(quotaAudit(world.conductor))).toBe(0);
  });

  it('forget ended tasks in time, open ones never', async () => {
    await world.serverIn('active');
    const reconciler = endedTasks(world.conductor);
    expect(await acted(reconciler)).toBe(0);
    world.now += 86_400_001;
    expect(await acted(reconciler)).toBe(1);
  });

  it('say of hosts that they are down, as long as they are, and to the log once, whichever conductor looks', async () => {
    const { logger, lines } = recordingLogger();
    const two = await World.make({ dialect, conductors: 2, logger });
    const look = async (): Promise<string[]> => {
      const reconciler = serviceState(two.conductors[0]!.parts);
      two.conductors.reverse();
      return (await reconciler.run()).map((finding) => finding.subject);
    };
    const told = (): string[] =>
      lines.filter((l) => /^host is/.test(l.msg)).map((l) => `${String(l['host'])} ${l.msg}`);
    expect(await look()).toEqual([]);
    await two.db.transaction((tx) => tx.execute("UPDATE services SET forced_down = 1 WHERE host <> 'host3'"));
    for (let pass = 0; pass < 3; pass++) expect(await look()).toEqual(['host host1', 'host host2']);
    await two.db.transaction((tx) => tx.execute("UPDATE services SET forced_down = 0 WHERE host = 'host1'"));
    for (let pass = 0; pass < 2; pass++) expect(await look()).toEqual(['host host2']);
    expect(told()).toEqual(['host1 host is down', 'host2 host is down', 'host1 host is back']);
    await two.end();
  });

  it('remember what they saw over restarts and from conductor to conductor', async () => {
    const id = await deletedServer();
    claim(id);
    const first = orphanAllocations(world.conductor);
    expect(await first.run()).toEqual([
      {
        subject: `consumer ${id}`,
        finding: 'It holds allocations, and no live server owns them.',
        acted: false,
        outcome: 'Seen for 0 s; something is done when it is seen unchanged after 60 s.',
      },
    ]);
    const heir = await world.birth('heir');
    world.now += MINUTE;
    const [finding] = await orphanAllocations(heir.parts).run();
    expect(finding).toMatchObject({ acted: true, outcome: 'They are removed.' });
    expect(await orphanAllocations(heir.parts).run()).toEqual([]);
  });

  it('find what tasks of an older release left on hosts, though those did not note it in a column', async () => {
    const id = await world.serverIn('active');
    world.agents.behaviour.set('host1', 'unreachable');
    await world.act(id, 'delete');
    await world.settle();
    await world.db.transaction((tx) => tx.execute('UPDATE tasks SET left_guests = NULL'));
    expect(await leftGuests(world.conductor).run()).toMatchObject([
      { subject: `server ${id}`, finding: 'A guest of it may be left on host host1.', acted: false },
    ]);
  });
});

eachDatabase('passes of the reconcilers', (_open, dialect) => {
  let world: World;
  let ran: string[];
  const reconcilersOf = (name: string): Reconciler[] => [
    {
      name: 'one',
      run: async () => {
        ran.push(name);
        return [{ subject: 'tasks', finding: 'Something is wrong.', acted: true, outcome: 'It is right now.' }];
      },
    },
    { name: 'two', run: () => Promise.reject(new Error('placement is away')) },
  ];
  const passesOf = (name: string, reconcilers = reconcilersOf(name), pause?: () => Promise<void>): Passes =>
    new Passes({
      reconcilers,
      duties: new DutiesRepository(world.db),
      owner: `${name}/1`,
      everyMs: MINUTE,
      clock: () => world.now,
      logger: silentLogger(),
      ...(pause ? { pause } : {}),
    });

  beforeEach(async () => {
    world = await World.make({ dialect });
    ran = [];
  });
  afterEach(() => world.end());

  it('are made by one conductor at a time, and by another when that one has died', async () => {
    const [a, b] = [passesOf('a'), passesOf('b')];
    for (let minute = 0; minute < 3; minute++) {
      expect(await a.inTurn()).not.toBeNull();
      expect(await b.inTurn()).toBeNull();
      world.now += MINUTE;
    }
    world.now += MINUTE - 1;
    expect(await b.inTurn()).toBeNull();
    world.now += 1;
    expect(await b.inTurn()).not.toBeNull();
    expect(await a.inTurn()).toBeNull();
    expect(ran).toEqual(['a', 'a', 'a', 'b']);
  });

  it('are left to another at once by a conductor that ends', async () => {
    const [a, b] = [passesOf('a'), passesOf('b')];
    await a.inTurn();
    await a.close();
    expect(await b.inTurn()).not.toBeNull();
  });

  it('tell every finding, and a reconciler that failed too', async () => {
    expect(await passesOf('a').once()).toEqual([
      { reconciler: 'one', subject: 'tasks', finding: 'Something is wrong.', acted: true, outcome: 'It is right now.' },
      {
        reconciler: 'two',
        subject: 'reconciler two',
        finding: 'It could not finish: placement is away',
        acted: false,
        outcome: 'It runs again with the next pass.',
      },
    ]);
  });

  it('that are asked for are made whoever has the duty, never beside another', async () => {
    let finish: () => void = () => undefined;
    const slow: Reconciler = {
      name: 'slow',
      run: async () => {
        ran.push('slow begins');
        await new Promise<void>((resolve) => (finish = resolve));
        ran.push('slow ends');
        return [];
      },
    };
    const a = passesOf('a', [slow]);
    const pass = a.inTurn();
    // asks a second time only when the first pass has been let end
    const b = passesOf('b', reconcilersOf('b'), async () => {
      while (!ran.includes('slow begins')) await new Promise(setImmediate);
      finish();
      await pass;
    });
    while (!ran.includes('slow begins')) await new Promise(setImmediate);
    await b.once();
    expect(ran).toEqual(['slow begins', 'slow ends', 'b']);
  });

  it('end behind the reconciler that runs when they could not be renewed for as long as they are their own', async () => {
    let monotonic = 0;
    class AwayDuties extends DutiesRepository {
      taken = false;
      override async take(...args: Parameters<DutiesRepository['take']>): Promise<boolean> {
        if (this.taken) throw new Error('the database is away');
        return (this.taken = await super.take(...args));
      }
    }
    const takes = (name: string, ms: number): Reconciler => ({
      name,
      run: async () => (ran.push(name), (monotonic += ms), []),
    });
    const passes = new Passes({
      reconcilers: [takes('first', MINUTE - 1), takes('second', 1), takes('third', 1)],
      duties: new AwayDuties(world.db),
      owner: 'a/1',
      everyMs: MINUTE,
      clock: () => world.now,
      monotonic: () => monotonic,
      logger: silentLogger(),
    });
    await passes.once();
    expect(ran).toEqual(['first', 'second']);
  });

  it('that are asked for give up when another does not end', async () => {
    await new DutiesRepository(world.db).take('reconcile.pass', 'a/1#1', world.now + 600_000, world.now);
    const b = passesOf('b', [], async () => void (world.now += MINUTE));
    await expect(b.once()).rejects.toMatchObject({ kind: 'unavailable', code: 'reconcile.busy' });
  });

  it('are free again when the one that made them died in the middle', async () => {
    await new DutiesRepository(world.db).take('reconcile.pass', 'a/1#1', world.now + MINUTE, world.now);
    world.now += MINUTE;
    expect(await passesOf('b').once()).toHaveLength(2);
  });
});
