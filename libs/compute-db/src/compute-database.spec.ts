import type { Database } from '@fractus/database';
import { COMPUTE_MIGRATIONS, openComputeDatabase } from './compute-database';

describe('the compute database', () => {
  let db: Database;
  beforeAll(async () => {
    db = await openComputeDatabase({ url: 'sqlite::memory:' });
  });
  afterAll(() => db.close());

  it('has exactly the columns and indexes that the rows declare', async () => {
    expect(db.dataSource.entityMetadatas.length).toBeGreaterThan(10);
    for (const entity of db.dataSource.entityMetadatas) {
      const columns = await db.query<{ name: string; notnull: number; pk: number }>(
        `PRAGMA table_info(${entity.tableName})`,
      );
      const declared = entity.columns.map((c) => `${c.databaseName}${c.isNullable ? '?' : ''}`).sort();
      expect([entity.tableName, columns.map((c) => `${c.name}${c.notnull || c.pk ? '' : '?'}`).sort()]).toEqual([
        entity.tableName,
        declared,
      ]);
      const indexes = await db.query<{ name: string; unique: number }>(`PRAGMA index_list(${entity.tableName})`);
      const named = indexes.filter((i) => !i.name.startsWith('sqlite_')).map((i) => `${i.name}:${i.unique}`);
      expect(named.sort()).toEqual(entity.indices.map((i) => `${i.name}:${i.isUnique ? 1 : 0}`).sort());
    }
  });

  it('migrates down to nothing and up again', async () => {
    for (const _ of COMPUTE_MIGRATIONS) await db.dataSource.undoLastMigration();
    const left = await db.query<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    );
    expect(left.map((t) => t.name)).toEqual(['migrations']);
    await db.dataSource.runMigrations();
    expect(await db.query('SELECT * FROM servers')).toEqual([]);
  });
});
