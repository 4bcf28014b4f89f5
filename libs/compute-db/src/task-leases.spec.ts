/** What a lease promises: one writer at a time, and nobody who has lost it writes another word. */
import { randomUUID } from 'node:crypto';
import { eachDatabase, onMysql, plansOf, statementsOf } from '@fractus/database/testing';
import { COMPUTE_SCHEMA } from './index';
import { LEASE_MS, NOW, TaskCloud } from './testing/task-cloud';

jest.setTimeout(60_000);

eachDatabase('leases of tasks', (open) => {
  let cloud: TaskCloud;
  let serverId: string;
  let id: string;
  beforeEach(async () => {
    cloud = new TaskCloud(await open(COMPUTE_SCHEMA));
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

    it('leaves the highest fence of the server to be read by those who keep none', async () => {
      expect(await cloud.leases.highestFence(serverId)).toBe(0);
      await cloud.leaseAs('one', NOW, id);
      await cloud.write(id, 1, { status: 'done', finishedAt: NOW });
      const second = await cloud.add({ serverId });
      expect(await cloud.leases.highestFence(serverId)).toBe(1);
      await cloud.leaseAs('two', NOW, second);
      await cloud.leases.nextFence(serverId);
      expect(await cloud.leases.highestFence(serverId)).toBe(2);
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
});

onMysql('conductors that lease at once', (open) => {
  it('get each task once, in disjoint batches, without a deadlock', async () => {
    const cloud = new TaskCloud(await open(COMPUTE_SCHEMA));
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
    const cloud = new TaskCloud(await open(COMPUTE_SCHEMA));
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
    const cloud = new TaskCloud(await open(COMPUTE_SCHEMA));
    const ids = await cloud.many(60);
    await cloud.db.query('ANALYZE TABLE tasks PERSISTENT FOR ALL');
    const some = ids.slice(0, 20);
    const plans = await plansOf(cloud.db, () => cloud.leases.these(some, { owner: 'a', until: NOW + LEASE_MS }, NOW));
    const tasks = plans.filter((line) => line.table === 'tasks');
    expect(tasks.map((line) => [line.key, line.rows])).toEqual([['uq_tasks_uuid', 20]]);
    await cloud.db.close();
  });

  it('find what is due by an index, and look at no more than they take and what that took over from', async () => {
    const cloud = new TaskCloud(await open(COMPUTE_SCHEMA));
    await cloud.many(300);
    for (let n = 0; n < 5; n++) {
      const serverId = await cloud.server();
      const first = await cloud.add({ serverId });
      await cloud.supersede(serverId);
      await cloud.add({ serverId, supersedes: first });
    }
    await cloud.db.transaction((tx) =>
      tx.execute(
        "UPDATE tasks SET status = 'done', open_key = NULL, finished_at = ready_at WHERE status = 'open' AND supersedes IS NULL AND id % 3 <> 0",
      ),
    );
    await cloud.db.query('ANALYZE TABLE tasks PERSISTENT FOR ALL');
    const plans = await plansOf(cloud.db, () => cloud.leases.due({ owner: 'a', until: 0 }, NOW, 1000));
    const tasks = plans.filter((line) => ['tasks', 'p'].includes(line.table));
    expect(tasks.map(({ table, key, extra }) => [table, key, /filesort/.test(extra)])).toEqual([
      ['tasks', 'ix_tasks_due', false],
      ['p', 'uq_tasks_uuid', false],
    ]);
    expect(tasks[1]!.rows).toBe(1);
    await cloud.db.close();
  });
});
