/** What operators see of tasks and ask of them, as far as the rows go; what conductors make of it is their own tests' affair. */
import { randomUUID } from 'node:crypto';
import type { Database } from '@fractus/database';
import { eachDatabase, onMysql, plansOf, statementsOf } from '@fractus/database/testing';
import type { RequestContext } from '@fractus/objects';
import type { TaskType } from '@fractus/server-lifecycle';
import {
  COMPUTE_SCHEMA,
  engineState,
  InstanceActionsRepository,
  newServerRow,
  TaskOperations,
  type TaskPatch,
  TasksRepository,
  withEngine,
} from './index';

const ctx: RequestContext = { requestId: 'req-1', userId: 'u1', projectId: 'p1', roles: ['member'] };
const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const CAP = 60 * MINUTE;

interface Cloud {
  readonly db: Database;
  readonly tasks: TasksRepository;
  readonly operations: TaskOperations;
  now: number;
  /** A server with a task of the type; the task's id. */
  add(type?: TaskType, projectId?: string): Promise<string>;
  write(id: string, patch: TaskPatch): Promise<void>;
  serverOf(id: string): Promise<string>;
}

function cloudOver(db: Database): Cloud {
  const tasks = new TasksRepository(db);
  const actions = new InstanceActionsRepository(db);
  const flavor = { flavorId: 'f', name: 'f', vcpus: 1, memoryMb: 64, rootGb: 1, ephemeralGb: 0, swapMb: 0 };
  const cloud: Cloud = {
    db,
    tasks,
    now: NOW,
    operations: new TaskOperations(db, { clock: () => cloud.now }),
    async add(type = 'build-server', projectId = 'p1') {
      const [id, serverId] = [randomUUID(), randomUUID()];
      const server = {
        ...{ id: serverId, projectId, userId: 'u1', name: 'web', hostname: 'web', image: null },
        ...{ flavor: { ...flavor, extraSpecs: {} }, requestedNetworks: 'none' as const, reservationId: 'r-1' },
      };
      await db.transaction(async (tx) => {
        await tx.insert('servers', newServerRow(server, cloud.now));
        const actionId = await actions.start(tx, ctx, serverId, 'create', cloud.now);
        const task = { id, type, serverId, projectId, context: ctx, actionId, input: { adminPassword: 'secret' } };
        await tasks.insert(tx, { ...task, expiresAt: cloud.now + CAP }, cloud.now);
      });
      return id;
    },
    async write(id, patch) {
      const { fence } = (await tasks.find(id))!;
      expect(await db.transaction((tx) => tasks.write(tx, id, fence, patch, cloud.now))).toBe(true);
    },
    serverOf: async (id) => (await tasks.find(id))!.serverId,
  };
  return cloud;
}

