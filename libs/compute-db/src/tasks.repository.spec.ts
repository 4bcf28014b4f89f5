/** What a lease promises: one writer at a time, and nobody who has lost it writes another word. */
import { randomUUID } from 'node:crypto';
import type { Database } from '@fractus/database';
import type { RequestContext } from '@fractus/objects';
import { openComputeDatabase } from './compute-database';
import { newServerRow } from './server';
import type { TaskPatch } from './task-record';
import { TasksRepository } from './tasks.repository';

const ctx: RequestContext = { requestId: 'req-1', userId: 'u1', projectId: 'p1', roles: ['member'] };
const NOW = 1_800_000_000_000;
const LEASE_MS = 30_000;

let db: Database;
let tasks: TasksRepository;
let serverId: string;
let taskId: string;

const add = async (id: string, supersedes?: string): Promise<void> => {
  const task = { id, type: 'build-server' as const, serverId, projectId: 'p1', context: ctx, actionId: null };
  const times = { expiresAt: NOW + 3_600_000 };
  await db.transaction((tx) => tasks.insert(tx, { ...task, ...times, ...(supersedes ? { supersedes } : {}) }, NOW));
};
const leaseAs = (owner: string, now: number, id = taskId) => tasks.lease(id, { owner, until: now + LEASE_MS }, now);
const write = (fence: number, patch: TaskPatch, id = taskId): Promise<boolean> =>
  db.transaction((tx) => tasks.write(tx, id, fence, patch, NOW));
const supersede = (): Promise<void> =>
  db.transaction(async (tx) => {
    const open = await tasks.lockOpen(tx, serverId);
    await tasks.supersede(tx, open!, NOW);
  });

beforeEach(async () => {
  db = await openComputeDatabase({ url: 'sqlite::memory:' });
  tasks = new TasksRepository(db);
  serverId = randomUUID();
  taskId = randomUUID();
  const flavor = { flavorId: 'f', name: 'f', vcpus: 1, memoryMb: 512, rootGb: 1, ephemeralGb: 0, swapMb: 0 };
  const server = {
    ...{ id: serverId, projectId: 'p1', userId: 'u1', name: 'web', hostname: 'web', image: null },
    ...{ flavor: { ...flavor, extraSpecs: {} }, requestedNetworks: 'none' as const, reservationId: 'r-1' },
  };
  await db.transaction((tx) => tx.insert('servers', newServerRow(server, NOW)));
  await add(taskId);
});
afterEach(() => db.close());

describe('a lease', () => {
  it('is for one holder until it has run out, to the millisecond', async () => {
    expect(await leaseAs('one', NOW)).toMatchObject({ fence: 1, leaseOwner: 'one' });
    expect(await leaseAs('two', NOW)).toBeNull();
    expect(await leaseAs('two', NOW + LEASE_MS - 1)).toBeNull();
    expect(await leaseAs('two', NOW + LEASE_MS)).toMatchObject({ fence: 2, leaseOwner: 'two' });
  });

  it('is not given before the task is due', async () => {
    await leaseAs('one', NOW);
    await write(1, { readyAt: NOW + 500, leaseOwner: null, leaseUntil: null });
    expect(await leaseAs('one', NOW + 499)).toBeNull();
    expect(await leaseAs('one', NOW + 500)).not.toBeNull();
  });

  it('lets its holder write, and nobody who held it before or might hold it later', async () => {
    await leaseAs('one', NOW);
    await leaseAs('two', NOW + LEASE_MS);
    expect(await write(1, { step: 'late' })).toBe(false);
    expect(await write(3, { step: 'early' })).toBe(false);
    expect(await write(2, { step: 'ports' })).toBe(true);
    expect(await tasks.find(taskId)).toMatchObject({ step: 'ports', fence: 2, leaseOwner: 'two' });
  });

  it('once lost is neither renewed nor let go by who held it', async () => {
    await leaseAs('one', NOW);
    await leaseAs('two', NOW + LEASE_MS);
    expect(await tasks.renew(taskId, 1, NOW + 9 * LEASE_MS)).toBe(false);
    await tasks.release(taskId, 1);
    expect(await tasks.find(taskId)).toMatchObject({ leaseOwner: 'two', leaseUntil: NOW + 2 * LEASE_MS });
  });

  it('writes nothing more once the task has ended', async () => {
    await leaseAs('one', NOW);
    expect(await write(1, { status: 'done', finishedAt: NOW })).toBe(true);
    expect(await write(1, { step: 'after the end' })).toBe(false);
    expect(await leaseAs('two', NOW + LEASE_MS)).toBeNull();
  });
});

