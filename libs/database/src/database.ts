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
 * lock time-out, a busy database or a lost connection runs again, so it must be repeatable: no RPC, no HTTP, no outside
 * effect. Effects that must follow the commit are registered with `tx.afterCommit`.
 *
 * What is written by one statement needs no such block: `execute` and `insert` of the database itself are a unit of
 * work of one statement, without a round trip for BEGIN and COMMIT, under the same rules; inside an open unit they join
 * it.
 *
 * A connection that is lost during the COMMIT itself leaves open whether the work was done. A block that can tell hands
 * in `committed`, which is asked on another connection once the lost one is certainly at its end; without it the caller
 * gets `unavailable` `database.commit_unknown`, and the block is not run again.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { FractusError, internal } from '@fractus/objects';
import {
  CommitLost,
  type Dialect,
  type Engine,
  type Session,
  type SqlRow,
  type SqlValue,
  type Written,
} from './engine';
import { commitUnknown, databaseContention, databaseUnavailable, isLost, isTransient } from './errors';

/** The open unit of work. Use it only inside the block it was handed to. */
export interface Tx {
  readonly dialect: Dialect;
  query<T = Record<string, unknown>>(sql: string, params?: SqlValue[]): Promise<T[]>;
  /** `affected`: rows that matched. `insertId`: the first generated id. */
  execute(sql: string, params?: SqlValue[]): Promise<Written>;
  /** Inserts one row or several (same keys in each); returns the first generated id. */
  insert(table: string, rows: SqlRow | SqlRow[]): Promise<number>;
  /** Runs once, after this unit of work has committed; dropped when it rolls back. See `Effect`. */
  afterCommit(effect: Effect): void;
}

/**
 * What follows a commit. Nobody waits for it, and no failure of it undoes what is committed: a throw or a rejection goes
 * to `onEffectError` of the database, and the other effects run all the same.
 */
export type Effect = () => void | Promise<void>;

export interface UnitOptions {
  /**
   * Whether this unit of work is in the database: asked when the connection was lost during its commit. Looks, with a
   * locking read, for something that only this unit has written.
   */
  committed?: (tx: Tx) => Promise<boolean>;
}

export interface StatementOptions {
  /**
   * What the statement came to, null if it was not done: asked when the connection was lost under way. Looks, with a
   * locking read, for something that only this statement has written.
   */
  committed?: (tx: Tx) => Promise<Written | null>;
  /** As `tx.afterCommit`: runs once, when the statement is committed, by itself or with the unit of work that it joined. */
  afterCommit?: Effect;
}

/** What is told of each statement to those who watch: tests that count, metrics. */
export type StatementListener = (sql: string, params: readonly SqlValue[]) => void;

const MAX_ATTEMPTS = 12;
const PING_MS = 2_000;
const logEffectError = (e: unknown): void =>
  new Logger('Database').error(
    'what was to follow a commit failed; the commit stands',
    e instanceof Error ? e.stack : e,
  );
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
/** 5 ms to 320 ms, at random: those who collided must not meet again. */
const pause = (attempt: number): Promise<void> => sleep(Math.random() * 10 * 2 ** Math.min(attempt, 6));

export class Database {
  private readonly current = new AsyncLocalStorage<Tx>();
  private readonly listeners = new Set<StatementListener>();
  private tail: Promise<unknown> = Promise.resolve();

  constructor(
    /** TypeORM's own handle, for entity metadata and migrations. Reads and writes go through this class. */
    readonly dataSource: DataSource,
    private readonly engine: Engine,
    /** Milliseconds for which a lost database is tried again before `unavailable` is said. */
    private readonly patienceMs: number,
    /** Is told of effects that failed after a commit. */
    private readonly onEffectError: (err: unknown) => void = logEffectError,
  ) {}

  get dialect(): Dialect {
    return this.engine.dialect;
  }

