import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateDatabase } from '@fractus/database';
import { eachDatabaseUrl } from '@fractus/database/testing';
import { openPlacementDatabase, PLACEMENT_MIGRATIONS, seedPlacement } from '../src/store';
import { run } from './world';

eachDatabaseUrl('placement status upgrade check', (newUrl, dialect) => {
  let url: string;
  let folder: string;
  beforeEach(async () => {
    url = await newUrl();
    await migrateDatabase({ url, migrations: PLACEMENT_MIGRATIONS });
    folder = mkdtempSync(join(tmpdir(), 'fractus-status-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const check = (...args: string[]) => run(['--json', 'status', 'upgrade', 'check', '--database', url, ...args]);
  const change = async (...statements: string[]): Promise<void> => {
    const database = await openPlacementDatabase({ url, migrate: false });
    await seedPlacement(database);
    if (dialect === 'sqlite') await database.dataSource.query('PRAGMA foreign_keys = OFF');
    for (const sql of statements) await (dialect === 'sqlite' ? database.dataSource.query(sql) : database.execute(sql));
    await database.close();
  };
  const provider = (id: number, root: number, parent: number | null) =>
    `INSERT INTO resource_providers (id, uuid, name, generation, revision, parent_id, root_id, created_at, updated_at)
     VALUES (${id}, 'u${id}', 'n${id}', 0, 0, ${parent ?? 'NULL'}, ${root}, 1, 1)`;
  const consumer = (id: number) =>
    `INSERT INTO consumers (id, uuid, generation, project_id, user_id, created_at, updated_at)
     VALUES (${id}, 'c${id}', 1, 'p', 'u', 1, 1)`;

  it('succeeds on a database of this release, in a table', async () => {
    await change(provider(1, 1, null), provider(2, 1, 1));
    const { code, outs } = await run(['status', 'upgrade', 'check'], { FRACTUS_PLACEMENT_DATABASE_URL: url });
    expect(outs.map((l) => l.trimEnd().split(/ {2,}/))).toEqual([
      ['CHECK', 'RESULT', 'DETAILS'],
      ['Schema', 'success'],
      ['Missing Root Provider IDs', 'success'],
      ['Incomplete Consumers', 'success'],
      ['Change Log', 'success'],
      ['Policy File', 'success'],
    ]);
    expect(code).toBe(0);
  });

  it('warns of consumers that hold nothing, and fails for providers without a root', async () => {
    await change(consumer(1));
    expect(await check()).toMatchObject({ code: 1, text: expect.stringContaining('1 consumer without allocations') });
    await change(provider(1, 7, null), provider(2, 2, null), provider(3, 2, 1));
    const { code, json } = await check();
    expect([code, json()]).toEqual([
      2,
      {
        name: 'Upgrade Check Results',
        checks: expect.arrayContaining([
          {
            check: 'Missing Root Provider IDs',
            result: 2,
            details:
              '1 resource provider without a root of its tree\n1 resource provider in another tree than its parent',
          },
          { check: 'Incomplete Consumers', result: 1, details: '1 consumer without allocations' },
        ]),
      },
    ]);
  });

  if (dialect === 'sqlite')
    it('warns of a change log that nobody trims', async () => {
      await change(
        `INSERT INTO change_log (root_id, at) WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 100006)
         SELECT n, 1 FROM s`,
      );
      expect(await check('--change-log-keep', '7')).toMatchObject({ code: 0 });
      expect(await check('--change-log-keep', '6')).toMatchObject({
        ...{ code: 1, text: expect.stringMatching(/has 100007 rows, of which 6 are kept: no Placement trims it/) },
      });
    });

  if (dialect === 'sqlite')
    it('warns of allocations whose consumer has no record', async () => {
      await change(
        provider(1, 1, null),
        'INSERT INTO allocations (consumer_id, provider_id, resource_class_id, used, updated_at) VALUES (9, 1, 0, 1, 1)',
      );
      expect(await check()).toMatchObject({
        code: 1,
        text: expect.stringContaining('allocations of 1 consumer without a record'),
      });
    });

  it('fails for a change log that ends before what was trimmed, and for a schema that is behind', async () => {
    await change('UPDATE placement_state SET trimmed_through = 1000000');
    expect(await check()).toMatchObject({ code: 2, text: expect.stringContaining('replicas miss what is written') });
    await change('DELETE FROM migrations');
    const behind = await check();
    expect(behind).toMatchObject({ code: 2, text: expect.stringMatching(/placement: \d+ migrations? behind/) });
    expect(behind.text).toContain('npm run migrate -- placement');
  });

  it('succeeds on a database that is ahead, and says so', async () => {
    await change("INSERT INTO migrations (timestamp, name) VALUES (9999999999999, 'Later9999999999999')");
    expect(await check()).toMatchObject({
      code: 0,
      text: expect.stringContaining('1 migration ahead of this release'),
    });
  });

  it.each([
    ['a.yaml', '"placement:usages": "role:auditor or rule:mine"\n"mine": "role:me"\n', 0, '"details":null'],
    ['b.yaml', '"placement:nothing": "role:x"\n', 1, 'no API asks for the rule placement:nothing'],
    ['c.yaml', '"placement:usages": "role:x or"\n', 1, 'it denies'],
    ['d.yaml', '{"placement:usages": "role:x"}', 2, 'is JSON: write it as YAML'],
    ['e.yaml', '- a\n', 2, 'must hold a mapping'],
  ])('judges a policy file: %s', async (name, text, code, words) => {
    const file = join(folder, name);
    writeFileSync(file, text);
    const ran = await check('--policy-file', file);
    expect(ran.text).toContain(words);
    expect(ran.code).toBe(code);
  });

  it('ends with 255 where nothing can be told', async () => {
    const gone = await run(['status', 'upgrade', 'check', '--database', `sqlite:${folder}/none.db`]);
    expect([gone.code, gone.text]).toEqual([255, expect.stringContaining('there is no placement database')]);
    expect((await run(['status', 'upgrade', 'check', '--wrong'])).code).toBe(2);
  });
});
