/** What a lease promises: one writer at a time, and nobody who has lost it writes another word. */
import { randomUUID } from 'node:crypto';
import type { Database } from '@fractus/database';
import { eachDatabase, onMysql, plansOf, statementsOf } from '@fractus/database/testing';
import type { RequestContext } from '@fractus/objects';
import {
  COMPUTE_SCHEMA,
  newServerRow,
  TaskLeases,
  TaskOperations,
  type TaskPatch,
  type TaskRecord,
  TasksRepository,
} from './index';

jest.setTimeout(60_000);

const ctx: RequestContext = { requestId: 'req-1', userId: 'u1', projectId: 'p1', roles: ['member'] };
const NOW = 1_800_000_000_000;
const LEASE_MS = 30_000;
const HOUR = 3_600_000;

class Cloud {
  readonly tasks: TasksRepository;
  readonly leases: TaskLeases;
  constructor(readonly db: Database) {
    this.tasks = new TasksRepository(db);
    this.leases = new TaskLeases(db);
  }

  async server(): Promise<string> {
    const id = randomUUID();
    const flavor = { flavorId: 'f', name: 'f', vcpus: 1, memoryMb: 512, rootGb: 1, ephemeralGb: 0, swapMb: 0 };
    const server = {
      ...{ id, projectId: 'p1', userId: 'u1', name: 'web', hostname: 'web', image: null },
      ...{ flavor: { ...flavor, extraSpecs: {} }, requestedNetworks: 'none' as const, reservationId: 'r-1' },
    };
    await this.db.transaction((tx) => tx.insert('servers', newServerRow(server, NOW)));
    return id;
  }

  /** A task of the server, or of one of its own. */
  async add(options: { serverId?: string; supersedes?: string } = {}): Promise<string> {
    const { serverId = await this.server(), supersedes } = options;
    const id = randomUUID();
    const task = { id, type: 'build-server' as const, serverId, projectId: 'p1', context: ctx, actionId: null };
    await this.db.transaction((tx) =>
      this.tasks.insert(tx, { ...task, expiresAt: NOW + HOUR, ...(supersedes ? { supersedes } : {}) }, NOW),
    );
    return id;
  }

  async many(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let i = 0; i < count; i++) ids.push(await this.add());
    return ids;
  }

  async get(id: string): Promise<TaskRecord> {
    return (await this.tasks.find(id))!;
  }

  write(id: string, fence: number, patch: TaskPatch, now = NOW): Promise<boolean> {
    return this.db.transaction((tx) => this.tasks.write(tx, id, fence, patch, now));
  }

  async leaseAs(owner: string, now: number, id: string): Promise<TaskRecord | null> {
    return (await this.leases.one(id, { owner, until: now + LEASE_MS }, now))?.task ?? null;
  }

  async dueAs(owner: string, now: number, limit: number, except: string[] = []): Promise<string[]> {
    const leased = await this.leases.due({ owner, until: now + LEASE_MS }, now, limit, except);
    return leased.map(({ task }) => task.id);
  }

  async supersede(serverId: string): Promise<void> {
    await this.db.transaction(async (tx) => {
      const open = await this.tasks.lockOpen(tx, serverId);
      await this.tasks.supersede(tx, open!, NOW);
    });
  }
}

