/**
 * One database of one service, on SQLite (embedded) or MySQL/MariaDB.
 *
 * Background. TypeORM on better-sqlite3 shares a single connection, so two transactions that interleave at an `await`
 * would mix: a rollback of one takes the other's writes along. And a block that loses a deadlock must run again as a
 * whole. Both belong in one place, the unit of work.
 *
 * How it works. `transaction` binds a `Tx` to the async context; a nested call joins it. On SQLite blocks run one after
 * another on the writer connection (BEGIN IMMEDIATE); reads outside use a second, read-only connection and see the
 * last committed state (WAL). On MySQL every block takes a pooled connection. A block that fails with a deadlock, a
 * lock time-out or a busy database runs again, so it must be repeatable: no RPC, no HTTP, no outside effect. Effects
 * that must follow the commit are registered with `tx.afterCommit`.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { DataSource, type DataSourceOptions, type QueryRunner } from 'typeorm';
import { FractusError } from '@fractus/objects';

// eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- TypeORM names entity and migration classes so
type ClassRef = Function;
export type Dialect = 'sqlite' | 'mysql';
export type SqlValue = string | number | bigint | boolean | null | Buffer | undefined;
export type SqlRow = Record<string, SqlValue>;

export interface DatabaseOptions {
  /** `sqlite:/path/file.db`, `sqlite::memory:` (tests; one connection), or `mysql://user:password@host:port/name`. */
  url: string;
  entities: ClassRef[];
  migrations: ClassRef[];
  /** Connections in the pool (MySQL only). */
  poolSize?: number;
  /** Run pending migrations on opening. Off where a command of its own does it. Default true. */
  migrate?: boolean;
}

/** The open unit of work. Use it only inside the block it was handed to. */
export interface Tx {
  readonly dialect: Dialect;
  query<T = Record<string, unknown>>(sql: string, params?: SqlValue[]): Promise<T[]>;
  execute(sql: string, params?: SqlValue[]): Promise<{ affected: number; insertId: number }>;
  /** Inserts one row or several (same keys in each); returns the first generated id. */
  insert(table: string, rows: SqlRow | SqlRow[]): Promise<number>;
  /** Runs once, after this unit of work has committed; dropped when it rolls back. Errors there are the callee's own. */
  afterCommit(effect: () => void | Promise<void>): void;
}

