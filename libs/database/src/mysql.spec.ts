/** What only a server can do to a unit of work: others at the same time, and its own death. */
import { AsyncResource } from 'node:async_hooks';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { type Database, migrateDatabase, openDatabase, runDdl, type Tx } from './index';
import { parseMysqlUrl } from './mysql-url';
import { Wire } from './mysql-wire';
import { createTestMysql, onMysql } from './testing';

const CREATE = [
  'CREATE TABLE items (id {pk}, name VARCHAR(64) NOT NULL, n {int} NOT NULL) {options}',
  'CREATE UNIQUE INDEX uq_items_name ON items (name)',
];
class CreateItems1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runDdl(runner, CREATE);
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE items');
  }
}
const MIGRATIONS = [CreateItems1700000000000];
const schema = { entities: [], migrations: MIGRATIONS };
const add = (tx: Tx, name: string, n = 0): Promise<number> => tx.insert('items', { name, n });
const bump = (tx: Tx, name: string): Promise<unknown> =>
  tx.execute('UPDATE items SET n = n + 1 WHERE name = ?', [name]);
/** As another request would: outside of the unit of work that is open here. */
const elsewhere = AsyncResource.bind(<T>(work: () => Promise<T>) => work());
const gate = (): { opened: Promise<void>; open: () => void } => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
};

onMysql('a unit of work among others', (open) => {
  let db: Database;
  beforeEach(async () => {
    db = await open({ ...schema, poolSize: 12, lockWaitSeconds: 1 });
    await db.transaction((tx) => tx.insert('items', ['a', 'b', 'c', 'd'].map((name) => ({ name, n: 0 })))); // prettier-ignore
  });
  afterEach(() => db.close());
  const all = async (): Promise<Record<string, number>> =>
    Object.fromEntries((await db.query<{ name: string; n: number }>('SELECT name, n FROM items')).map((r) => [r.name, r.n])); // prettier-ignore

  it('runs again when it loses a deadlock, and neither work is lost or done twice', async () => {
    const [first, second] = [gate(), gate()];
    let runs = 0;
    const cross = (mine: string, other: string, own: typeof first, theirs: typeof first): Promise<void> =>
      db.transaction(async (tx) => {
        runs++;
        await bump(tx, mine);
        own.open();
        await theirs.opened;
        await bump(tx, other);
      });
    await Promise.all([cross('a', 'b', first, second), cross('b', 'a', second, first)]);
    expect(runs).toBe(3);
    expect(await all()).toMatchObject({ a: 2, b: 2 });
  });

  it('survives a storm of deadlocks: 40 blocks over the same rows in any order', async () => {
    let runs = 0;
    const names = ['a', 'b', 'c', 'd'];
    await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        db.transaction(async (tx) => {
          runs++;
          for (const k of [0, 1, 2, 3]) await bump(tx, names[(i * (i % 2 ? 3 : 1) + k * (i % 2 ? 3 : 1)) % 4]!);
        }),
      ),
    );
    expect(await all()).toEqual({ a: 40, b: 40, c: 40, d: 40 });
    expect(runs).toBeGreaterThan(40);
  });

  it('does not go on after a deadlock that the block has swallowed', async () => {
    let swallowed = 0;
    const [first, second] = [gate(), gate()];
    const cross = (mine: string, other: string, own: typeof first, theirs: typeof first): Promise<void> =>
      db.transaction(async (tx) => {
        await bump(tx, mine);
        own.open();
        await theirs.opened;
        await bump(tx, other).catch(() => swallowed++);
        await bump(tx, 'c');
      });
    await Promise.all([cross('a', 'b', first, second), cross('b', 'a', second, first)]);
    expect(swallowed).toBe(1);
    expect(await all()).toMatchObject({ a: 2, b: 2, c: 2 });
  });

  it('runs again when it has waited for a row for too long', async () => {
    const { opened, open: release } = gate();
    const held = gate();
    const holder = db.transaction(async (tx) => {
      await bump(tx, 'a');
      held.open();
      await opened;
    });
    await held.opened;
    let runs = 0;
    await db.transaction(async (tx) => {
      if (++runs === 2) release();
      await bump(tx, 'a');
    });
    await holder;
    expect(runs).toBe(2);
    expect((await all())['a']).toBe(2);
  });

  it('reads what is true now, not what was true at its first read', async () => {
    await db.transaction(async (tx) => {
      await tx.query('SELECT * FROM items');
      await elsewhere(() => db.transaction((t) => bump(t, 'a')));
      expect(await tx.query("SELECT n FROM items WHERE name = 'a'")).toEqual([{ n: 1 }]);
    });
  });

  it('locks no gap: two may look for what is not there, and both insert', async () => {
    const [first, second] = [gate(), gate()];
    let runs = 0;
    const make = (name: string, own: typeof first, theirs: typeof first): Promise<unknown> =>
      db.transaction(async (tx) => {
        runs++;
        await tx.query('SELECT * FROM items WHERE name = ? FOR UPDATE', [name]);
        own.open();
        await theirs.opened;
        await add(tx, name);
      });
    await Promise.all([make('x1', first, second), make('x2', second, first)]);
    expect(runs).toBe(2);
  });

  it('answers in bounded time when the pool is used up, and recovers', async () => {
    const name = (db.dataSource.options as { database?: string }).database;
    const url = Object.assign(new URL(process.env['FRACTUS_TEST_MYSQL']!), { pathname: name }).href;
    const small = await openDatabase({ ...schema, url, poolSize: 2, acquireMs: 50 });
    const { opened, open: release } = gate();
    const both = [gate(), gate()];
    const holders = both.map((g) => small.transaction(async () => (g.open(), opened)));
    await Promise.all(both.map((g) => g.opened));
    const refused = { kind: 'unavailable', code: 'database.pool_exhausted' };
    await expect(small.transaction(async (tx) => bump(tx, 'a'))).rejects.toMatchObject(refused);
    await expect(small.query('SELECT 1')).rejects.toMatchObject(refused);
    release();
    await Promise.all(holders);
    expect(await small.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await small.close();
  });
});

