/**
 * For tests: the same suite on SQLite and on MariaDB.
 *
 *     eachDatabase('aggregates', (open) => {
 *       beforeEach(async () => { db = await open(COMPUTE_SCHEMA); });
 *
 * SQLite is always there. MariaDB is used where FRACTUS_TEST_MYSQL names a server, `mysql://user:password@host:port/`,
 * whose user may create databases (`npm test` starts one by itself where the package is installed, or start one with
 * tools/services/mariadb.mjs); without it those tests are skipped, and reported as skipped.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection, type Connection } from 'mysql2';
import type { Database } from './database';
import type { Dialect, SqlValue } from './engine';
import { type DatabaseOptions, openDatabase } from './open-database';

/** What a suite's databases are made of, and how they are opened. */
export type TestSchema = Pick<DatabaseOptions, 'entities' | 'migrations'> & Omit<Partial<DatabaseOptions>, 'url'>;
/** An empty, migrated database; it goes when it is closed. */
export type OpenTestDatabase = (schema: TestSchema) => Promise<Database>;

const server = process.env['FRACTUS_TEST_MYSQL'];

/** Whether tests on MariaDB can run here. */
export const hasTestMysql = (): boolean => server !== undefined && server !== '';

/** `describe`, once for each database. A `long` suite runs on MariaDB with the long ones only (FRACTUS_FULL=1). */
export function eachDatabase(
  name: string,
  suite: (open: OpenTestDatabase, dialect: Dialect) => void,
  { long = false } = {},
): void {
  describe(`${name}, on SQLite`, () => suite(openTestSqlite, 'sqlite'));
  if (!long || process.env['FRACTUS_FULL']) onMysql(name, (open) => suite(open, 'mysql'));
}

/** `describe` for MariaDB alone. */
export function onMysql(name: string, suite: (open: OpenTestDatabase) => void): void {
  const run = hasTestMysql() ? describe : describe.skip;
  run(`${name}, on MariaDB${hasTestMysql() ? '' : ' (skipped: FRACTUS_TEST_MYSQL names no server)'}`, () => {
    afterAll(() => dropDatabases());
    suite(openTestMysql);
  });
}

/** URLs of new, empty databases, for apps that open their own; `release` drops them. */
export function eachDatabaseUrl(name: string, suite: (newUrl: () => Promise<string>, dialect: Dialect) => void): void {
  describe(`${name}, on SQLite`, () => {
    const dirs: string[] = [];
    afterAll(() => dirs.splice(0).forEach((dir) => rmSync(dir, { recursive: true, force: true })));
    suite(async () => {
      dirs.push(mkdtempSync(join(tmpdir(), 'fractus-db-')));
      return `sqlite:${join(dirs.at(-1) ?? '', 'test.db')}`;
    }, 'sqlite');
  });
  onMysql(name, () => suite(createTestMysql, 'mysql'));
}

/** An empty database in a file of its own. */
export async function openTestSqlite(schema: TestSchema): Promise<Database> {
  const dir = mkdtempSync(join(tmpdir(), 'fractus-db-'));
  const db = await openDatabase({ ...schema, url: `sqlite:${join(dir, 'test.db')}` });
  return onClose(db, () => rmSync(dir, { recursive: true, force: true }));
}

const made = new Set<string>();
/** Migrated databases that nobody uses at the moment, by their migrations: making tables costs more than emptying them. */
const idle = new Map<string, string[]>();

/** An empty database on the server of FRACTUS_TEST_MYSQL. */
export async function openTestMysql(schema: TestSchema): Promise<Database> {
  const key = schema.migrations.map((m) => m.name).join();
  const name = idle.get(key)?.pop() ?? (await createMysqlDatabase());
  const db = await openDatabase({ ...schema, url: urlOf(name) });
  return onClose(db, async () => {
    await emptyTables(name);
    idle.set(key, [...(idle.get(key) ?? []), name]);
  });
}

/** URL of a new database without tables. It is dropped after the suite of `onMysql` or `eachDatabase` around it. */
export const createTestMysql = async (): Promise<string> => urlOf(await createMysqlDatabase());

