/** Several conductors over one database, some of which die, stand still or lose it. */
import { TaskLeases, type Held, type Sent } from '@fractus/compute-db';
import { eachDatabase, statementsOf } from '@fractus/database/testing';
import { unavailable } from '@fractus/objects';
import { silentLogger } from '@fractus/telemetry';
import { LeaseKeeper } from '../src/engine/lease-keeper';
import { Killed, type ProbePoint } from '../src/engine/task-runner';
import { LEASE_MS, type Conductor, World } from './world/world';

jest.setTimeout(60_000);

/** A gate that a run can be held up at. */
class Gate {
  private waiting: (() => void)[] = [];
  hold = (): Promise<void> => new Promise((resolve) => this.waiting.push(resolve));
  get held(): number {
    return this.waiting.length;
  }
  open(): void {
    this.waiting.splice(0).forEach((go) => go());
  }
  async whenHeld(count: number): Promise<void> {
    while (this.held < count) await new Promise(setImmediate);
  }
}

eachDatabase('several conductors', (_open, dialect) => {
  let world: World;
  afterEach(() => world.end());
  const two = async (settings = {}): Promise<[Conductor, Conductor]> => {
    world = await World.make({ dialect, conductors: 2, vcpusPerHost: 20, settings });
    const [a, b] = world.conductors;
    return [a!, b!];
  };
  let struck: string | undefined;
  /** Strikes the first time that any run passes `<step> <point>`; a new task is at step `first`. */
  const strikeAt = (step: string, point: ProbePoint, strike: (by: Conductor) => void | Promise<void>): void => {
    struck = undefined;
    world.probe = async (at, task, by) => {
      if (at !== point || (task.step || 'first') !== step) return;
      world.probe = () => undefined;
      struck = by.name;
      await strike(by);
    };
  };

  it('give nobody up who could not be heard while the database was away', async () => {
    const [a] = await two();
    const id = await world.serverIn('active');
    const { host } = await world.get(id);
    world.agents.behaviour.set(host!, 'late');
    await world.act(id, 'stop');
    await world.idle();
    for (const { parts } of world.conductors) await parts.engine.keeper.tend();
    const due = jest.spyOn(TaskLeases.prototype, 'due');
    due.mockRejectedValue(unavailable('away', { code: 'database.unavailable' }));
    for (const { parts } of world.conductors) await expect(parts.engine.sweep()).rejects.toThrow('away');
    world.now += 10 * 60_000;
    world.agents.wake(host!);
    due.mockRestore();
    // a look comes before the answer that waited for the database, too
    await a.parts.engine.sweep();
    await world.idle();
    await world.settle();
    expect(await world.get(id)).toMatchObject({ vmState: 'stopped', taskState: null });
    expect((await world.tasks.ofServer(id)).map((task) => task.status)).toEqual(['done', 'done']);
    expect(world.agents.effects.filter((effect) => effect.startsWith('power'))).toHaveLength(1);
    await world.check();
  });

  it('leave what is beyond their room to each other', async () => {
    const [a, b] = await two({ taskConcurrency: 2 });
    const gate = new Gate();
    world.probe = (point) => (point === 'leased' ? gate.hold() : undefined);
    const ids = await world.create({}, 5, { hint: false });
    const found = await Promise.all([a, b, a].map(({ parts }) => parts.engine.sweep()));
    expect(found).toEqual([2, 2, 0]);
    await gate.whenHeld(4);
    world.probe = () => undefined;
    gate.open();
    await world.settle();
    for (const id of ids) expect((await world.get(id)).vmState).toBe('active');
    await world.check();
  });

  it('take one task more than they have room for when its answer comes, as soon as there is room', async () => {
    const [a, b] = await two({ taskConcurrency: 1 });
    const [first = '', second = ''] = await world.create({}, 2, { hint: false });
    for (const { parts } of [a, b]) await parts.engine.sweep();
    await world.idle();
    expect(world.waitingMail).toBe(2);
    const gate = new Gate();
    world.probe = (point) => (point === 'leased' ? gate.hold() : undefined);
    world.bury(b);
    await world.deliver();
    await gate.whenHeld(1);
    await world.deliver();
    const open = await Promise.all([first, second].map((id) => world.tasks.openOf(id)));
    expect(open.map((task) => task!.leaseOwner).sort()).toEqual([a.parts.engine.keeper.owner, null]);
    world.probe = () => undefined;
    gate.open();
    await world.idle();
    for (const id of [first, second]) expect((await world.get(id)).vmState).toBe('active');
    await world.check();
  });

  it('never take more than they have room for, however many hints and answers come at once', async () => {
    const [a, b] = await two({ taskConcurrency: 3 });
    world.bury(b);
    let most = 0;
    world.probe = async (point) => {
      if (point !== 'leased') return;
      const held = await world.db.query("SELECT id FROM tasks WHERE status = 'open' AND lease_owner IS NOT NULL");
      most = Math.max(most, held.length);
    };
    const ids = await world.create({}, 30);
    while ((await world.tasks.busyAmong(ids)).size > 0)
      await Promise.all([a.parts.engine.sweep(), ...Array.from({ length: 8 }, () => world.deliver())]);
    expect(most).toBe(3);
    for (const id of ids) expect((await world.get(id)).vmState).toBe('active');
    await world.idle();
    await world.check();
  });

  it('build a server in so many statements, beside those that asked for it', async () => {
    await two();
    const [id = ''] = await world.create({}, 1, { hint: false });
    const task = await world.tasks.openOf(id);
    const statements = await statementsOf(world.db, async () => {
      world.conductor.engine.hint(task!.id);
      await world.idle();
      await world.deliver();
      await world.idle();
    });
    expect((await world.get(id)).vmState).toBe('active');
    // lease 4, schedule 5, ports 2, spawn asked for 4, answered 4, end 5: six transactions and one read
    expect(statements).toHaveLength(24);
  });

  it('bear a hint for what they are just leasing', async () => {
    const [a] = await two();
    const [id = ''] = await world.create({}, 1, { hint: false });
    const task = await world.tasks.openOf(id);
    const sweep = a.parts.engine.sweep();
    a.parts.engine.hint(task!.id);
    expect(await sweep).toBe(1);
    await a.parts.engine.idle();
    await world.settle();
    expect((await world.get(id)).vmState).toBe('active');
  });

  it.each(['first', 'ports', 'spawn'])(
    'take up, a lease later, what one was doing in step %s when it died for good',
    async (step) => {
      await two();
      strikeAt(step, 'after-step', (by) => {
        world.bury(by);
        throw new Killed();
      });
      const began = world.now;
      const [id = ''] = await world.create();
      await world.settle();
      expect(struck).toMatch(/^c[12]$/);
      expect((await world.get(id)).vmState).toBe('active');
      expect(world.now - began).toBeLessThanOrEqual(LEASE_MS);
      await world.check();
    },
  );

  it('send, a lease later, what one was about to send when it died for good', async () => {
    await two();
    strikeAt('spawn', 'written', (by) => {
      world.bury(by);
      throw new Killed();
    });
    const began = world.now;
    const [id = ''] = await world.create();
    await world.settle();
    expect(struck).toMatch(/^c[12]$/);
    expect((await world.get(id)).vmState).toBe('active');
    expect(world.now - began).toBeLessThanOrEqual(LEASE_MS);
    expect(world.agents.effects).toEqual(['build host1']);
    await world.check();
  });

  it('send nothing a second time that is known to be sent, and await it for as long as the step says', async () => {
    const [a, b] = await two();
    world.agents.behaviour.set('host1', 'late');
    const [id = ''] = await world.create();
    await world.idle();
    for (const { parts } of [a, b]) await parts.engine.keeper.tend();
    world.now += 299_000;
    for (const { parts } of [a, b]) expect(await parts.engine.sweep()).toBe(0);
    world.agents.wake('host1');
    await world.settle();
    expect(world.agents.answers).toHaveLength(1);
    expect((await world.get(id)).vmState).toBe('active');
  });

  it('go on at once with an answer that another one had asked for, though that one is dead', async () => {
    const [a, b] = await two();
    const began = world.now;
    const [id = ''] = await world.create();
    const asker = world.conductors.at(-1)!;
    await asker.parts.engine.idle();
    expect(world.waitingMail).toBe(1);
    world.bury(asker);
    await world.deliver();
    await world.idle();
    expect((await world.get(id)).vmState).toBe('active');
    expect(world.now).toBe(began);
    expect([a, b]).toContain(world.conductors[0]);
  });

  it('do not take up what others wait for when they start again', async () => {
    const [a, b] = await two();
    world.agents.behaviour.set('host1', 'silent');
    world.agents.behaviour.set('host2', 'silent');
    world.agents.behaviour.set('host3', 'silent');
    const ids = await world.create({}, 2);
    await world.idle();
    const before = await Promise.all(ids.map((id) => world.tasks.openOf(id)));
    expect(before.map((task) => task?.sentBy).sort()).toEqual([a, b].map((c) => c.parts.engine.keeper.owner).sort());
    world.bury(a);
    const again = await world.birth(a.name);
    await again.parts.engine.sweep();
    await world.idle();
    const after = await Promise.all(ids.map((id) => world.tasks.openOf(id)));
    const fences = before.map((task, n) => [
      task?.sentBy === a.parts.engine.keeper.owner,
      after[n]!.fence - task!.fence,
    ]);
    expect(fences.sort()).toEqual([
      [false, 0],
      [true, 1],
    ]);
  });

  it('do nothing more under a lease that they could not renew, and let go of it', async () => {
    const [a, b] = await two();
    strikeAt('first', 'before-step', () => void (world.now += LEASE_MS));
    const [id = ''] = await world.create();
    await world.idle();
    expect(struck).toMatch(/^c[12]$/);
    expect(world.placement.consumers.size).toBe(0);
    const open = await world.tasks.openOf(id);
    expect(open).toMatchObject({ step: '', leaseOwner: null, fence: 1 });
    await world.settle();
    expect((await world.get(id)).vmState).toBe('active');
    expect([a, b]).toHaveLength(2);
  });

  it('do not send under a lease that ran out while the wait was written', async () => {
    await two();
    strikeAt('spawn', 'written', () => void (world.now += LEASE_MS));
    const [id = ''] = await world.create();
    await world.idle();
    expect(struck).toMatch(/^c[12]$/);
    expect(world.agents.answers).toEqual([]);
    await world.settle();
    expect(world.agents.effects).toEqual(['build host1']);
    expect((await world.get(id)).vmState).toBe('active');
  });

  it('look again as soon as there is room, when there was more than room', async () => {
    const [a] = await two({ taskConcurrency: 2 });
    const ids = await world.create({}, 7, { hint: false });
    expect(await a.parts.engine.sweep()).toBe(2);
    await a.parts.engine.idle();
    const stood = await Promise.all(ids.map((id) => world.tasks.openOf(id)));
    expect(stood.filter((task) => task?.waiting)).toHaveLength(7);
    await world.settle();
    await world.check();
  });

  it('let go of what they lease while they close', async () => {
    const [a] = await two();
    const [id = ''] = await world.create({}, 1, { hint: false });
    const sweep = a.parts.engine.sweep();
    const closed = a.parts.engine.close();
    await Promise.all([sweep, closed]);
    expect(await world.tasks.openOf(id)).toMatchObject({ leaseOwner: null });
    await world.settle();
    expect((await world.get(id)).vmState).toBe('active');
  });

  it('end a task whose server has no row, instead of taking it up for ever', async () => {
    await two();
    const [id = ''] = await world.create({}, 1, { hint: false });
    await world.db.transaction((tx) => tx.execute('DELETE FROM servers WHERE uuid = ?', [id]));
    await world.settle();
    expect(await world.tasks.ofServer(id)).toMatchObject([{ status: 'abandoned', error: { code: 'task.server' } }]);
  });
});