const MAX_ATTEMPTS = 8;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export class Database {
  private readonly current = new AsyncLocalStorage<Tx>();
  private tail: Promise<unknown> = Promise.resolve();

  constructor(
    readonly dialect: Dialect,
    /** TypeORM's own handle, for entity metadata and QueryBuilder reads. Writes go through `transaction`. */
    readonly dataSource: DataSource,
    private readonly reader: DataSource,
  ) {}

  /** Reads. Inside a unit of work it reads through it; outside, on SQLite, through the read-only connection. */
  async query<T = Record<string, unknown>>(sql: string, params: SqlValue[] = []): Promise<T[]> {
    const tx = this.current.getStore();
    if (tx) return tx.query<T>(sql, params);
    return (await this.reader.query(sql, bindable(params, this.dialect)).catch(rethrowLost)) as T[];
  }

  /** Runs `block` as one transaction; joins the one that is open in this async context, if any. */
  async transaction<R>(block: (tx: Tx) => Promise<R>): Promise<R> {
    const open = this.current.getStore();
    if (open) return block(open);
    if (this.dialect === 'mysql') return this.withRetry(block);
    const turn = this.tail.then(() => this.withRetry(block));
    this.tail = turn.catch(() => undefined);
    return turn;
  }

  /** Whether a unit of work is open in this async context. */
  inTransaction(): boolean {
    return this.current.getStore() !== undefined;
  }

  /** Outbound calls say this first: no transaction spans RPC or HTTP. */
  assertOutsideTransaction(what: string): void {
    if (this.inTransaction())
      throw new FractusError('internal', `${what} inside a database transaction`, {
        code: 'database.io_in_transaction',
      });
  }

  /** `INSERT` that updates the other columns where the key columns already exist. */
  upsertSql(table: string, columns: string[], keyColumns: string[]): string {
    const names = columns.join(', ');
    const marks = columns.map(() => '?').join(', ');
    const rest = columns.filter((c) => !keyColumns.includes(c));
    if (this.dialect === 'mysql') {
      const updates = (rest.length ? rest : keyColumns).map((c) => `${c} = VALUES(${c})`).join(', ');
      return `INSERT INTO ${table} (${names}) VALUES (${marks}) ON DUPLICATE KEY UPDATE ${updates}`;
    }
    const updates = rest.map((c) => `${c} = excluded.${c}`).join(', ');
    const action = rest.length ? `DO UPDATE SET ${updates}` : 'DO NOTHING';
    return `INSERT INTO ${table} (${names}) VALUES (${marks}) ON CONFLICT (${keyColumns.join(', ')}) ${action}`;
  }

  /** Resolves when no unit of work of this process is running (SQLite), then closes the connections. */
  async close(): Promise<void> {
    await this.tail;
    if (this.reader !== this.dataSource) await this.reader.destroy();
    await this.dataSource.destroy();
  }

  /** True when the database answers a trivial query. */
  async ping(): Promise<boolean> {
    return this.query('SELECT 1').then(
      () => true,
      () => false,
    );
  }

  private async withRetry<R>(block: (tx: Tx) => Promise<R>): Promise<R> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.once(block);
      } catch (e) {
        if (!isTransient(e) || attempt >= MAX_ATTEMPTS) rethrowLost(e);
        await sleep(Math.random() * 10 * 2 ** attempt);
      }
    }
  }

  private async once<R>(block: (tx: Tx) => Promise<R>): Promise<R> {
    const runner = this.dataSource.createQueryRunner();
    const effects: (() => void | Promise<void>)[] = [];
    const tx = new RunnerTx(this.dialect, runner, effects);
    try {
      await runner.query(this.dialect === 'sqlite' ? 'BEGIN IMMEDIATE' : 'START TRANSACTION');
      const result = await this.current
        .run(tx, () => block(tx))
        .catch(async (e: unknown) => {
          await runner.query('ROLLBACK').catch(() => undefined);
          throw e;
        });
      await runner.query('COMMIT').catch(async (e: unknown) => {
        await runner.query('ROLLBACK').catch(() => undefined);
        throw e;
      });
      for (const effect of effects) void this.current.exit(() => effect());
      return result;
    } finally {
      await runner.release();
    }
  }
}

class RunnerTx implements Tx {
  constructor(
    readonly dialect: Dialect,
    private readonly runner: QueryRunner,
    private readonly effects: (() => void | Promise<void>)[],
  ) {}

  async query<T>(sql: string, params: SqlValue[] = []): Promise<T[]> {
    return (await this.runner.query(sql, bindable(params, this.dialect))) as T[];
  }

  async execute(sql: string, params: SqlValue[] = []): Promise<{ affected: number; insertId: number }> {
    const out = await this.runner.query(sql, bindable(params, this.dialect), true);
    const raw = out.raw as { insertId?: number } | number | bigint | undefined;
    const insertId = typeof raw === 'object' && raw !== null ? (raw.insertId ?? 0) : Number(raw ?? 0);
    return { affected: out.affected ?? 0, insertId };
  }