  /** Reads. Inside a unit of work it reads through it; outside, on SQLite, through the read-only connection. */
  async query<T = Record<string, unknown>>(sql: string, params: SqlValue[] = []): Promise<T[]> {
    const tx = this.current.getStore();
    if (tx) return tx.query<T>(sql, params);
    return this.persist(() => {
      this.tell(sql, params);
      return this.engine.read(sql, checked(params)) as Promise<T[]>;
    });
  }

  /** Runs `block` as one transaction; joins the one that is open in this async context, if any. */
  async transaction<R>(block: (tx: Tx) => Promise<R>, options: UnitOptions = {}): Promise<R> {
    return this.unit('write', block, options);
  }

  /**
   * One writing statement as a unit of work. A loss of the connection leaves open whether it was done, as the loss of a
   * commit does: without `committed` it is then `unavailable` `database.commit_unknown`, and not run twice.
   */
  async execute(
    sql: string,
    params: SqlValue[] = [],
    { afterCommit, committed }: StatementOptions = {},
  ): Promise<Written> {
    const tx = this.current.getStore();
    if (tx) {
      const result = await tx.execute(sql, params);
      if (afterCommit) tx.afterCommit(afterCommit);
      return result;
    }
    const values = checked(params);
    const result = await this.inTurn(() => this.persist(() => this.single(sql, values, committed)));
    if (afterCommit) this.follow([afterCommit]);
    return result;
  }

  /** Inserts one row or several (same keys in each) as a unit of work; returns the first generated id. See `execute`. */
  async insert(table: string, rows: SqlRow | SqlRow[], options: StatementOptions = {}): Promise<number> {
    const made = insertOf(table, rows);
    if (!made) return 0;
    const { insertId } = await this.execute(made.sql, made.params, options);
    return firstId(this.dialect, insertId, made.count);
  }

  /** Several reads of one and the same state. Nothing may be written. */
  async snapshot<R>(block: (tx: Tx) => Promise<R>): Promise<R> {
    return this.unit('snapshot', block, {});
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

  /** Watches every statement that a repository gives; returns how to stop. */
  observe(listener: StatementListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Resolves when no unit of work of this process is running (SQLite), then closes the connections. */
  async close(): Promise<void> {
    await this.tail;
    await this.engine.close();
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }

  /** True when the database answers a trivial query within two seconds. */
  async ping(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), PING_MS)));
    const answer = this.engine.read('SELECT 1', []).then(
      () => true,
      () => false,
    );
    return Promise.race([answer, late]).finally(() => clearTimeout(timer));
  }

  private async unit<R>(kind: 'write' | 'snapshot', block: (tx: Tx) => Promise<R>, options: UnitOptions): Promise<R> {
    const open = this.current.getStore();
    if (open) return block(open);
    return this.inTurn(() => this.persist(() => this.once(kind, block, options)));
  }

  /** On SQLite one writer after another. */
  private inTurn<R>(run: () => Promise<R>): Promise<R> {
    if (this.dialect === 'mysql') return run();
    const turn = this.tail.then(run);
    this.tail = turn.catch(() => undefined);
    return turn;
  }

  private async single(sql: string, params: SqlValue[], committed: StatementOptions['committed']): Promise<Written> {
    this.tell(sql, params);
    try {
      return await this.engine.execute(sql, params);
    } catch (e) {
      if (!(e instanceof CommitLost)) throw e;
      let found: Written | null = null;
      const look = committed && (async (tx: Tx) => (found = await committed(tx)) !== null);
      if (await this.wasCommitted(e, look ? { committed: look } : {})) return found ?? { affected: 0, insertId: 0 };
      throw e.cause;
    }
  }

  /** Again after what others caused, and for a while after the loss of the database; typed errors at the end of it. */
  private async persist<R>(work: () => Promise<R>): Promise<R> {
    const end = Date.now() + this.patienceMs;
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (e) {
        const lost = isLost(e);
        if (!lost && !isTransient(e)) throw e;
        // a file that cannot be read now will not be in a second, and everyone else is waiting in line
        const enough = lost ? this.dialect === 'sqlite' || Date.now() >= end : attempt >= MAX_ATTEMPTS;
        if (enough) throw lost ? databaseUnavailable(e) : databaseContention(e);
        await pause(attempt);
      }
    }
  }

  private async once<R>(
    kind: 'write' | 'snapshot',
    block: (tx: Tx) => Promise<R>,
    options: UnitOptions,
    readsOnly = kind === 'snapshot',
  ): Promise<R> {
    const session = await this.engine.begin(kind);
    const tx = new SessionTx(this.dialect, session, (sql, params) => this.tell(sql, params));
    const result = await this.current
      // a block that throws before its first await must end its unit of work too
      .run(tx, async () => block(tx))
      .catch(async (e: unknown) => {
        await session.rollback();
        throw e;
      });
    try {
      await session.commit();
    } catch (e) {
      if (!(e instanceof CommitLost)) {
        await session.rollback();
        throw e;
      }
      // what only reads has nothing to lose; what is proved not to have been done runs again
      if (readsOnly || !(await this.wasCommitted(e, options))) throw e.cause;
    }
    this.follow(tx.effects);
    return result;
  }

  /** Outside of the unit of work that is committed, and unable to fail it. */
  private follow(effects: readonly Effect[]): void {
    for (const effect of effects) {
      // begun at once, as callers may count on; what it throws becomes a rejection
      void this.current.exit(async () => effect()).catch((err: unknown) => this.onEffectError(err));
    }
  }

  /** Throws `database.commit_unknown` where it cannot be found out. */
  private async wasCommitted(lost: CommitLost, { committed }: UnitOptions): Promise<boolean> {
    if (!committed) throw commitUnknown(lost.cause);
    try {
      return await this.persist(async () => {
        await lost.bury();
        // it locks what it looks at, and writes nothing: lost at its own end it looks again
        return this.once('write', committed, {}, true);
      });
    } catch {
      throw commitUnknown(lost.cause);
    }
  }

  private tell(sql: string, params: readonly SqlValue[]): void {
    for (const listener of this.listeners) listener(sql, params);
  }
}

