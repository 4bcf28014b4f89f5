import type { Database } from '@fractus/database';
import { describeTable, eachDatabase } from '@fractus/database/testing';
import { COMPUTE_SCHEMA } from './compute-database';

eachDatabase('the compute database', (open, dialect) => {
  let db: Database;
  beforeAll(async () => {
    db = await open(COMPUTE_SCHEMA);
  });
  afterAll(() => db.close());

  it('has exactly the columns and indexes that the rows declare', async () => {
    expect(db.dataSource.entityMetadatas.length).toBeGreaterThan(10);
    for (const entity of db.dataSource.entityMetadatas) {
      const { columns, indexes } = await describeTable(db, entity.tableName);
      const declared = entity.columns.map((c) => `${c.databaseName}${c.isNullable ? '?' : ''}`).sort();
      expect([entity.tableName, columns]).toEqual([entity.tableName, declared]);
      expect(indexes).toEqual(entity.indices.map((i) => `${i.name}${i.isUnique ? '!' : ''}`).sort());
    }
  });

  it('migrates down to nothing and up again', async () => {
    for (const _ of COMPUTE_SCHEMA.migrations) await db.dataSource.undoLastMigration();
    const left = await db.query<{ name: string }>(
      dialect === 'sqlite'
        ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
    );
    expect(left.map((t) => t.name)).toEqual(['migrations']);
    await db.dataSource.runMigrations();
    expect(await db.query('SELECT * FROM servers')).toEqual([]);
  });
});
