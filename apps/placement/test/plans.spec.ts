import { randomUUID } from 'node:crypto';
import { onMysql, plansOf, statementsOf } from '@fractus/database/testing';
import { type World, RULES, ctx, holding, inv, openWorld } from './placement';

jest.setTimeout(60_000);

onMysql('an index serves', (open) => {
  let world: World;
  const hosts = Array.from({ length: 40 }, () => randomUUID());
  const consumers = Array.from({ length: 400 }, () => randomUUID());
  const claim = (uuid: string, host: string): Promise<unknown> =>
    world.allocations.write(ctx, [
      { uuid, projectId: 'p', userId: 'u', allocations: holding({ [host]: { VCPU: 1 } }) },
    ]);
  beforeAll(async () => {
    world = await openWorld(open);
    for (const uuid of hosts) {
      await world.providers.create(ctx, { uuid, name: uuid });
      await world.inventories.replace(ctx, uuid, 0, new Map([['VCPU', inv(64)]]), RULES);
    }
    for (const [i, uuid] of consumers.entries()) await claim(uuid, hosts[i % 40]!);
    const tables = await world.db.query<{ name: string }>('SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()'); // prettier-ignore
    for (const { name } of tables) await world.db.query(`ANALYZE TABLE ${name} PERSISTENT FOR ALL`);
    await world.replica.sync();
  });
  afterAll(() => world.close());

  const expectKeys = async (rows: number, work: () => Promise<unknown>): Promise<void> => {
    const plans = (await plansOf(world.db, work)).filter((l) => l.table !== '' && !l.table.startsWith('<'));
    // the state has one row, and names are read when they changed
    const bad = plans.filter((l) => !['placement_state', 's'].includes(l.table) && (l.type === 'ALL' || l.rows > rows));
    expect(bad.map((l) => `${l.table} ${l.type} ${l.key} ${l.rows}: ${l.sql.slice(0, 160)}`)).toEqual([]);
  };

  it('claims, removals and what they hold', async () => {
    await expectKeys(20, () => claim(randomUUID(), hosts[1]!));
    await expectKeys(20, () => claim(consumers[2]!, hosts[3]!));
    await expectKeys(20, () => world.allocations.ofConsumer(ctx, consumers[5]!));
    await expectKeys(20, () => world.allocations.ofProvider(ctx, hosts[5]!));
    await expectKeys(50, () => world.allocations.list(ctx, 50));
    await expectKeys(20, () => world.allocations.remove(ctx, consumers[7]!));
  });

  it('a replica that follows, tree by tree', async () => {
    const other = world.replicaOf();
    await other.sync();
    await claim(randomUUID(), hosts[9]!);
    await expectKeys(30, () => other.sync());
  });

  it('claims and removals take as many statements on an old cloud as on a new one', async () => {
    await world.replica.sync();
    const owner = { taskId: randomUUID(), fence: 1 };
    const [uuid, host] = [randomUUID(), hosts[11]!];
    const write = (generation: number | null): Promise<unknown> =>
      world.allocations.write(ctx, [{ uuid, projectId: 'p', userId: 'u', generation, owner, allocations: holding({ [host]: { VCPU: 1 } }) }]); // prettier-ignore
    const count = async (work: () => Promise<unknown>): Promise<number> => (await statementsOf(world.db, work)).length;
    // consumer, fence, provider, stock, allocations, log
    expect(await count(() => write(null))).toBe(6);
    // what it held is read, and goes
    expect(await count(() => write(1))).toBe(8);
    expect(await count(() => world.allocations.remove(ctx, uuid, { owner }))).toBe(6);
    // who follows asks the log alone
    expect(await count(() => world.replica.sync())).toBe(1);
  });
});