class SessionTx implements Tx {
  readonly effects: Effect[] = [];

  constructor(
    readonly dialect: Dialect,
    private readonly session: Session,
    private readonly tell: StatementListener,
  ) {}

  async query<T>(sql: string, params: SqlValue[] = []): Promise<T[]> {
    this.tell(sql, params);
    return (await this.session.query(sql, checked(params))) as T[];
  }

  async execute(sql: string, params: SqlValue[] = []): Promise<Written> {
    this.tell(sql, params);
    return this.session.execute(sql, checked(params));
  }

  async insert(table: string, rows: SqlRow | SqlRow[]): Promise<number> {
    const made = insertOf(table, rows);
    if (!made) return 0;
    const { insertId } = await this.execute(made.sql, made.params);
    return firstId(this.dialect, insertId, made.count);
  }

  afterCommit(effect: Effect): void {
    this.effects.push(effect);
  }
}

function insertOf(
  table: string,
  rows: SqlRow | SqlRow[],
): { sql: string; params: SqlValue[]; count: number } | undefined {
  const list = Array.isArray(rows) ? rows : [rows];
  const first = list[0];
  if (!first) return undefined;
  const columns = Object.keys(first);
  const marks = `(${columns.map(() => '?').join(', ')})`;
  const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${list.map(() => marks).join(', ')}`;
  return { sql, params: list.flatMap((row) => columns.map((c) => row[c])), count: list.length };
}

/** SQLite reports the last id of an insert of several rows, MySQL the first. */
const firstId = (dialect: Dialect, insertId: number, count: number): number =>
  dialect === 'sqlite' ? insertId - count + 1 : insertId;

/** Undefined is NULL. What is no value of SQL never reaches a driver, which might write it out as something else. */
function checked(params: readonly SqlValue[]): SqlValue[] {
  return params.map((v) => {
    if (v === undefined) return null;
    if ((typeof v === 'object' && v !== null && !Buffer.isBuffer(v)) || Number.isNaN(v))
      throw internal(`a parameter of SQL is ${Number.isNaN(v) ? 'NaN' : 'an object'}`, { code: 'database.parameter' });
    return v;
  });
}
