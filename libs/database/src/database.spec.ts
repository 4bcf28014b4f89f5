import { AsyncResource } from 'node:async_hooks';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { type Database, isDuplicateKey, openDatabase, runDdl } from './index';
import { eachDatabase, statementsOf } from './testing';

class CreateItems1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runDdl(runner, [
      'CREATE TABLE items (id {pk}, name VARCHAR(64) NOT NULL, n {int} NOT NULL) {options}',
      'CREATE UNIQUE INDEX uq_items_name ON items (name)',
    ]);
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE items');
  }
}

/** Resolves on a later turn of the event loop, so that other blocks get their chance to interleave. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** As another request would: not inside the unit of work that is open here. */
const outside = <T>(work: () => Promise<T>): Promise<T> => elsewhere.run(work);
const elsewhere = { run: AsyncResource.bind(<T>(work: () => Promise<T>) => work()) };

eachDatabase('a database', (open, dialect) => {
  let db: Database;
  const names = async (): Promise<string[]> =>
    (await db.query<{ name: string }>('SELECT name FROM items ORDER BY name')).map((r) => r.name);

  beforeEach(async () => {
    db = await open({ entities: [], migrations: [CreateItems1700000000000] });
  });
  afterEach(() => db.close());

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

  it('ends the unit of work of a block that throws before it waits for anything', async () => {
    const fails = (): Promise<void> => {
      throw new Error('at once');
    };
    // more of them than a pool has connections
    for (let n = 0; n < 12; n++) await expect(db.transaction(fails)).rejects.toThrow('at once');
    await db.insert('items', { name: 'after', n: 1 });
    expect(await names()).toEqual(['after']);
  });

  it('reads its own writes inside, and only committed rows outside', async () => {
    await db.transaction(async (tx) => {
      await tx.insert('items', { name: 'x', n: 1 });
      expect(await db.query('SELECT * FROM items')).toHaveLength(1);
    });
    expect(await names()).toEqual(['x']);
  });

  it('takes a single statement as a unit of its own, or as part of the one that is open', async () => {
    const effects: string[] = [];
    const afterCommit = (): void => void effects.push('done');
    const id = await db.insert('items', { name: 'alone', n: 1 }, { afterCommit });
    expect(await db.query("SELECT id FROM items WHERE name = 'alone'")).toEqual([{ id }]);
    expect((await db.execute('UPDATE items SET n = n + 1 WHERE n = ?', [1], { afterCommit })).affected).toBe(1);
    expect(effects).toEqual(['done', 'done']);
    const unit = db.transaction(async () => {
      await db.insert('items', { name: 'joined', n: 1 }, { afterCommit });
      expect(effects).toHaveLength(2);
      throw new Error('undone');
    });
    await expect(unit).rejects.toThrow('undone');
    await db.transaction(() => db.execute("DELETE FROM items WHERE name = 'alone'", [], { afterCommit }));
    expect(effects).toHaveLength(3);
    expect(await names()).toEqual([]);
    await db.insert('items', { name: 'twice', n: 1 });
    const again = db.insert('items', { name: 'twice', n: 1 }, { afterCommit });
    expect(await again.catch(isDuplicateKey)).toBe(true);
    await expect(db.execute('UPDATE items SET n = ?', [Number.NaN])).rejects.toMatchObject({
      code: 'database.parameter',
    });
    expect(await db.insert('items', [])).toBe(0);
    expect(effects).toHaveLength(3);
  });

  it('keeps single statements out of units of work that interleave', async () => {
    const [unit] = await Promise.allSettled([
      db.transaction(async (tx) => {
        await tx.insert('items', { name: 'a', n: 1 });
        await turn();
        await turn();
        throw new Error('no a');
      }),
      outside(() => db.insert('items', { name: 'b', n: 1 })),
      outside(() => db.insert('items', { name: 'c', n: 1 })),
    ]);
    expect(unit.status).toBe('rejected');
    expect(await names()).toEqual(['b', 'c']);
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
      expect((await tx.execute('UPDATE items SET n = 2 WHERE n = ?', [2])).affected).toBe(2); // matched, not changed
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

  it('lets no effect fail what is committed, nor the process, nor the other effects', async () => {
    await db.close();
    const told: string[] = [];
    const onEffectError = (e: unknown): void => void told.push((e as Error).message);
    db = await open({ entities: [], migrations: [CreateItems1700000000000], onEffectError });
    const seen: string[] = [];
    await db.transaction(async (tx) => {
      await tx.insert('items', { name: 'unit', n: 1 });
      tx.afterCommit(() => {
        throw new Error('thrown');
      });
      tx.afterCommit(async () => {
        await turn();
        throw new Error('rejected');
      });
      tx.afterCommit(() => void seen.push('the last'));
    });
    const afterCommit = (): void => {
      throw new Error('of a statement');
    };
    await db.insert('items', { name: 'statement', n: 1 }, { afterCommit });
    while (told.length < 3) await turn();
    expect(told.sort()).toEqual(['of a statement', 'rejected', 'thrown']);
    expect(seen).toEqual(['the last']);
    expect(await names()).toEqual(['statement', 'unit']);
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

  it('refuses statements after the end of the unit', async () => {
    let kept: Parameters<Parameters<Database['transaction']>[0]>[0];
    await db.transaction(async (tx) => void (kept = tx));
    await expect(kept!.query('SELECT 1')).rejects.toMatchObject({ code: 'database.unit_over' });
  });

  it('reads one state in a snapshot, whatever others commit meanwhile', async () => {
    await db.transaction((tx) => tx.insert('items', { name: 'a', n: 1 }));
    const seen = await db.snapshot(async (tx) => {
      const before = await tx.query('SELECT name FROM items');
      if (dialect === 'mysql') await outside(() => db.transaction((t) => t.insert('items', { name: 'b', n: 1 })));
      return [before.length, (await tx.query('SELECT name FROM items')).length];
    });
    expect(seen).toEqual([1, 1]);
  });

  it('compares text byte by byte: case, accents and trailing spaces count', async () => {
    await db.transaction((tx) =>
      tx.insert(
        'items',
        ['a', 'A', 'a ', 'ä', 'a\u0308', '😀'].map((name, n) => ({ name, n })),
      ),
    );
    expect(await db.query('SELECT n FROM items WHERE name = ?', ['a'])).toEqual([{ n: 0 }]);
    expect(await db.query('SELECT n FROM items WHERE name IN (?)', ['a '])).toEqual([{ n: 2 }]);
    expect(await names()).toEqual(['A', 'a', 'a ', 'a\u0308', 'ä', '😀']);
  });

  it('brings text, numbers and sums back as they are', async () => {
    const name = `'"\\%_\0\n; -- ?`;
    await db.transaction((tx) => tx.insert('items', { name, n: Number.MAX_SAFE_INTEGER - 1 }));
    await db.transaction((tx) => tx.insert('items', { name: 'b', n: 1 }));
    expect(await db.query('SELECT name, n FROM items ORDER BY id LIMIT ?', [1])).toEqual([
      { name, n: Number.MAX_SAFE_INTEGER - 1 },
    ]);
    expect(await db.query('SELECT SUM(n) AS s, COUNT(*) AS c, MAX(n) AS m FROM items WHERE n = ?', [1])).toEqual([
      { s: 1, c: 1, m: 1 },
    ]);
    expect(await db.query('SELECT SUM(n) AS s FROM items')).toEqual([{ s: Number.MAX_SAFE_INTEGER }]);
  });

  it('hands nothing to the driver that is no value', async () => {
    const bad = [['a'], { toSqlString: () => '1 = 1' }, Number.NaN] as unknown as string[];
    for (const value of bad)
      await expect(db.query('SELECT ?', [value])).rejects.toMatchObject({ code: 'database.parameter' });
  });

  it('tells those who watch of every statement', async () => {
    const seen = await statementsOf(db, async () => {
      await db.query('SELECT 1');
      await db.transaction((tx) => tx.insert('items', { name: 'w', n: 1 }));
    });
    expect(seen).toEqual(['SELECT 1', 'INSERT INTO items (name, n) VALUES (?, ?)']);
  });

  if (dialect !== 'sqlite') return;

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
    const dir = mkdtempSync(join(tmpdir(), 'fractus-db-'));
    const file = join(dir, 'damaged.db');
    writeFileSync(file, 'x'.repeat(20_000));
    const opened = openDatabase({ url: `sqlite:${file}`, entities: [], migrations: [] });
    await expect(opened).rejects.toMatchObject({ kind: 'unavailable', message: expect.stringContaining(file) });
    rmSync(dir, { recursive: true });
  });
});
