/** How a wait for an agent ends or is made up for, and what a conductor takes up at its start. */
import { randomUUID } from 'node:crypto';
import { eachDatabase, statementsOf } from '@fractus/database/testing';
import { COMPUTE_SCHEMA, type TaskLeases, TaskOperations, type TaskRecord } from './index';
import { HOUR, LEASE_MS, NOW, TaskCloud } from './testing/task-cloud';

jest.setTimeout(60_000);

eachDatabase('tasks that wait, or were left', (open) => {
  let cloud: TaskCloud;
  let serverId: string;
  let id: string;
  beforeEach(async () => {
    cloud = new TaskCloud(await open(COMPUTE_SCHEMA));
    serverId = await cloud.server();
    id = await cloud.add({ serverId });
  });
  afterEach(() => cloud.db.close());

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

    it('is known to be sent where an earlier wait of the same task is told in the same breath', async () => {
      await cloud.leaseAs('one/1', NOW + LEASE_MS, id);
      await cloud.write(id, 2, { ...wait, sentBy: 'one/1', readyAt: NOW + 2 * LEASE_MS });
      const sent = [1, 2].map((fence) => ({ id, fence, silentAt: NOW + fence * 100_000 }));
      await cloud.leases.sent('one/1', sent);
      expect(await cloud.get(id)).toMatchObject({ waiting: true, sentBy: null, readyAt: NOW + 200_000 });
      await cloud.leaseAs('one/1', NOW + 200_000, id);
      await cloud.leases.release([2, 3].map((fence) => ({ id, fence })));
      expect(await cloud.get(id)).toMatchObject({ fence: 3, leaseOwner: null });
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