/** Leases in a database that is away now and then. */
class AwayLeases extends TaskLeases {
  away = false;
  override renew(owner: string, held: readonly Held[], until: number): Promise<Held[]> {
    return this.away ? gone() : super.renew(owner, held, until);
  }
  override release(held: readonly Held[]): Promise<void> {
    return this.away ? gone() : super.release(held);
  }
  override sent(owner: string, all: readonly Sent[]): Promise<void> {
    return this.away ? gone() : super.sent(owner, all);
  }
}
const gone = (): Promise<never> => Promise.reject(unavailable('away', { code: 'database.unavailable' }));

eachDatabase('a conductor that keeps leases', (_open, dialect) => {
  let world: World;
  let leases: AwayLeases;
  let keeper: LeaseKeeper;
  beforeEach(async () => {
    world = await World.make({ dialect });
    leases = new AwayLeases(world.db);
    keeper = new LeaseKeeper({
      owner: 'k/1',
      leaseMs: LEASE_MS,
      leases,
      clock: () => world.now,
      logger: silentLogger(),
    });
  });
  afterEach(() => world.end());
  const lease = async () => {
    const [id = ''] = await world.create({}, 1, { hint: false });
    const open = await world.tasks.openOf(id);
    const { task } = (await leases.one(open!.id, keeper.lease(world.now), world.now))!;
    keeper.keep(task);
    return task;
  };

  it('holds them as long as it renews them, and not a moment longer than the database knows of', async () => {
    const task = await lease();
    for (let third = 0; third < 6; third++) {
      world.now += LEASE_MS / 3;
      await keeper.tend();
      expect(keeper.holds(task)).toBe(true);
    }
    leases.away = true;
    world.now += LEASE_MS - 1;
    await keeper.tend();
    expect(keeper.holds(task)).toBe(true);
    world.now += 1;
    expect(keeper.holds(task)).toBe(false);
    expect((await world.tasks.find(task.id))?.leaseUntil).toBe(world.now);
  });

  it('holds none that was superseded when it was to be renewed, once its time is over', async () => {
    const [one, other] = [await lease(), await lease()];
    await world.act(one.serverId, 'delete', { hint: false });
    world.now += LEASE_MS / 2;
    await keeper.tend();
    world.now += LEASE_MS / 2;
    expect([keeper.holds(one), keeper.holds(other)]).toEqual([false, true]);
  });

  it('lets go in the database too, as soon as that is back', async () => {
    const task = await lease();
    leases.away = true;
    await keeper.release(task);
    expect(keeper.holds(task)).toBe(false);
    expect((await world.tasks.find(task.id))?.leaseOwner).toBe('k/1');
    await keeper.tend();
    leases.away = false;
    await keeper.tend();
    expect((await world.tasks.find(task.id))?.leaseOwner).toBeNull();
  });

  it('tells what was sent with the next round, and again when it could not', async () => {
    const task = await lease();
    const wait = { waiting: true, sentBy: 'k/1', readyAt: world.now + LEASE_MS, leaseOwner: null, leaseUntil: null };
    await world.db.transaction((tx) => world.tasks.write(tx, task.id, task.fence, wait, world.now));
    keeper.tookOver({ id: task.id, fence: task.fence, silentAt: world.now + 300_000 });
    leases.away = true;
    await keeper.tend();
    leases.away = false;
    await keeper.close();
    expect(await world.tasks.find(task.id)).toMatchObject({ sentBy: null, readyAt: world.now + 300_000 });
  });
});