onMysql('a unit of work whose connection is lost', () => {
  let wire: Wire;
  let db: Database;
  beforeEach(async () => {
    wire = await Wire.to(await createTestMysql());
    db = await openDatabase({ ...schema, url: wire.url, poolSize: 4, patienceMs: 2000, statementMs: 1000 });
  });
  afterEach(async () => {
    await db.close();
    await wire.close();
  });
  const names = async (): Promise<string[]> =>
    (await db.query<{ name: string }>('SELECT name FROM items ORDER BY id')).map((r) => r.name);

  it('runs again on another connection when nothing was committed', async () => {
    let runs = 0;
    await db.transaction(async (tx) => {
      await add(tx, 'a');
      if (++runs === 1) wire.cut();
      await add(tx, 'b');
    });
    expect(runs).toBe(2);
    expect(await names()).toEqual(['a', 'b']);
  });

  it('reads again too, and idle connections that died are no trouble', async () => {
    await Promise.all([1, 2, 3, 4].map(() => db.query('SELECT 1')));
    wire.cut();
    expect(await db.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it.each(['before', 'after', 'mute'] as const)(
    'says that it does not know when the connection is lost at the commit (%s), and runs nothing twice',
    async (how) => {
      let runs = 0;
      const effects: string[] = [];
      wire.cutCommit = how;
      const unit = db.transaction(async (tx) => {
        runs++;
        tx.afterCommit(() => void effects.push('done'));
        await add(tx, 'a');
      });
      await expect(unit).rejects.toMatchObject({ kind: 'unavailable', code: 'database.commit_unknown' });
      expect([runs, wire.cuts, effects]).toEqual([1, 1, []]);
    },
  );

  it.each([
    ['before', 2],
    ['after', 1],
    ['mute', 1],
  ] as const)('finds out where the block can tell (%s), and does it exactly once', async (how, expected) => {
    let runs = 0;
    const effects: string[] = [];
    wire.cutCommit = how;
    const made = await db.transaction(
      async (tx) => {
        runs++;
        tx.afterCommit(() => void effects.push('done'));
        await add(tx, 'a');
        return `run ${runs}`;
      },
      { committed: async (tx) => (await tx.query("SELECT id FROM items WHERE name = 'a' FOR UPDATE")).length > 0 },
    );
    expect([made, runs, effects]).toEqual([`run ${expected}`, expected, ['done']]);
    expect(await names()).toEqual(['a']);
  });

  it.each(['before', 'after'] as const)('looks again when it is lost at the end of its look (%s)', async (how) => {
    let [runs, looks] = [0, 0];
    wire.cutCommit = 'after';
    await db.transaction(
      async (tx) => {
        runs++;
        await add(tx, 'a');
      },
      {
        committed: async (tx) => {
          if (++looks === 1) wire.cutCommit = how;
          return (await tx.query("SELECT id FROM items WHERE name = 'a' FOR UPDATE")).length > 0;
        },
      },
    );
    expect([runs, looks, wire.cuts]).toEqual([1, 2, 2]);
    expect(await names()).toEqual(['a']);
  });

  it('gives up with a typed error when the server stays away, and knows that it does', async () => {
    await wire.close();
    expect(await db.ping()).toBe(false);
    const away = { kind: 'unavailable', code: 'database.unavailable', retryAfter: 1 };
    await expect(db.query('SELECT 1')).rejects.toMatchObject(away);
    await expect(db.transaction((tx) => add(tx, 'a'))).rejects.toMatchObject(away);
  });
});

class AddColour1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runDdl(runner, ['ALTER TABLE items ADD COLUMN colour VARCHAR(16)', 'CREATE INDEX ix_items_colour ON items (colour)']); // prettier-ignore
  }
  async down(): Promise<void> {
    throw new Error('not undone');
  }
}

onMysql('migrations', () => {
  it('are run once when several processes start at the same moment', async () => {
    const url = await createTestMysql();
    const migrations = [...MIGRATIONS, AddColour1700000000001];
    const ran = await Promise.all([1, 2, 3].map(() => migrateDatabase({ url, migrations })));
    expect(ran.map((r) => r.length).sort()).toEqual([0, 0, 2]);
    expect(await migrateDatabase({ url, migrations })).toEqual([]);
  });

  it('go on where they were cut off', async () => {
    const url = await createTestMysql();
    const db = await openDatabase({ url, entities: [], migrations: MIGRATIONS });
    await db.dataSource.query('ALTER TABLE items ADD COLUMN colour VARCHAR(16)');
    await db.close();
    expect(await migrateDatabase({ url, migrations: [...MIGRATIONS, AddColour1700000000001] })).toHaveLength(1);
  });

  it('are asked for by a release that starts on a database behind it; one ahead of it serves', async () => {
    const url = await createTestMysql();
    await migrateDatabase({ url, migrations: MIGRATIONS });
    const newer = { entities: [], migrations: [...MIGRATIONS, AddColour1700000000001] };
    await expect(openDatabase({ ...newer, url, migrate: false })).rejects.toMatchObject({
      code: 'database.not_migrated',
    });
    await migrateDatabase({ url, migrations: newer.migrations });
    const older = await openDatabase({ ...schema, url, migrate: false });
    await older.transaction((tx) => add(tx, 'written by the older release'));
    expect(await older.query('SELECT colour FROM items')).toEqual([{ colour: null }]);
    await older.close();
  });
});

describe('a MySQL url', () => {
  it('is read with its escapes, TLS and socket', () => {
    expect(parseMysqlUrl('mysql://u%40x:p%2F1@db.example:3307/n?tls=require')).toEqual({
      host: 'db.example',
      port: 3307,
      user: 'u@x',
      password: 'p/1',
      database: 'n',
      ssl: { rejectUnauthorized: false },
    });
    expect(parseMysqlUrl('mysql://u:p@[::1]/n?socket=/run/x.sock')).toMatchObject({
      host: '::1',
      port: 3306,
      socketPath: '/run/x.sock',
    });
    expect(() => parseMysqlUrl('mysql://u:secret@h/n?tls=maybe')).toThrow('tls is off, require or verify, not maybe');
    expect(() => parseMysqlUrl('mysql://u:secret@h/n?sslmode=on')).toThrow(/unknown parameter sslmode/);
    expect(() => parseMysqlUrl('mysql://u:secret@h:port/n')).not.toThrow(/secret/);
  });
});
