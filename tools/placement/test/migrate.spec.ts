import { migrateDatabase } from '@fractus/database';
import { eachDatabaseUrl } from '@fractus/database/testing';
import { openSource } from '../src/migrate/connection';
import type { ConsumerRecord } from '../src/migrate/records';
import { migrateInto } from '../src/migrate/run';
import { INCOMPLETE, Source } from '../src/migrate/source';
import { Target } from '../src/migrate/target';
import { openPlacementDatabase, PLACEMENT_MIGRATIONS } from '../src/store';
import { type Age, makeUpstream, type Upstream } from './upstream';
import { run, serve } from './world';

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const inventory = (total: number, more: object = {}) => ({
  ...{ total, reserved: 0, min_unit: 1, max_unit: total, step_size: 1, allocation_ratio: 1, ...more },
});

/** Two hosts, one with a child of a custom class; a pool; two servers and a migration. */
async function fill(upstream: Upstream, age: Age = 'present'): Promise<void> {
  const { insert } = upstream;
  const trees = age === 'present';
  const tree = (root: number, parent: number | null): Record<string, number | null> =>
    trees ? { root_provider_id: root, parent_provider_id: parent } : {};
  await insert('resource_classes', { id: 10_003, name: 'CUSTOM_GOLD' });
  await insert('traits', { id: 1, name: 'HW_CPU_X86_AVX2' }, { id: 2, name: 'CUSTOM_FAST' });
  await insert(
    'resource_providers',
    { id: 5, uuid: uuid(5), name: 'host-a', generation: 7, ...tree(5, null), updated_at: '2024-06-07 08:09:10' },
    { id: 6, uuid: uuid(6), name: 'host-a_numa0', generation: 2, ...tree(5, 5) },
    { id: 9, uuid: uuid(9), name: 'pool', generation: 3, ...tree(9, null) },
  );
  await insert(
    'inventories',
    { resource_provider_id: 5, resource_class_id: 0, ...inventory(8, { allocation_ratio: 0.9, reserved: 1 }) },
    { resource_provider_id: 5, resource_class_id: 1, ...inventory(4096, { allocation_ratio: 1.5 }) },
    { resource_provider_id: 6, resource_class_id: 10_003, ...inventory(3, { step_size: 3 }) },
    { resource_provider_id: 9, resource_class_id: 2, ...inventory(1000, { allocation_ratio: 16 }) },
  );
  await insert('placement_aggregates', { id: 1, uuid: uuid(77) });
  await insert(
    'resource_provider_aggregates',
    { resource_provider_id: 5, aggregate_id: 1 },
    { resource_provider_id: 9, aggregate_id: 1 },
  );
  await insert(
    'resource_provider_traits',
    { resource_provider_id: 5, trait_id: 1 },
    { resource_provider_id: 5, trait_id: 2 },
  );
  await insert(
    'allocations',
    { resource_provider_id: 5, consumer_id: uuid(100), resource_class_id: 0, used: 2 },
    { resource_provider_id: 6, consumer_id: uuid(100), resource_class_id: 10_003, used: 3 },
    { resource_provider_id: 9, consumer_id: uuid(100), resource_class_id: 2, used: 20 },
    { resource_provider_id: 5, consumer_id: uuid(101), resource_class_id: 1, used: 512 },
  );
  if (!trees) return;
  await insert('projects', { id: 1, external_id: 'p1' });
  await insert('users', { id: 1, external_id: 'u1' });
  await insert('consumer_types', { id: 4, name: 'INSTANCE' });
  const owner = { project_id: 1, user_id: 1 };
  await insert(
    'consumers',
    { id: 1, uuid: uuid(100), generation: 4, consumer_type_id: 4, ...owner },
    { id: 2, uuid: uuid(101), generation: 1, consumer_type_id: null, ...owner },
    { id: 3, uuid: uuid(102), generation: 1, consumer_type_id: 4, ...owner },
  );
}

