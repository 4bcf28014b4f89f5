import { randomUUID } from 'node:crypto';
import { DutiesRepository, TaskLeases, TasksRepository } from '@fractus/compute-db';
import { eachDatabase } from '@fractus/database/testing';
import { afterRestoreOfCompute, afterRestoreOfPlacement, FENCES_RAISED_BY } from '../src/after-restore';
import { heal, misplaced } from '../src/allocations';
import { destroyGuest } from '../src/guests';
import { ctx, World } from './world';

eachDatabase('what the doctor puts right', (open) => {
  let world: World;
  beforeEach(async () => {
    world = await World.open(open);
  });
  afterEach(() => world.close());

  it('claims for a server what it should hold on its host, and nothing else', async () => {
    const nodeId = await world.host('h1');
    await world.host('h2', { vcpus: 100 });
    const bare = await world.server({ host: 'h1', nodeId }, { allocated: false });
    const [found, ...more] = await misplaced(world.db, world.placement);
    expect([found?.server.id, found?.holds, more]).toEqual([bare, 'none', []]);
    expect(await heal(found!, world.placement)).toEqual({ healed: true });
    // disk: 5 GiB root, 1 ephemeral, 1 swap (rounded up)
    expect(await world.allocationsOf(bare)).toEqual({
      [nodeId]: { resources: { VCPU: 2, MEMORY_MB: 512, DISK_GB: 7 } },
    });
    expect(await misplaced(world.db, world.placement)).toEqual([]);
    const [consumer] = (await world.placement.listConsumers(ctx, { limit: 9 })).consumers;
    expect(consumer).toMatchObject({ consumerId: bare, projectId: 'p1', userId: 'u1', consumerType: 'INSTANCE' });
  });

  it('leaves what it cannot mend, and says why', async () => {
    const nodeId = await world.host('h1', { vcpus: 4 });
    const other = await world.host('h2');
    const at = { host: 'h1', nodeId };
    await world.server(at, { vcpus: 3 });
    const tooBig = await world.server(at, { allocated: false });
    const astray = await world.server(at, { allocated: other });
    const found = await misplaced(world.db, world.placement);
    const results = Object.fromEntries(
      await Promise.all(found.map(async (m) => [m.server.id, await heal(m, world.placement)])),
    ) as Record<string, unknown>;
    expect(results).toEqual({
      [tooBig]: { healed: false, why: 'host h1 has no room for it in Placement: it is overfull' },
      [astray]: { healed: false, why: expect.stringContaining('of another provider') },
    });
    expect(await world.allocationsOf(tooBig)).toEqual({});
    expect(Object.keys(await world.allocationsOf(astray))).toEqual([other]);
  });

  it('does not take from a consumer that has come into being meanwhile', async () => {
    const nodeId = await world.host('h1');
    const bare = await world.server({ host: 'h1', nodeId }, { allocated: false });
    const [found] = await misplaced(world.db, world.placement);
    await world.allocate(bare, nodeId, { VCPU: 1 });
    expect(await heal(found!, world.placement)).toMatchObject({ healed: false });
    expect(await world.allocationsOf(bare)).toEqual({ [nodeId]: { resources: { VCPU: 1 } } });
  });

  it('has a guest destroyed that no server explains, and no other', async () => {
    const nodeId = await world.host('h1');
    const asked: object[] = [];
    const agent = {
      topic: 'compute',
      queue: 'agent',
      instance: 'a',
      castPrefetch: 9,
      callPrefetch: 1,
      news: false,
    } as const;
    const consumer = await world.transport.consume(
      agent,
      (d) => (asked.push((JSON.parse(d.body) as { data: object }).data), d.ack()),
    );
    await consumer.addHost('h1');
    const patient = world.patient();
    const stranger = randomUUID();
    await destroyGuest(patient, stranger, 'h1');
    const [here, busy, elsewhere] = [
      await world.server({ host: 'h1', nodeId }),
      await world.server(null),
      await world.server(null),
    ];
    await world.task(busy);
    await expect(destroyGuest(patient, here, 'h1')).rejects.toMatchObject({ kind: 'conflict', code: 'doctor.guest' });
    await expect(destroyGuest(patient, busy, 'h1')).rejects.toMatchObject({ code: 'doctor.guest' });
    await expect(destroyGuest(patient, stranger, 'h9')).rejects.toMatchObject({ kind: 'unroutable' });
    await destroyGuest(patient, elsewhere, 'h1');
    while (asked.length < 2) await new Promise(setImmediate);
    expect(asked).toMatchObject([
      {
        operation: { serverId: stranger, host: 'h1', step: 'operator', fence: Number.MAX_SAFE_INTEGER },
        forever: true,
      },
      { operation: { serverId: elsewhere, fence: 1 }, forever: false },
    ]);
  });

  it('raises fences of a compute database that was put back above all that were given out', async () => {
    const server = await world.server(null);
    await world.db.transaction((tx) => tx.execute('UPDATE servers SET fence = 7 WHERE uuid = ?', [server]));
    await world.host('h1', { silentFor: 30_000 });
    const now = Date.now();
    await expect(afterRestoreOfCompute(world.db, { force: false, now })).rejects.toMatchObject({
      kind: 'conflict',
      code: 'doctor.alive',
    });
    expect(await afterRestoreOfCompute(world.db, { force: false, now: now + 61_000 })).toBe(1);
    expect(await afterRestoreOfCompute(world.db, { force: true, now })).toBe(1);
    const [row] = await world.db.query('SELECT fence FROM servers');
    expect(Number(row?.['fence'])).toBe(7 + 2 * FENCES_RAISED_BY);
  });

  it('makes what was under way at the backup due, and gives it back the time since', async () => {
    const day = 86_400_000;
    const now = Date.now();
    const asleep = { waiting: true, awaitsHost: 'h1', readyAt: now - day + 60_000, step: 'guest' };
    const held = { leaseOwner: 'c1/1', leaseUntil: now + day };
    const server = await world.server(null);
    const id = await world.task(server, { ...asleep, ...held }, now - day);
    const duties = new DutiesRepository(world.db);
    await duties.take('reconcile', 'c1/1', now + day, now);
    await afterRestoreOfCompute(world.db, { force: false, now });
    expect(await duties.take('reconcile', 'c2/1', now + 1000, now)).toBe(true);
    const task = await new TasksRepository(world.db).find(id);
    expect(task).toMatchObject({ waiting: false, awaitsHost: null, leaseOwner: null, step: 'guest', attempt: 1 });
    expect([task?.readyAt, task?.stepAt, task?.expiresAt]).toEqual([now, now, now + 3_600_000]);
    expect(await new TaskLeases(world.db).one(id, { owner: 'c2/1', until: now + 1000 }, now)).not.toBeNull();
  });

  it('has a Placement that outlived the restore of its database read everything anew', async () => {
    await world.host('h1');
    const empty = { required: [], forbidden: [], anyOf: [], memberOf: [], notMemberOf: [] };
    const query = { groups: [{ suffix: '', resources: { VCPU: 1 }, ...empty }] };
    const rest = { sameSubtree: [], rootRequired: [], rootForbidden: [] };
    const candidates = async (): Promise<number> =>
      (await world.placement.getCandidates(ctx, { ...query, ...rest })).candidates.length;
    expect(await candidates()).toBe(1);
    // what a restore does behind its back
    await world.placementDb.transaction(async (tx) => {
      for (const table of ['inventories', 'resource_providers']) await tx.execute(`DELETE FROM ${table}`);
    });
    expect(await candidates()).toBe(1);
    await afterRestoreOfPlacement(world.placementDb);
    expect(await candidates()).toBe(0);
  });
});