async function createMysqlDatabase(): Promise<string> {
  const name = `fractus_test_${randomBytes(6).toString('hex')}`;
  await asRoot((say) => say(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`));
  made.add(name);
  return name;
}

function urlOf(name: string): string {
  const url = new URL(server ?? '');
  url.pathname = `/${name}`;
  return url.href;
}

async function emptyTables(name: string): Promise<void> {
  await asRoot(async (say) => {
    await say('SET FOREIGN_KEY_CHECKS = 0');
    const tables = await say<{ name: string }>(
      'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = ?',
      [name],
    );
    for (const table of tables.filter((t) => t.name !== 'migrations')) await say(`DELETE FROM ${name}.${table.name}`);
  });
}

async function dropDatabases(): Promise<void> {
  const names = [...made];
  made.clear();
  idle.clear();
  if (names.length > 0)
    await asRoot(async (say) => {
      for (const name of names) await say(`DROP DATABASE IF EXISTS ${name}`);
    });
}

type Say = <T>(sql: string, params?: SqlValue[]) => Promise<T[]>;

async function asRoot(work: (say: Say) => Promise<unknown>): Promise<void> {
  const connection: Connection = createConnection({ uri: server ?? '' });
  try {
    await work(
      (sql, params = []) =>
        new Promise((resolve, reject) =>
          connection.query(sql, params, (e, rows) => (e ? reject(e) : resolve(rows as never))),
        ),
    );
  } finally {
    connection.end();
  }
}

function onClose(db: Database, after: () => void | Promise<void>): Database {
  const close = db.close.bind(db);
  db.close = async () => {
    await close();
    await after();
  };
  return db;
}

/** The statements that repositories give while `work` runs, in order. To hold the number of them in a test. */
export async function statementsOf(db: Database, work: () => Promise<unknown>): Promise<string[]> {
  const seen: string[] = [];
  const stop = db.observe((sql) => void seen.push(sql));
  try {
    await work();
  } finally {
    stop();
  }
  return seen;
}

/** How MariaDB carried out a read: one line a table. */
export interface PlanLine {
  readonly sql: string;
  /** Empty where no table was needed: a key told at once that there is no such row. `<…>` are results in between. */
  readonly table: string;
  /** `ALL` reads the whole table, `index` the whole index. */
  readonly type: string;
  readonly key: string | null;
  /** Rows that were looked at, on average over the times it was entered. */
  readonly rows: number;
  readonly extra: string;
}

/** The plans of every SELECT that `work` makes, with true numbers of rows. MariaDB only; analyse the tables first. */
export async function plansOf(db: Database, work: () => Promise<unknown>): Promise<PlanLine[]> {
  const seen: [string, readonly SqlValue[]][] = [];
  const stop = db.observe((sql, params) => void seen.push([sql, params]));
  await work().finally(stop);
  const lines: PlanLine[] = [];
  for (const [sql, params] of seen.filter(([s]) => /^\s*SELECT/i.test(s))) {
    type Told = { table: string | null; type: string; key: string | null; r_rows: number | null; Extra: string };
    for (const l of await db.query<Told>(`ANALYZE ${sql}`, [...params]))
      lines.push({ sql, table: l.table ?? '', type: l.type, key: l.key, rows: Number(l.r_rows ?? 0), extra: l.Extra });
  }
  return lines;
}

/** Table → its columns (`name`, `name?` where null is allowed) and its named indexes (`name`, `name!` where unique). */
export async function describeTable(db: Database, table: string): Promise<{ columns: string[]; indexes: string[] }> {
  const sorted = (list: string[]): string[] => [...new Set(list)].sort();
  if (db.dialect === 'sqlite') {
    const columns = await db.query<{ name: string; notnull: number; pk: number }>(`PRAGMA table_info(${table})`);
    const indexes = await db.query<{ name: string; unique: number }>(`PRAGMA index_list(${table})`);
    return {
      columns: sorted(columns.map((c) => `${c.name}${c.notnull || c.pk ? '' : '?'}`)),
      indexes: sorted(
        indexes.filter((i) => !i.name.startsWith('sqlite_')).map((i) => `${i.name}${i.unique ? '!' : ''}`),
      ),
    };
  }
  const here = 'table_schema = DATABASE() AND table_name = ?';
  const columns = await db.query<{ name: string; nullable: string }>(
    `SELECT column_name AS name, is_nullable AS nullable FROM information_schema.columns WHERE ${here}`,
    [table],
  );
  const indexes = await db.query<{ name: string; plain: number }>(
    `SELECT index_name AS name, non_unique AS plain FROM information_schema.statistics WHERE ${here} AND index_name <> 'PRIMARY'`,
    [table],
  );
  return {
    columns: sorted(columns.map((c) => `${c.name}${c.nullable === 'YES' ? '?' : ''}`)),
    indexes: sorted(indexes.map((i) => `${i.name}${Number(i.plain) ? '' : '!'}`)),
  };
}
