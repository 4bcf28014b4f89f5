/** What goes over the wire for a unit of work, a statement and a snapshot, and what a connection keeps between them. */
import { AsyncResource } from 'node:async_hooks';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { type Database, openDatabase, runDdl } from './index';
import { Wire } from './mysql-wire';
import { createTestMysql, onMysql } from './testing';

class CreateItems1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runDdl(runner, ['CREATE TABLE items (id {pk}, name VARCHAR(64) NOT NULL, n {int} NOT NULL) {options}']);
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE items');
  }
}
const schema = { entities: [], migrations: [CreateItems1700000000000] };
/** As another request would: outside of the unit of work that is open here. */
const elsewhere = AsyncResource.bind(<T>(work: () => Promise<T>) => work());
const INSERT = "INSERT INTO items (name, n) VALUES ('a', 1)";

onMysql('over the wire', () => {
  let wire: Wire;
  let db: Database;
  const start = async (poolSize: number, patienceMs = 2000): Promise<void> => {
    wire = await Wire.to(await createTestMysql());
    db = await openDatabase({
      ...schema,
      url: wire.url,
      poolSize,
      patienceMs,
      statementMs: 1000,
      acquireMs: 500,
    });
  };
  afterEach(async () => {
    await db.close();
    await wire.close();
  });
  const unit = (): Promise<number> => db.transaction((tx) => tx.insert('items', { name: 'a', n: 1 }));
  const count = async (): Promise<number> =>
    Number((await db.query<{ c: number }>('SELECT COUNT(*) AS c FROM items'))[0]!.c);

  it('a unit of work is its statements and COMMIT, a statement by itself is one, a snapshot its reads', async () => {
    await start(3);
    await Promise.all([unit(), db.query('SELECT 1'), db.snapshot((tx) => tx.query('SELECT 1'))]);
    await db.query('SELECT 2'); // the last COMMIT is on its way
    wire.take();
    await unit();
    expect(wire.take()).toEqual([INSERT, 'COMMIT']);
    await db.insert('items', { name: 'a', n: 1 });
    expect(wire.take()).toEqual([INSERT]);
    await db.snapshot(async (tx) => {
      await tx.query('SELECT 3');
      await tx.query('SELECT 4');
    });
    await db.query('SELECT 5');
    expect(wire.take()).toEqual(['SELECT 3', 'SELECT 4', 'COMMIT', 'SELECT 5']);
    await db.transaction(async () => undefined);
    await expect(db.transaction(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(wire.take()).toEqual([]);
    await expect(
      db.transaction(async (tx) => {
        await tx.insert('items', { name: 'b', n: 1 });
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(wire.take().at(-1)).toBe('ROLLBACK');
    expect(await count()).toBe(3);
  });

  it('a full pool comes to hold connections of the modes that are used', async () => {
    await start(4);
    await Promise.all(Array.from({ length: 4 }, unit));
    const mixed = async (): Promise<void> => {
      await count();
      await unit();
      await db.snapshot((tx) => tx.query('SELECT 1'));
    };
    await mixed();
    wire.take();
    for (let round = 0; round < 5; round++) await mixed();
    expect(wire.take().filter((s) => s.startsWith('SET'))).toEqual([]);
  });

  it('one connection serves all three by turns, each as it must be', async () => {
    await start(1, 50);
    for (let round = 1; round <= 3; round++) {
      await unit();
      expect(await count()).toBe(2 * round - 1);
      await db.insert('items', { name: 'b', n: 2 });
      const write = db.snapshot((tx) => tx.execute("INSERT INTO items (name, n) VALUES ('c', 3)"));
      await expect(write).rejects.toMatchObject({ code: 'database.unavailable' });
      const undone = db.transaction(async (tx) => {
        await tx.execute('UPDATE items SET n = 9');
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      expect(await db.query('SELECT DISTINCT n FROM items ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }]);
    }
  }, 30_000);

  it('a snapshot stays what it was at its first read; a unit of work on the same connection then sees what is new', async () => {
    await start(2);
    for (let round = 0; round < 2; round++) {
      const before = await count();
      await db.snapshot(async (tx) => {
        const rows = (): Promise<unknown[]> => tx.query('SELECT id FROM items');
        expect(await rows()).toHaveLength(before);
        await elsewhere(unit);
        expect(await rows()).toHaveLength(before);
      });
      await db.transaction(async (tx) => {
        await tx.query('SELECT id FROM items');
        await elsewhere(unit);
        expect(await tx.query('SELECT id FROM items')).toHaveLength(before + 2);
      });
    }
  });

  it('callers that wait are served soon, those first who need a connection as it is', async () => {
    await start(2);
    const order: number[] = [];
    const works = [unit, count, (): Promise<unknown> => db.snapshot((tx) => tx.query('SELECT 1'))];
    await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        await works[i % 3]!();
        order.push(i);
      }),
    );
    expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, i) => i));
    expect(Math.max(...order.map((n, at) => at - n))).toBeLessThan(20); // passed over 8 times, twice
    expect(await count()).toBe(10);
    expect(wire.take().filter((s) => s.startsWith('SET SESSION TRANS')).length).toBeLessThan(15);
  });

  it.each([
    ['before', 2],
    ['after', 1],
    ['mute', 1],
  ] as const)(
    'a statement whose connection is lost is found out about (%s), and done exactly once',
    async (how, sent) => {
      await start(4);
      await db.query('SELECT 1');
      wire.take();
      wire.cutAt = 'INSERT';
      wire.cutCommit = how;
      const effects: string[] = [];
      const id = await db.insert(
        'items',
        { name: 'a', n: 1 },
        {
          committed: async (tx) => {
            const [row] = await tx.query<{ id: number }>("SELECT id FROM items WHERE name = 'a' FOR UPDATE");
            return row ? { affected: 1, insertId: row.id } : null;
          },
          afterCommit: () => void effects.push('done'),
        },
      );
      expect(await db.query('SELECT id FROM items')).toEqual([{ id }]);
      expect(wire.take().filter((s) => s === INSERT)).toHaveLength(sent);
      expect([wire.cuts, effects]).toEqual([1, ['done']]);
    },
  );

  it.each(['before', 'after', 'mute'] as const)('and otherwise nobody knows (%s): it is not run twice', async (how) => {
    await start(4);
    await db.query('SELECT 1');
    wire.take();
    wire.cutAt = 'INSERT';
    wire.cutCommit = how;
    await expect(db.insert('items', { name: 'a', n: 1 })).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'database.commit_unknown',
    });
    expect(wire.take().filter((s) => s === INSERT)).toHaveLength(1);
  });
});