eachDatabaseUrl('placement migrate', (newUrl, dialect) => {
  let upstream: Upstream;
  let to: string;
  const prepare = async (age: Age = 'present'): Promise<void> => {
    upstream = await makeUpstream(await newUrl(), age);
    await fill(upstream, age);
    to = await newUrl();
    await migrateDatabase({ url: to, migrations: PLACEMENT_MIGRATIONS });
  };
  afterEach(() => upstream.close());
  const migrate = (...args: string[]) => run(['migrate', '--from', upstream.url, '--to', to, ...args]);
  const inTarget = async <T>(sql: string): Promise<T[]> => {
    const database = await openPlacementDatabase({ url: to, migrate: false });
    return database.query<T>(sql).finally(() => database.close());
  };
  const column = (text: readonly string[], at: number) =>
    Object.fromEntries(text.map((l) => l.split(/ {2,}/)).map((cells) => [cells[0], Number(cells[at])]));

  it('tells first, and writes nothing', async () => {
    await prepare();
    const { code, outs } = await migrate('--dry-run');
    expect(code).toBe(0);
    expect(column(outs.slice(1, 9), 3)).toEqual({
      ...{ resource_classes: 1, traits: 2, resource_providers: 3, inventories: 4 },
      ...{ provider_traits: 2, provider_aggregates: 2, consumers: 2, allocations: 4 },
    });
    expect(outs.slice(9)).toEqual([
      'note: 1 consumers hold nothing: they are left out',
      'nothing was written (--dry-run)',
    ]);
    expect(await inTarget('SELECT id FROM resource_providers')).toEqual([]);
    expect(await inTarget('SELECT id FROM placement_state')).toEqual([]);
  });

  it('copies everything, as the API shows it, and finds nothing to do afterwards', async () => {
    await prepare();
    const first = await migrate('--batch', '1');
    expect([first.code, first.outs.at(-1)]).toEqual([0, 'the target holds what the source holds; a new epoch is set']);
    const [state] = await inTarget<{ epoch: string }>('SELECT epoch FROM placement_state');
    const again = await migrate();
    expect(again.code).toBe(0);
    expect(Object.values(column(again.outs.slice(1, 9), 3))).toEqual(Array(8).fill(0));
    expect(await inTarget<{ epoch: string }>('SELECT epoch FROM placement_state')).not.toEqual([state]);
    const served = await serve(to);
    try {
      const get = async (path: string) => (await served.call('GET', path)).body;
      const { resource_providers: providers } = await get('/resource_providers');
      expect(providers.map((p: { uuid: string }) => p.uuid)).toEqual([uuid(5), uuid(6), uuid(9)]);
      expect(providers[1]).toMatchObject({ root_provider_uuid: uuid(5), parent_provider_uuid: uuid(5), generation: 2 });
      expect((await get(`/resource_providers/${uuid(5)}/inventories`)).inventories).toEqual({
        VCPU: inventory(8, { allocation_ratio: 0.9, reserved: 1 }),
        MEMORY_MB: inventory(4096, { allocation_ratio: 1.5 }),
      });
      expect(await get(`/resource_providers/${uuid(6)}/usages`)).toMatchObject({ usages: { CUSTOM_GOLD: 3 } });
      expect(await get(`/resource_providers/${uuid(5)}/traits`)).toEqual({
        traits: expect.arrayContaining(['CUSTOM_FAST', 'HW_CPU_X86_AVX2']),
        resource_provider_generation: 7,
      });
      expect((await get(`/resource_providers/${uuid(9)}/aggregates`)).aggregates).toEqual([uuid(77)]);
      expect(await get(`/allocations/${uuid(100)}`)).toEqual({
        allocations: {
          [uuid(5)]: { resources: { VCPU: 2 }, generation: 7 },
          [uuid(6)]: { resources: { CUSTOM_GOLD: 3 }, generation: 2 },
          [uuid(9)]: { resources: { DISK_GB: 20 }, generation: 3 },
        },
        ...{ project_id: 'p1', user_id: 'u1', consumer_generation: 4, consumer_type: 'INSTANCE' },
      });
      expect((await get(`/allocations/${uuid(101)}`)).consumer_type).toBe('unknown');
      const [row] = await inTarget<{ updated_at: number }>('SELECT updated_at FROM resource_providers WHERE id = 5');
      expect(Number(row?.updated_at)).toBe(Date.parse('2024-06-07T08:09:10Z'));
      const [gold] = await inTarget<{ id: number }>("SELECT id FROM resource_classes WHERE name = 'CUSTOM_GOLD'");
      expect(Number(gold?.id)).toBe(10_003);
      // numbers that are given out from now on are beyond those that were kept
      const made = await served.call('POST', '/resource_providers', { name: 'later' });
      expect(made.status).toBe(200);
    } finally {
      await served.close();
    }
    // somebody has used it since: it is not the source's any more
    const refused = await migrate();
    expect([refused.code, refused.text]).toEqual([1, expect.stringContaining('resource_providers hold rows')]);
  });

  it('goes on where a run was cut off', async () => {
    await prepare();
    await migrate();
    const database = await openPlacementDatabase({ url: to, migrate: false });
    await database.transaction(async (tx) => {
      await tx.execute('DELETE FROM allocations WHERE consumer_id IN (SELECT id FROM consumers WHERE uuid = ?)', [uuid(101)]); // prettier-ignore
      await tx.execute('DELETE FROM consumers WHERE uuid = ?', [uuid(101)]);
    });
    await database.close();
    const { code, outs } = await migrate();
    expect(code).toBe(0);
    expect(column(outs.slice(1, 9), 3)).toMatchObject({ resource_providers: 0, consumers: 1, allocations: 1 });
  });

  it('refuses a target that has other data, or says something else', async () => {
    await prepare();
    await migrate();
    const database = await openPlacementDatabase({ url: to, migrate: false });
    await database.execute('UPDATE resource_providers SET generation = 8 WHERE id = 5');
    await database.close();
    const { code, text } = await migrate('--dry-run');
    expect([code, text]).toEqual([1, expect.stringContaining(`provider ${uuid(5)} are not as in the source`)]);
  });

  it('does not go together with a Placement that serves', async () => {
    await prepare();
    const database = await openPlacementDatabase({ url: to, migrate: false });
    try {
      if (dialect === 'mysql') {
        await database.query('SELECT 1');
        const { code, text } = await migrate();
        expect([code, text]).toEqual([1, expect.stringContaining('of others to the target')]);
      }
      // who is not seen before is found by what it has written
      class Meddled extends Target {
        override async addConsumers(records: readonly ConsumerRecord[]): Promise<void> {
          await super.addConsumers(records);
          await database.insert('change_log', { root_id: 5, at: 1 });
        }
      }
      const connection = await openSource(upstream.url);
      const source = await Source.read(connection);
      const options = { dryRun: false, batch: 10, leaveOut: false };
      const output = { out: () => undefined, err: () => undefined };
      const meddled = migrateInto(source, new Meddled(database), options, output);
      await expect(meddled).rejects.toMatchObject({ kind: 'conflict', code: 'migrate.in_use' });
      await connection.close();
    } finally {
      await database.close();
    }
  });

  it('reads a nova_api without trees and consumers', async () => {
    await prepare('queens');
    const { code, text } = await migrate();
    expect(text).toContain('note: 3 providers have no root');
    expect(text).toContain('note: there are no records of consumers');
    expect(code).toBe(0);
    const roots = await inTarget('SELECT id, root_id, parent_id FROM resource_providers ORDER BY id');
    expect(roots).toEqual([5, 6, 9].map((id) => ({ id, root_id: id, parent_id: null })));
    const consumers = await inTarget('SELECT uuid, project_id, user_id, generation, consumer_type FROM consumers');
    expect(consumers).toContainEqual({
      ...{ uuid: uuid(100), project_id: INCOMPLETE, user_id: INCOMPLETE, generation: 0, consumer_type: null },
    });
  });

  it('tells rows that cannot be copied, and copies the rest when asked to', async () => {
    await prepare();
    await upstream.insert(
      'resource_providers',
      { id: 20, uuid: uuid(20), name: null, generation: 0, root_provider_id: 20, parent_provider_id: null },
      { id: 21, uuid: uuid(21), name: 'below', generation: 0, root_provider_id: 20, parent_provider_id: 20 },
      { id: 22, uuid: uuid(22), name: 'lost', generation: 0, root_provider_id: 22, parent_provider_id: 99 },
    );
    await upstream.insert('inventories', { resource_provider_id: 5, resource_class_id: 10_999, ...inventory(1) });
    await upstream.insert('inventories', { resource_provider_id: 404, resource_class_id: 0, ...inventory(1) });
    await upstream.insert(
      'allocations',
      { resource_provider_id: 21, consumer_id: uuid(103), resource_class_id: 0, used: 1 },
      { resource_provider_id: 5, consumer_id: uuid(101), resource_class_id: 1, used: 512 },
    );
    const refused = await migrate();
    expect(refused.code).toBe(1);
    expect(refused.outs.filter((l) => l.startsWith('cannot'))).toEqual([
      `cannot be copied: provider 20 (${uuid(20)}): it has no name`,
      `cannot be copied: provider 22 (${uuid(22)}): its parent 99 does not exist, or is below it`,
      `cannot be copied: provider 21 (${uuid(21)}): provider 20 above it cannot be copied`,
      'cannot be copied: inventories: 1 of provider 404, which does not exist',
      'cannot be copied: inventory of provider 5: resource class 10999 does not exist',
      `cannot be copied: allocation of consumer ${uuid(101)}: 5 MEMORY_MB is there twice`,
      `cannot be copied: allocation of consumer ${uuid(103)}: provider 21 cannot be copied`,
    ]);
    expect(await inTarget('SELECT id FROM resource_providers')).toEqual([]);
    const copied = await migrate('--leave-out');
    expect(copied.code).toBe(0);
    expect(await inTarget('SELECT id FROM consumers')).toHaveLength(2);
  });

  it('is asked wrongly', async () => {
    await prepare();
    for (const [args, words] of [
      [['migrate'], 'say what is copied'],
      [['migrate', '--from', to, '--to', to], 'it has no resource_provider_aggregates'],
      [['migrate', '--from', 'http://x', '--to', to], '--from must be mysql://'],
      [['migrate', '--from', 'sqlite:/nowhere.db', '--to', to], 'cannot read the source sqlite:/nowhere.db'],
      [['migrate', '--from', 'mysql+pymysql://u:hunter2@127.0.0.1:1/n?charset=utf8', '--to', to], 'u:***@127.0.0.1'],
    ] as const) {
      const { code, text } = await run([...args]);
      expect(text).toContain(words);
      expect(text).not.toContain('hunter2');
      expect(code).toBe(2);
    }
  });
});