eachDatabase('operators and tasks', (open) => {
  let cloud: Cloud;
  beforeEach(async () => {
    cloud = cloudOver(await open(COMPUTE_SCHEMA));
  });
  afterEach(() => cloud.db.close());
  const ids = async (query: Parameters<TaskOperations['list']>[0]): Promise<string[]> =>
    (await cloud.operations.list(query)).map((task) => task.id);

  it('lists newest first, page by page, each once, in one statement or two', async () => {
    const made: string[] = [];
    for (let i = 0; i < 5; i++) made.push(await cloud.add());
    const newest = [...made].reverse();
    expect(await ids({})).toEqual(newest);
    const seen = await ids({ limit: 2 });
    for (let page = 1; page < 3; page++) seen.push(...(await ids({ limit: 2, marker: seen.at(-1)! })));
    expect(seen).toEqual(newest);
    expect((await statementsOf(cloud.db, () => ids({ marker: made[2]! }))).length).toBe(2);
  });

  it('lists by type, server, project, and by whether they have ended', async () => {
    const build = await cloud.add('build-server', 'p1');
    const stop = await cloud.add('stop-server', 'p2');
    await cloud.write(build, { status: 'failed', finishedAt: NOW, error: { code: 'x', message: 'no room' } });
    expect(await ids({ type: 'stop-server' })).toEqual([stop]);
    expect(await ids({ projectId: 'p1' })).toEqual([build]);
    expect(await ids({ serverId: await cloud.serverOf(stop) })).toEqual([stop]);
    expect(await ids({ filter: 'open' })).toEqual([stop]);
    expect(await ids({ filter: 'ended' })).toEqual([build]);
    expect((await cloud.operations.list({ filter: 'ended' }))[0]?.failure).toEqual({ code: 'x', message: 'no room' });
  });

  it.each([
    [{ limit: 0 }, 'task.limit'],
    [{ limit: 1001 }, 'task.limit'],
    [{ limit: 1.5 }, 'task.limit'],
    [{ marker: randomUUID() }, 'task.marker'],
    [{ type: 'no-such' as TaskType }, 'task.type'],
  ])('refuses the query %j', async (query, code) => {
    await expect(cloud.operations.list(query)).rejects.toMatchObject({ kind: 'invalid', code });
  });

  it('calls stuck what nobody takes up, and what has been at one attempt for long, and says so', async () => {
    const [lying, leased, silent, repeated] = [await cloud.add(), await cloud.add(), await cloud.add(), await cloud.add()]; // prettier-ignore
    await cloud.write(leased, { leaseOwner: 'c1/1', leaseUntil: NOW + 5 * MINUTE });
    const wait = { step: 'spawn', waiting: true, awaitsHost: 'h1', readyAt: NOW + CAP };
    await cloud.write(silent, { ...wait, stepAt: NOW });
    const trouble = { code: 'rpc.closed', message: 'placement is away', at: NOW, since: NOW };
    await cloud.write(repeated, {
      readyAt: NOW + CAP,
      stepAt: NOW,
      state: withEngine({}, { retries: 3, trouble }),
    });
    cloud.now = NOW + MINUTE;
    expect(await ids({ filter: 'stuck' })).toEqual([]);
    cloud.now = NOW + MINUTE + 1000;
    expect(await ids({ filter: 'stuck' })).toEqual([lying]);
    cloud.now = NOW + 10 * MINUTE + 1;
    expect(await ids({ filter: 'stuck' })).toEqual([repeated, silent, leased, lying]);
    const told = Object.fromEntries((await cloud.operations.list()).map((task) => [task.id, task.stuck]));
    expect(told[lying!]).toBe('due for 600 s and no conductor takes it up');
    expect(told[silent!]).toBe("at attempt 1 of step 'spawn' for 600 s, awaiting an answer of host h1");
    expect(told[repeated!]).toBe("at attempt 1 of step 'the first' for 600 s, repeated 3 times: placement is away");
  });

  it('shows one with its server, its history and its lease, and not what it was handed', async () => {
    const id = await cloud.add();
    const serverId = await cloud.serverOf(id);
    await cloud.write(id, {
      step: 'spawn',
      leaseOwner: 'c1/1',
      leaseUntil: NOW + 1000,
      state: { hosts: ['h1', 'h2'], left: ['h2'], destination: { host: 'h1' } },
    });
    const { actionId } = (await cloud.tasks.find(id))!;
    const actions = new InstanceActionsRepository(cloud.db);
    await cloud.db.transaction((tx) => actions.startEvent(tx, actionId!, 'compute__do_build', 'h1', NOW));
    const shown = await cloud.operations.show(id);
    expect(shown).toMatchObject({
      id,
      serverId,
      step: 'spawn',
      lease: { owner: 'c1/1', until: NOW + 1000 },
      requestId: 'req-1',
      hosts: ['h1', 'h2'],
      left: ['h2'],
      results: { destination: { host: 'h1' } },
      server: { name: 'web', vmState: 'building' },
      action: { action: 'create' },
      events: [{ event: 'compute__do_build', host: 'h1' }],
      others: [],
    });
    expect(JSON.stringify(shown)).not.toContain('secret');
    await expect(cloud.operations.show(randomUUID())).rejects.toMatchObject({ code: 'task.not_found' });
  });

  it('tries one again: due now, counted from zero, with its cap anew, in the same attempt', async () => {
    const id = await cloud.add();
    await cloud.write(id, {
      step: 'spawn',
      attempt: 2,
      waiting: true,
      awaitsHost: 'h1',
      readyAt: NOW + CAP,
      state: withEngine({ hosts: ['h1'] }, { retries: 7, sentFence: 4 }),
    });
    cloud.now = NOW + 50 * MINUTE;
    await cloud.operations.abandon(id, { by: 'ann' });
    const told = await cloud.operations.retry(id);
    expect(told).toMatchObject({
      readyAt: cloud.now,
      awaits: null,
      attempt: 2,
      retries: 0,
      endRequest: null,
      stuck: null,
    });
    const task = (await cloud.tasks.find(id))!;
    expect(task).toMatchObject({ waiting: false, expiresAt: cloud.now + CAP, state: { hosts: ['h1'] } });
    expect(engineState(task).sentFence).toBe(4);
  });

  it('leaves one alone that a conductor works on, until its lease has run out', async () => {
    const id = await cloud.add();
    await cloud.write(id, { leaseOwner: 'c1/1', leaseUntil: NOW + 1000 });
    await expect(cloud.operations.retry(id)).rejects.toMatchObject({ kind: 'conflict', code: 'task.leased' });
    cloud.now = NOW + 1000;
    expect(await cloud.operations.retry(id)).toMatchObject({ lease: null });
  });

  it('asks for the end of one once, with name and reason, and has it looked at now', async () => {
    const id = await cloud.add();
    await cloud.write(id, { waiting: true, readyAt: NOW + CAP });
    cloud.now = NOW + MINUTE;
    const asked = { at: cloud.now, by: 'ann', reason: 'host h1 burned down' };
    expect(await cloud.operations.abandon(id, asked)).toMatchObject({ endRequest: asked, readyAt: cloud.now });
    cloud.now += MINUTE;
    expect(await cloud.operations.abandon(id, { by: 'bob' })).toMatchObject({ endRequest: asked });
  });

  it('does nothing to what has ended, is not there, or is asked for in no proper words', async () => {
    const id = await cloud.add();
    const long = 'x'.repeat(256);
    await expect(cloud.operations.abandon(id, { by: '' })).rejects.toMatchObject({ code: 'task.by' });
    await expect(cloud.operations.abandon(id, { by: 'a', reason: long })).rejects.toMatchObject({
      code: 'task.reason',
    });
    await cloud.write(id, { status: 'done', finishedAt: NOW });
    await expect(cloud.operations.retry(id)).rejects.toMatchObject({ kind: 'conflict', code: 'task.ended' });
    await expect(cloud.operations.abandon(id, { by: 'a' })).rejects.toMatchObject({ code: 'task.ended' });
    await expect(cloud.operations.retry(randomUUID())).rejects.toMatchObject({ code: 'task.not_found' });
  });
});

onMysql('lists of tasks are served by an index', (open) => {
  it('whatever is asked for', async () => {
    const cloud = cloudOver(await open(COMPUTE_SCHEMA));
    const types: TaskType[] = ['build-server', 'stop-server', 'delete-server'];
    for (let i = 0; i < 300; i++) await cloud.add(types[i % 3], `p${i % 3}`);
    await cloud.db.transaction((tx) =>
      tx.execute("UPDATE tasks SET status = 'done', open_key = NULL, finished_at = ready_at WHERE id % 30 <> 0"),
    );
    await cloud.db.query('ANALYZE TABLE tasks PERSISTENT FOR ALL');
    const { operations } = cloud;
    const some = await operations.list({ limit: 100 });
    const marker = some[50]!.id;
    for (const query of [
      {},
      { marker },
      { type: types[1]! },
      { type: types[1]!, marker },
      { filter: 'open' as const },
      { filter: 'stuck' as const },
      { serverId: some[9]!.serverId },
    ]) {
      const plans = await plansOf(cloud.db, () => operations.list({ ...query, limit: 10 }));
      const bad = plans.filter((line) => line.key === null || line.rows > 50);
      expect({ query, bad }).toEqual({ query, bad: [] });
    }
    await cloud.db.close();
  });
});