eachDatabase('leases of tasks', (open) => {
  let cloud: Cloud;
  let serverId: string;
  let id: string;
  beforeEach(async () => {
    cloud = new Cloud(await open(COMPUTE_SCHEMA));
    serverId = await cloud.server();
    id = await cloud.add({ serverId });
  });
  afterEach(() => cloud.db.close());

  describe('a lease', () => {
    it('is for one holder until it has run out, to the millisecond', async () => {
      expect(await cloud.leaseAs('one', NOW, id)).toMatchObject({ fence: 1, leaseOwner: 'one' });
      expect(await cloud.leaseAs('two', NOW, id)).toBeNull();
      expect(await cloud.leaseAs('two', NOW + LEASE_MS - 1, id)).toBeNull();
      expect(await cloud.leaseAs('two', NOW + LEASE_MS, id)).toMatchObject({ fence: 2, leaseOwner: 'two' });
    });

    it('is not given before the task is due', async () => {
      await cloud.leaseAs('one', NOW, id);
      await cloud.write(id, 1, { readyAt: NOW + 500, leaseOwner: null, leaseUntil: null });
      expect(await cloud.leaseAs('one', NOW + 499, id)).toBeNull();
      expect(await cloud.leaseAs('one', NOW + 500, id)).not.toBeNull();
    });

    it('comes with the server as it is, and a fence that grows over all of its tasks', async () => {
      const [first] = await cloud.leases.due({ owner: 'one', until: NOW + 1 }, NOW, 1);
      expect(first?.server).toMatchObject({ id: serverId, fence: 1, name: 'web' });
      await cloud.write(id, 1, { status: 'done', finishedAt: NOW });
      const second = await cloud.add({ serverId });
      expect(await cloud.leaseAs('two', NOW, second)).toMatchObject({ fence: 2 });
      expect(await cloud.get(second)).toMatchObject({ fence: 2, leaseOwner: 'two', leaseUntil: NOW + LEASE_MS });
    });

    it('is given for a task without a server too, so that it can be ended', async () => {
      await cloud.db.transaction((tx) => tx.execute('DELETE FROM servers WHERE uuid = ?', [serverId]));
      const [leased] = await cloud.leases.these([id], { owner: 'one', until: NOW + 1 }, NOW);
      expect(leased).toMatchObject({ server: null, task: { fence: 1 } });
      expect(await cloud.write(id, 1, { status: 'abandoned', finishedAt: NOW })).toBe(true);
    });

    it('lets its holder write, and nobody who held it before or might hold it later', async () => {
      await cloud.leaseAs('one', NOW, id);
      await cloud.leaseAs('two', NOW + LEASE_MS, id);
      expect(await cloud.write(id, 1, { step: 'late' })).toBe(false);
      expect(await cloud.write(id, 3, { step: 'early' })).toBe(false);
      expect(await cloud.write(id, 2, { step: 'ports' })).toBe(true);
      expect(await cloud.get(id)).toMatchObject({ step: 'ports', fence: 2, leaseOwner: 'two' });
    });

    it('once lost is neither renewed nor let go by who held it', async () => {
      await cloud.leaseAs('one', NOW, id);
      await cloud.leaseAs('two', NOW + LEASE_MS, id);
      expect(await cloud.leases.renew('one', [{ id, fence: 1 }], NOW + 9 * LEASE_MS)).toEqual([]);
      await cloud.leases.release([{ id, fence: 1 }]);
      expect(await cloud.get(id)).toMatchObject({ leaseOwner: 'two', leaseUntil: NOW + 2 * LEASE_MS });
    });

    it('that has run out is renewed as long as nobody took the task', async () => {
      await cloud.leaseAs('one', NOW, id);
      expect(await cloud.leases.renew('one', [{ id, fence: 1 }], NOW + 3 * LEASE_MS)).toEqual([{ id, fence: 1 }]);
      expect(await cloud.leaseAs('two', NOW + 2 * LEASE_MS, id)).toBeNull();
    });

    it('writes nothing more once the task has ended', async () => {
      await cloud.leaseAs('one', NOW, id);
      expect(await cloud.write(id, 1, { status: 'done', finishedAt: NOW })).toBe(true);
      expect(await cloud.write(id, 1, { step: 'after the end' })).toBe(false);
      expect(await cloud.leaseAs('two', NOW + LEASE_MS, id)).toBeNull();
    });
  });

  describe('a batch', () => {
    it('is taken longest due first, as many as asked for, none of the excepted, none twice', async () => {
      const ids = [id, ...(await cloud.many(4))];
      for (const [n, one] of ids.entries()) {
        await cloud.leaseAs('c', NOW, one);
        await cloud.write(one, 1, { readyAt: NOW + n, leaseOwner: null, leaseUntil: null });
      }
      expect(await cloud.dueAs('one', NOW + 10, 2, [ids[0]!])).toEqual([ids[1], ids[2]]);
      expect(await cloud.dueAs('two', NOW + 10, 9)).toEqual([ids[0], ids[3], ids[4]]);
      expect(await cloud.dueAs('one', NOW + 10, 9)).toEqual([]);
    });

    it('of hints leases those that are due, and passes over the rest', async () => {
      const [other] = await cloud.many(1);
      await cloud.leaseAs('two', NOW, other!);
      const leased = await cloud.leases.these([id, other!, randomUUID()], { owner: 'one', until: NOW + 1 }, NOW);
      expect(leased.map(({ task }) => task.id)).toEqual([id]);
    });

    it('takes as many statements as one task', async () => {
      await cloud.many(20);
      const one = await statementsOf(cloud.db, () => cloud.dueAs('one', NOW, 1));
      const all = await statementsOf(cloud.db, () => cloud.dueAs('one', NOW, 20));
      expect([one.length, all.length]).toEqual([4, 4]);
      expect(await statementsOf(cloud.db, () => cloud.dueAs('one', NOW, 20))).toHaveLength(1);
    });

    it('is renewed and let go of in one statement; those that were lost are told apart', async () => {
      const ids = [id, ...(await cloud.many(3))];
      const leased = await cloud.leases.these(ids, { owner: 'one', until: NOW + LEASE_MS }, NOW);
      const held = leased.map(({ task }) => ({ id: task.id, fence: task.fence }));
      const until = NOW + 2 * LEASE_MS;
      const renewed = await statementsOf(cloud.db, () => cloud.leases.renew('one', held, until));
      expect(renewed).toHaveLength(1);
      await cloud.supersede(serverId);
      const left = await cloud.leases.renew('one', held, until + 1);
      expect(left.map((h) => h.id).sort()).toEqual(ids.slice(1).sort());
      expect((await cloud.get(id)).leaseUntil).toBe(until);
      expect(await statementsOf(cloud.db, () => cloud.leases.release(held))).toHaveLength(1);
      for (const one of ids) expect((await cloud.get(one)).leaseOwner).toBeNull();
    });
  });

  describe('a task that was superseded', () => {
    it('is written no more by its holder, who can only let go', async () => {
      await cloud.leaseAs('one', NOW, id);
      await cloud.supersede(serverId);
      expect(await cloud.write(id, 1, { step: 'spawn' })).toBe(false);
      expect(await cloud.leases.renew('one', [{ id, fence: 1 }], NOW + 9 * LEASE_MS)).toEqual([]);
      expect(await cloud.get(id)).toMatchObject({ status: 'superseded', step: '', leaseOwner: 'one' });
    });

    it('holds its successor up until its holder lets go, and others not at all', async () => {
      await cloud.leaseAs('one', NOW, id);
      await cloud.supersede(serverId);
      const successor = await cloud.add({ serverId, supersedes: id });
      const [other] = await cloud.many(1);
      expect(await cloud.leaseAs('two', NOW, successor)).toBeNull();
      expect(await cloud.dueAs('two', NOW, 1)).toEqual([other]);
      await cloud.leases.release([{ id, fence: 1 }]);
      expect(await cloud.dueAs('two', NOW, 1)).toEqual([successor]);
      expect(await cloud.get(successor)).toMatchObject({ fence: 2, supersedes: id });
    });

    it('holds its successor up no longer than its lease lasts', async () => {
      await cloud.leaseAs('one', NOW, id);
      await cloud.supersede(serverId);
      const successor = await cloud.add({ serverId, supersedes: id });
      expect(await cloud.leaseAs('two', NOW + LEASE_MS - 1, successor)).toBeNull();
      expect(await cloud.leaseAs('two', NOW + LEASE_MS, successor)).not.toBeNull();
    });
  });

  describe('a wait', () => {
    const key = { step: 'spawn', attempt: 1 };
    const wait = { ...key, waiting: true, awaitsHost: 'h1', leaseOwner: null, leaseUntil: null };

    beforeEach(async () => {
      await cloud.leaseAs('one/1', NOW, id);
      await cloud.write(id, 1, { ...wait, sentBy: 'one/1', readyAt: NOW + LEASE_MS });
    });

    it('is ended by an answer to just that attempt of just that step, once', async () => {
      const { tasks } = cloud;
      const answered = () => ({ answered: true });
      expect(await tasks.answer({ taskId: id, ...key, attempt: 2 }, answered, NOW)).toBe(false);
      expect(await tasks.answer({ taskId: id, ...key, step: 'ports' }, answered, NOW)).toBe(false);
      expect(await tasks.answer({ taskId: id, ...key }, answered, NOW)).toBe(true);
      expect(await tasks.answer({ taskId: id, ...key }, answered, NOW)).toBe(false);
      expect(await cloud.get(id)).toMatchObject({ waiting: false, awaitsHost: null, sentBy: null, state: { answered: true } }); // prettier-ignore
    });

    it('is ended by an answer that leases the task too, in as many statements as a lease takes', async () => {
      const lease = { owner: 'two/1', until: NOW + 9 + LEASE_MS };
      const change = (task: TaskRecord) => ({ ...task.state, answered: true });
      let answered: Awaited<ReturnType<TaskLeases['answer']>> | undefined;
      const work = async () => void (answered = await cloud.leases.answer(id, change, lease, NOW + 9));
      expect(await statementsOf(cloud.db, work)).toHaveLength(4);
      expect(answered).toMatchObject({ stored: true, task: { waiting: true }, leased: { server: { id: serverId } } });
      const { task } = answered!.leased!;
      expect(task).toMatchObject({ fence: 2, leaseOwner: 'two/1', waiting: false, state: { answered: true } });
      expect(await cloud.get(id)).toEqual(task);
      expect(await cloud.leaseAs('one/1', NOW + 9, id)).toBeNull();
      expect(await cloud.write(id, task.fence, { step: 'done' })).toBe(true);
    });

    it('is ended by an answer that leases nothing where another has just leased it, or nobody has room', async () => {
      const [other] = await cloud.many(1);
      await cloud.leaseAs('one/1', NOW, other!);
      await cloud.write(other!, 1, { ...wait, readyAt: NOW });
      await cloud.leaseAs('one/1', NOW, other!);
      const lease = { owner: 'two/1', until: NOW + LEASE_MS };
      const yes = () => ({ answered: true });
      expect(await cloud.leases.answer(other!, yes, lease, NOW)).toMatchObject({ stored: true, leased: null });
      expect(await cloud.get(other!)).toMatchObject({ leaseOwner: 'one/1', fence: 2, waiting: false });
      expect(await cloud.leases.answer(id, yes, null, NOW)).toMatchObject({ stored: true, leased: null });
      expect(await cloud.get(id)).toMatchObject({ leaseOwner: null, fence: 1, readyAt: NOW, waiting: false });
    });

    it('is left as it is by an answer to something else, and the task is shown', async () => {
      const before = await cloud.get(id);
      const lease = { owner: 'two/1', until: NOW + LEASE_MS };
      const answered = await cloud.leases.answer(id, () => null, lease, NOW);
      expect(answered).toEqual({ task: before, stored: false, leased: null });
      expect(await cloud.get(id)).toEqual(before);
      expect(await cloud.leases.answer(randomUUID(), () => ({}), lease, NOW)).toMatchObject({ task: null });
    });

    it('is prolonged by a sign of life of its host alone, never past the cap of the task', async () => {
      const heard = (until: number, host = 'h1') =>
        cloud.db.transaction((tx) => cloud.tasks.heard(tx, { taskId: id, ...key, host }, until));
      expect(await heard(NOW + 5000, 'h2')).toBe(false);
      expect(await heard(NOW + 50_000)).toBe(true);
      expect(await cloud.get(id)).toMatchObject({ readyAt: NOW + 50_000, sentBy: null });
      expect(await heard(NOW + 1e9)).toBe(true);
      expect((await cloud.get(id)).readyAt).toBe(NOW + HOUR);
    });

    it('that an older release wrote is prolonged by the host in its state', async () => {
      await cloud.write(id, 1, { awaitsHost: 'h9', state: { $: { host: 'h2' } } });
      const heard = (host: string) =>
        cloud.db.transaction((tx) => cloud.tasks.heard(tx, { taskId: id, ...key, host }, NOW + 50_000));
      expect(await heard('h3')).toBe(false);
      expect(await heard('h2')).toBe(true);
      expect(await cloud.get(id)).toMatchObject({ readyAt: NOW + 50_000, awaitsHost: 'h2' });
    });

    it('is taken back only by who let go of it, while nobody else has taken it on', async () => {
      const mine = await cloud.get(id);
      expect(await cloud.leases.takeBack(mine, { owner: 'one/1', until: NOW + LEASE_MS })).toBe(true);
      await cloud.write(id, 1, { ...wait, readyAt: NOW + LEASE_MS });
      await cloud.leaseAs('two', NOW + LEASE_MS, id);
      expect(await cloud.leases.takeBack(mine, { owner: 'one/1', until: NOW + LEASE_MS })).toBe(false);
      expect(await cloud.get(id)).toMatchObject({ leaseOwner: 'two', fence: 2 });
    });

    it('counts silence from when its message is known to be sent, told for many at once and late', async () => {
      const [other] = await cloud.many(1);
      await cloud.leaseAs('one/1', NOW, other!);
      await cloud.write(other!, 1, { ...wait, sentBy: 'one/1', readyAt: NOW + LEASE_MS });
      await cloud.tasks.answer({ taskId: other!, ...key }, () => ({}), NOW);
      const sent = [id, other!].map((one) => ({ id: one, fence: 1, silentAt: NOW + 300_000 }));
      expect(await statementsOf(cloud.db, () => cloud.leases.sent('one/1', sent))).toHaveLength(1);
      expect(await cloud.get(id)).toMatchObject({ waiting: true, sentBy: null, readyAt: NOW + 300_000 });
      expect(await cloud.get(other!)).toMatchObject({ waiting: false, readyAt: NOW });
    });

    it('of a later lease is not taken for sent by word of an earlier one', async () => {
      await cloud.leaseAs('one/1', NOW + LEASE_MS, id);
      await cloud.write(id, 2, { ...wait, sentBy: 'one/1', readyAt: NOW + 2 * LEASE_MS });
      await cloud.leases.sent('one/1', [{ id, fence: 1, silentAt: NOW + 300_000 }]);
      expect(await cloud.get(id)).toMatchObject({ sentBy: 'one/1', readyAt: NOW + 2 * LEASE_MS });
    });

    it('is over at once when an operator wants the task ended, whatever is written or heard after', async () => {
      const operations = new TaskOperations(cloud.db, { clock: () => NOW + 5 });
      await operations.abandon(id, { by: 'ann' });
      await cloud.leases.sent('one/1', [{ id, fence: 1, silentAt: NOW + 300_000 }]);
      const progress = { taskId: id, ...key, host: 'h1' };
      expect(await cloud.db.transaction((tx) => cloud.tasks.heard(tx, progress, NOW + 9000))).toBe(false);
      expect((await cloud.get(id)).readyAt).toBe(NOW + 5);
      await cloud.leaseAs('two/1', NOW + 5, id);
      await cloud.write(id, 2, { readyAt: NOW + 60_000, leaseOwner: null, leaseUntil: null }, NOW + 6);
      expect((await cloud.get(id)).readyAt).toBe(NOW + 6);
      await cloud.leaseAs('two/1', NOW + 6, id);
      await cloud.write(id, 3, { readyAt: NOW + 60_000, endRequest: null, leaseOwner: null }, NOW + 7);
      await cloud.write(id, 3, { readyAt: NOW + 60_000 }, NOW + 7);
      expect((await cloud.get(id)).readyAt).toBe(NOW + 60_000);
    });
  });

  describe('a restart', () => {
    const recover = (instance: string, life: number): Promise<number> =>
      cloud.leases.recover({ instance, current: `${instance}/${life}` }, NOW + 1);

    it('drops the leases of former lives of this instance, and of no other that is merely named alike', async () => {
      const [mine, now, alike, wild, longer] = [id, ...(await cloud.many(4))] as [string, string, string, string, string]; // prettier-ignore
      await cloud.leaseAs('a_b/1', NOW, mine);
      await cloud.leaseAs('a_b/2', NOW, now);
      await cloud.leaseAs('axb/1', NOW, alike);
      await cloud.leaseAs('a%b/1', NOW, wild);
      await cloud.leaseAs('a_b1/1', NOW, longer);
      expect(await recover('a_b', 2)).toBe(1);
      const owners = await Promise.all([mine, now, alike, wild, longer].map((one) => cloud.get(one)));
      expect(owners.map((t) => t.leaseOwner)).toEqual([null, 'a_b/2', 'axb/1', 'a%b/1', 'a_b1/1']);
    });

    it('lets go of what was superseded too, so that its successor may begin', async () => {
      await cloud.leaseAs('one/1', NOW, id);
      await cloud.supersede(serverId);
      const successor = await cloud.add({ serverId, supersedes: id });
      await recover('one', 2);
      expect(await cloud.leaseAs('two/1', NOW + 1, successor)).not.toBeNull();
    });

    it('has sent at once what this instance may not have sent, and waits on for the rest', async () => {
      const [mine, sent, theirs] = [id, ...(await cloud.many(2))] as [string, string, string];
      const owners: [string, string, string | null][] = [
        [mine, 'one/1', 'one/1'],
        [sent, 'one/1', null],
        [theirs, 'two/1', 'two/1'],
      ];
      for (const [task, owner, sentBy] of owners) {
        await cloud.leaseAs(owner, NOW, task);
        const wait = { waiting: true, readyAt: NOW + 60_000, leaseOwner: null, leaseUntil: null };
        await cloud.write(task, 1, { ...wait, sentBy });
      }
      expect(await recover('one', 2)).toBe(1);
      expect(await cloud.dueAs('one/2', NOW + 1, 9)).toEqual([mine]);
      expect(await cloud.get(mine)).toMatchObject({ waiting: true, sentBy: 'one/1', expiresAt: NOW + HOUR });
    });
  });

  describe('a time in which no conductor lived', () => {
    const later = NOW + 24 * HOUR;

    beforeEach(async () => {
      await cloud.leaseAs('one/1', NOW, id);
      await cloud.write(id, 1, { waiting: true, readyAt: NOW + 300_000, leaseOwner: null, leaseUntil: null });
    });

    it('is given back to tasks, and what is awaited is asked for again', async () => {
      expect(await cloud.leases.revive(null, later)).toBe(1);
      expect(await cloud.leaseAs('one/2', later, id)).toMatchObject({ expiresAt: later + HOUR, fence: 2, waiting: false }); // prettier-ignore
    });

    it('is given back once: a second start at the same moment adds nothing', async () => {
      await cloud.leases.revive(null, later);
      await cloud.leases.revive(null, later);
      expect((await cloud.leaseAs('one/2', later, id))?.expiresAt).toBe(later + HOUR);
    });

    it('counts from when the last conductor was seen, where that is known', async () => {
      await cloud.leases.revive(later - 60_000, later);
      expect((await cloud.get(id)).expiresAt).toBe(NOW + HOUR + 60_000);
    });
  });
});

