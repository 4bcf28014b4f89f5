import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { type Database, isDuplicateKey, openDatabase } from './database';

class CreateItems1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE TABLE items (id INTEGER PRIMARY KEY AUTOINCREMENT, name VARCHAR(64) NOT NULL UNIQUE, n INTEGER NOT NULL)',
    );
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE items');
  }
}

/** Resolves on a later turn of the event loop, so that other blocks get their chance to interleave. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('Database on SQLite', () => {
  let dir: string;
  let db: Database;
  const names = async (): Promise<string[]> =>
    (await db.query<{ name: string }>('SELECT name FROM items ORDER BY name')).map((r) => r.name);

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'fractus-db-'));
    db = await openDatabase({
      url: `sqlite:${join(dir, 'test.db')}`,
      entities: [],
      migrations: [CreateItems1700000000000],
    });
  });
  afterEach(async () => {
    await db.close();
    rmSync(dir, { recursive: true });
  });

  it('keeps interleaved units of work apart: a rollback takes no one along', async () => {
    const add = (name: string, fail: boolean): Promise<void> =>
      db.transaction(async (tx) => {
        await tx.insert('items', { name, n: 1 });
        await turn();
        if (fail) throw new Error(`no ${name}`);
      });
    const results = await Promise.allSettled([add('a', true), add('b', false), add('c', true), add('d', false)]);
    expect(results.map((r) => r.status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
    expect(await names()).toEqual(['b', 'd']);
  });

  it('joins a nested unit of work, and rolls the whole back', async () => {
    const run = db.transaction(async (tx) => {
      await tx.insert('items', { name: 'outer', n: 1 });
      await db.transaction(async (inner) => {
        expect(inner).toBe(tx);
        await inner.insert('items', { name: 'inner', n: 2 });
      });
      throw new Error('late');
    });
    await expect(run).rejects.toThrow('late');
    expect(await names()).toEqual([]);
  });

  it('reads its own writes inside, and only committed rows outside', async () => {
    await db.transaction(async (tx) => {
      await tx.insert('items', { name: 'x', n: 1 });
      expect(await db.query('SELECT * FROM items')).toHaveLength(1);
    });
    expect(await names()).toEqual(['x']);
  });

  it('counts matched rows and gives the first generated id', async () => {
    await db.transaction(async (tx) => {
      const first = await tx.insert('items', [
        { name: 'a', n: 1 },
        { name: 'b', n: 1 },
      ]);
      const [a] = await tx.query<{ id: number }>("SELECT id FROM items WHERE name = 'a'");
      expect(first).toBe(a!.id);
      expect((await tx.execute('UPDATE items SET n = n + 1 WHERE n = ?', [1])).affected).toBe(2);
      expect((await tx.execute('UPDATE items SET n = 9 WHERE n = ?', [77])).affected).toBe(0);
    });
  });

  it('runs effects after the commit, never after a rollback', async () => {
    const seen: string[] = [];
    await db.transaction(async (tx) => {
      tx.afterCommit(() => void seen.push(db.inTransaction() ? 'inside' : 'outside'));
      await tx.insert('items', { name: 'e', n: 1 });
      expect(seen).toEqual([]);
    });
    await db
      .transaction(async (tx) => {
        tx.afterCommit(() => void seen.push('never'));
        throw new Error('rollback');
      })
      .catch(() => undefined);
    expect(seen).toEqual(['outside']);
  });

  it('refuses I/O inside a unit of work', async () => {
    await expect(db.transaction(async () => db.assertOutsideTransaction('GET /v3'))).rejects.toThrow(
      'GET /v3 inside a database transaction',
    );
    expect(() => db.assertOutsideTransaction('GET /v3')).not.toThrow();
  });

  it('upserts, and tells a duplicate key apart', async () => {
    const sql = db.upsertSql('items', ['name', 'n'], ['name']);
    await db.transaction((tx) => tx.execute(sql, ['a', 1]));
    await db.transaction((tx) => tx.execute(sql, ['a', 5]));
    expect(await db.query('SELECT n FROM items')).toEqual([{ n: 5 }]);
    const again = db.transaction((tx) => tx.insert('items', { name: 'a', n: 1 }));
    await expect(again.catch((e: unknown) => isDuplicateKey(e))).resolves.toBe(true);
  });

  it('refuses writes through the reading connection', async () => {
    await expect(db.query("INSERT INTO items (name, n) VALUES ('z', 1)")).rejects.toThrow(/readonly/);
  });

  it('says that it takes no writes when the disk is full', async () => {
    await db.transaction((tx) => tx.query('PRAGMA max_page_count = 1'));
    const filling = db.transaction(async (tx) => {
      for (let i = 0; i < 100; i++) await tx.insert('items', { name: `${i}${'x'.repeat(2000)}`, n: i });
    });
    await expect(filling).rejects.toMatchObject({ kind: 'unavailable', code: 'database.unavailable' });
    await db.transaction((tx) => tx.query('PRAGMA max_page_count = 1000000'));
    expect(await names()).toEqual([]);
  });

  it('names the file that it cannot use', async () => {
    const file = join(dir, 'damaged.db');
    writeFileSync(file, 'x'.repeat(20_000));
    const opened = openDatabase({ url: `sqlite:${file}`, entities: [], migrations: [] });
    await expect(opened).rejects.toMatchObject({ kind: 'unavailable', message: expect.stringContaining(file) });
  });
});