describe('a task that was superseded', () => {
  it('is written no more by its holder, who can only let go', async () => {
    await leaseAs('one', NOW);
    await supersede();
    expect(await write(1, { step: 'spawn' })).toBe(false);
    expect(await tasks.renew(taskId, 1, NOW + 9 * LEASE_MS)).toBe(false);
    expect(await tasks.find(taskId)).toMatchObject({ status: 'superseded', step: '', leaseOwner: 'one' });
  });

  it('holds its successor up until its holder lets go', async () => {
    const successor = randomUUID();
    await leaseAs('one', NOW);
    await supersede();
    await add(successor, taskId);
    expect(await leaseAs('two', NOW, successor)).toBeNull();
    await tasks.release(taskId, 1);
    expect(await leaseAs('two', NOW, successor)).toMatchObject({ fence: 2, supersedes: taskId });
  });

  it('holds its successor up no longer than its lease lasts', async () => {
    const successor = randomUUID();
    await leaseAs('one', NOW);
    await supersede();
    await add(successor, taskId);
    expect(await leaseAs('two', NOW + LEASE_MS - 1, successor)).toBeNull();
    expect(await leaseAs('two', NOW + LEASE_MS, successor)).not.toBeNull();
  });
});

describe('a wait', () => {
  const key = { step: 'spawn', attempt: 1 };

  beforeEach(async () => {
    await leaseAs('one', NOW);
    await write(1, { ...key, waiting: true, readyAt: NOW + 1000, leaseOwner: null, leaseUntil: null });
  });

  it('is ended by an answer to just that attempt of just that step, once', async () => {
    const answered = () => ({ answered: true });
    expect(await tasks.answer({ taskId, ...key, attempt: 2 }, answered, NOW)).toBe(false);
    expect(await tasks.answer({ taskId, ...key, step: 'ports' }, answered, NOW)).toBe(false);
    expect(await tasks.answer({ taskId, ...key }, answered, NOW)).toBe(true);
    expect(await tasks.answer({ taskId, ...key }, answered, NOW)).toBe(false);
    expect(await tasks.find(taskId)).toMatchObject({ waiting: false, state: { answered: true } });
  });

  it('is prolonged by a sign of life, never past the cap of the task', async () => {
    const heard = (until: number) => db.transaction((tx) => tasks.heard(tx, { taskId, ...key }, until));
    expect(await heard(NOW + 5000)).toBe(true);
    expect((await tasks.find(taskId))?.readyAt).toBe(NOW + 5000);
    expect(await heard(NOW + 1e9)).toBe(true);
    expect((await tasks.find(taskId))?.readyAt).toBe(NOW + 3_600_000);
  });

  it('is taken back only by who let go of it, while nobody else has taken it on', async () => {
    const mine = (await tasks.find(taskId))!;
    await leaseAs('two', NOW + 1000);
    expect(await tasks.takeBack(mine, { owner: 'one', until: NOW + LEASE_MS })).toBe(false);
    expect(await tasks.find(taskId)).toMatchObject({ leaseOwner: 'two', fence: 2 });
  });
});

describe('a restart', () => {
  const later = NOW + 24 * 3_600_000;
  const recover = (now: number): Promise<number> => tasks.recover({ instance: 'one', current: 'one/2' }, now);

  it('gives a task the time back in which nobody worked on it', async () => {
    await leaseAs('one/1', NOW);
    await write(1, { waiting: true, readyAt: NOW + 300_000 });
    expect(await recover(later)).toBe(1);
    expect(await tasks.lease(taskId, { owner: 'one/2', until: later + LEASE_MS }, later)).toMatchObject({
      expiresAt: later + 3_600_000,
      fence: 2,
    });
  });

  it('does so once: a second restart at the same moment adds nothing', async () => {
    await leaseAs('one/1', NOW);
    await write(1, { waiting: true, readyAt: NOW + 300_000 });
    await recover(later);
    await recover(later);
    expect((await leaseAs('one/2', later))?.expiresAt).toBe(later + 3_600_000);
  });
});