  async insert(table: string, rows: SqlRow | SqlRow[]): Promise<number> {
    const list = Array.isArray(rows) ? rows : [rows];
    const first = list[0];
    if (!first) return 0;
    const columns = Object.keys(first);
    const marks = `(${columns.map(() => '?').join(', ')})`;
    const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${list.map(() => marks).join(', ')}`;
    const { insertId } = await this.execute(
      sql,
      list.flatMap((row) => columns.map((c) => row[c])),
    );
    // SQLite reports the last id of a multi-row insert, MySQL the first
    return this.dialect === 'sqlite' ? insertId - list.length + 1 : insertId;
  }

  afterCommit(effect: () => void | Promise<void>): void {
    this.effects.push(effect);
  }
}

const bindable = (params: SqlValue[], dialect: Dialect): unknown[] =>
  params.map((v) => (v === undefined ? null : typeof v === 'boolean' && dialect === 'sqlite' ? Number(v) : v));

const TRANSIENT = new Set([
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_CHECKREAD',
  'SQLITE_BUSY',
  'SQLITE_BUSY_SNAPSHOT',
  'SQLITE_LOCKED',
]);

/** Deadlock, lock time-out, record changed since last read, busy: running the block again may succeed. */
export function isTransient(e: unknown): boolean {
  const code = errorCode(e);
  return code !== undefined && TRANSIENT.has(code);
}

/** A database that cannot be reached, or takes no writes, as against a statement that it refuses. */
const LOST =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|PROTOCOL_CONNECTION_LOST|ER_CON_COUNT_ERROR|ER_SERVER_SHUTDOWN|SQLITE_(IOERR|FULL|CANTOPEN|READONLY_).*)$/;

/** Rethrows; what says that the database is gone becomes 503: nothing was decided, and a retry may succeed. */
function rethrowLost(e: unknown): never {
  if (!LOST.test(errorCode(e) ?? '')) throw e;
  throw new FractusError('unavailable', 'The database cannot be reached or takes no writes.', {
    code: 'database.unavailable',
    cause: e,
    retryAfter: 1,
  });
}

/** Whether the write failed because a unique key already exists. */
export function isDuplicateKey(e: unknown): boolean {
  const code = errorCode(e);
  return code === 'ER_DUP_ENTRY' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}

function errorCode(e: unknown): string | undefined {
  if (typeof e !== 'object' || e === null) return undefined;
  const { code, driverError } = e as { code?: unknown; driverError?: { code?: unknown } };
  if (typeof driverError?.code === 'string') return driverError.code;
  return typeof code === 'string' ? code : undefined;
}

/** Opens (and, unless told otherwise, migrates) a database. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, entities, migrations, migrate = true } = options;
  if (url.startsWith('sqlite:')) return openSqlite(url.slice('sqlite:'.length), entities, migrations, migrate);
  if (url.startsWith('mysql://')) return openMysql(options);
  throw new FractusError('invalid', `database url must start with sqlite: or mysql://, not ${url.split(':')[0]}:`, {
    code: 'config.database_url',
  });
}

interface BetterSqlite {
  pragma(text: string): unknown;
}

async function openSqlite(
  file: string,
  entities: ClassRef[],
  migrations: ClassRef[],
  migrate: boolean,
): Promise<Database> {
  const base: DataSourceOptions = {
    type: 'better-sqlite3',
    database: file,
    entities,
    migrations,
    prepareDatabase: (db: unknown) => {
      const handle = db as BetterSqlite;
      handle.pragma('journal_mode = WAL');
      handle.pragma('synchronous = NORMAL');
      handle.pragma('foreign_keys = ON');
      handle.pragma('busy_timeout = 5000');
    },
  };
  try {
    const writer = await new DataSource(base).initialize();
    if (migrate) await writer.runMigrations({ transaction: 'each' });
    if (file === ':memory:') return new Database('sqlite', writer, writer);
    const reader = await new DataSource({
      ...base,
      readonly: true,
      prepareDatabase: (db: unknown) => void (db as BetterSqlite).pragma('busy_timeout = 5000'),
    }).initialize();
    return new Database('sqlite', writer, reader);
  } catch (e) {
    // no database, damaged, no right to it, disk full: an operator must learn which file
    if (!/^SQLITE_(NOTADB|CORRUPT|CANTOPEN|IOERR|FULL|READONLY|PERM)/.test(errorCode(e) ?? '')) throw e;
    throw new FractusError('unavailable', `cannot use the database ${file}: ${(e as Error).message}`, {
      code: 'database.unusable',
      cause: e,
    });
  }
}

async function openMysql({
  url,
  entities,
  migrations,
  poolSize = 10,
  migrate = true,
}: DatabaseOptions): Promise<Database> {
  const source = await new DataSource({
    type: 'mysql',
    url,
    entities,
    migrations,
    charset: 'utf8mb4',
    supportBigNumbers: true,
    bigNumberStrings: false,
    poolSize,
    extra: { connectionLimit: poolSize },
  }).initialize();
  if (migrate) await source.runMigrations({ transaction: 'each' });
  return new Database('mysql', source, source);
}
