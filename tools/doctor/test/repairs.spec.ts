import { eachDatabase } from '@fractus/database/testing';
import { afterRestoreOfCompute, afterRestoreOfPlacement, FENCES_RAISED_BY } from '../src/after-restore';
import { heal, misplaced } from '../src/allocations';
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

  it('raises fences of a compute database that was put back above all that were given out, and drops old leases', async () => {
    const server = await world.server(null);
    await world.db.transaction((tx) => tx.execute('UPDATE servers SET fence = 7 WHERE uuid = ?', [server]));
    await world.task(server, { leaseOwner: 'c1/1', leaseUntil: Date.now() + 3_600_000 });
    await world.host('h1', { silentFor: 30_000 });
    const now = Date.now();
    await expect(afterRestoreOfCompute(world.db, { force: false, now })).rejects.toMatchObject({
      code: 'doctor.alive',
    });
    expect(await afterRestoreOfCompute(world.db, { force: false, now: now + 61_000 })).toBe(1);
    expect(await afterRestoreOfCompute(world.db, { force: true, now })).toBe(1);
    const [row] = await world.db.query('SELECT fence FROM servers');
    expect(Number(row?.['fence'])).toBe(7 + 2 * FENCES_RAISED_BY);
    expect(await world.db.query('SELECT lease_owner, lease_until FROM tasks')).toEqual([{ lease_owner: null, lease_until: null }]); // prettier-ignore
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