onMysql('conductors that lease at once', (open) => {
  it('get each task once, in disjoint batches, without a deadlock', async () => {
    const cloud = new Cloud(await open(COMPUTE_SCHEMA));
    const ids = await cloud.many(200);
    const taken: string[] = [];
    let asked = 0;
    const conductor = async (owner: string): Promise<void> => {
      for (let none = 0; none < 3;) {
        asked++;
        const batch = await cloud.dueAs(owner, NOW, 7);
        taken.push(...batch);
        none = batch.length === 0 ? none + 1 : 0;
      }
    };
    // a unit of work that lost a deadlock would begin with its first statement again
    const picks = await statementsOf(cloud.db, () => Promise.all(['a', 'b', 'c', 'd', 'e'].map(conductor)));
    expect(picks.filter((sql) => /SKIP LOCKED/.test(sql)).length).toBe(asked);
    expect([...taken].sort()).toEqual([...ids].sort());
    const fences = await cloud.db.query<{ n: number }>('SELECT COUNT(*) AS n FROM servers WHERE fence = 1');
    expect(fences[0]?.n).toBe(200);
    await cloud.db.close();
  });

  it('pass over a task that another is just leasing, without waiting for it', async () => {
    const cloud = new Cloud(await open(COMPUTE_SCHEMA));
    const [first, second] = await cloud.many(2);
    let go: () => void = () => undefined;
    // begun outside, so that it is no part of the transaction below
    const beside = new Promise<void>((resolve) => (go = resolve)).then(() => cloud.dueAs('b', NOW, 9));
    await cloud.db.transaction(async (tx) => {
      await tx.query('SELECT id FROM tasks WHERE uuid = ? FOR UPDATE', [first!]);
      go();
      expect(await beside).toEqual([second]);
    });
    expect(await cloud.dueAs('b', NOW, 9)).toEqual([first]);
    await cloud.db.close();
  });

  it('find the tasks that they were hinted at by id, though few are open', async () => {
    const cloud = new Cloud(await open(COMPUTE_SCHEMA));
    const ids = await cloud.many(60);
    await cloud.db.query('ANALYZE TABLE tasks PERSISTENT FOR ALL');
    const some = ids.slice(0, 20);
    const plans = await plansOf(cloud.db, () => cloud.leases.these(some, { owner: 'a', until: NOW + LEASE_MS }, NOW));
    const tasks = plans.filter((line) => line.table === 'tasks');
    expect(tasks.map((line) => [line.key, line.rows])).toEqual([['uq_tasks_uuid', 20]]);
    await cloud.db.close();
  });

  it('find what is due by an index, and look at no more than they take', async () => {
    const cloud = new Cloud(await open(COMPUTE_SCHEMA));
    await cloud.many(300);
    await cloud.db.transaction((tx) =>
      tx.execute("UPDATE tasks SET status = 'done', open_key = NULL, finished_at = ready_at WHERE id % 3 <> 0"),
    );
    await cloud.db.query('ANALYZE TABLE tasks PERSISTENT FOR ALL');
    const plans = await plansOf(cloud.db, () => cloud.leases.due({ owner: 'a', until: 0 }, NOW, 10));
    const tasks = plans.filter((line) => line.table === 'tasks');
    expect(tasks.map(({ key, extra }) => [key, /filesort/.test(extra)])).toEqual([['ix_tasks_due', false]]);
    expect(Math.max(...tasks.map((line) => line.rows))).toBeLessThanOrEqual(10);
    await cloud.db.close();
  });
});
