/**
 * MySQL and MariaDB by a pool of its own (TypeORM's query runner costs as much again as the query).
 *
 * Isolation is READ COMMITTED. A unit of work then reads what is true now, as a unit on SQLite does, where it is alone;
 * under InnoDB's default it would read the state of its first read, and decide on what is past. Nor are gaps locked, so
 * a locking read of a row that does not exist blocks nobody: most deadlocks of the default come from there. What it
 * does not give is protection against rows that appear (a count, then an insert): such blocks write first and then
 * count under lock. Several reads that must fit together ask for a `snapshot`, which is REPEATABLE READ, read only.
 */
import { CommitLost, type Engine, type Session, type SqlValue, type Written } from './engine';
import { driverCode, isLost, isUntouched } from './errors';
import { type Held, MysqlPool } from './mysql-pool';
import { MysqlSession, run, type SessionParts, toWritten } from './mysql-session';
import type { MysqlAddress } from './mysql-url';

export interface MysqlTuning {
  /** Connections in the pool. */
  readonly poolSize: number;
  /** Milliseconds that a caller waits for a connection to come free. */
  readonly acquireMs: number;
  /** Milliseconds of silence after which a statement's connection counts as dead. */
  readonly statementMs: number;
  /** Seconds that a statement waits for another's row lock before its unit of work runs again. */
  readonly lockWaitSeconds: number;
}

const SQL_MODE = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION';

export class MysqlEngine implements Engine {
  readonly dialect = 'mysql';
  private readonly pool: MysqlPool;
  private readonly parts: SessionParts;

  constructor(address: MysqlAddress, tuning: MysqlTuning) {
    this.pool = new MysqlPool({
      size: tuning.poolSize,
      acquireMs: tuning.acquireMs,
      variables: `sql_mode = '${SQL_MODE}', innodb_lock_wait_timeout = ${tuning.lockWaitSeconds}`,
      connection: {
        ...address,
        connectTimeout: 5_000,
        enableKeepAlive: true,
        keepAliveInitialDelay: 10_000,
        charset: 'utf8mb4',
        timezone: 'Z',
        supportBigNumbers: true,
        bigNumberStrings: false,
        decimalNumbers: true, // SUM() is a DECIMAL, and would come as text
        stringifyObjects: true,
        multipleStatements: false,
        flags: ['FOUND_ROWS'], // affected rows are those that matched
      },
    });
    this.parts = { pool: this.pool, statementMs: tuning.statementMs, bury: (lost) => this.bury(lost) };
  }

  async read(sql: string, params: SqlValue[]): Promise<unknown[]> {
    const held = await this.pool.acquire('each');
    try {
      return (await run(this.parts, held, sql, params)) as unknown[];
    } finally {
      this.pool.release(held);
    }
  }

  async execute(sql: string, params: SqlValue[]): Promise<Written> {
    const held = await this.pool.acquire('each');
    try {
      return toWritten(await run(this.parts, held, sql, params));
    } catch (e) {
      // it was sent, and may have been carried out; only some refusals say for certain that it was not
      if (isLost(e) && !isUntouched(e)) throw new CommitLost(e, () => this.bury(held));
      throw e;
    } finally {
      this.pool.release(held);
    }
  }

  async begin(kind: 'write' | 'snapshot'): Promise<Session> {
    const held = await this.pool.acquire(kind === 'write' ? 'unit' : 'snapshot');
    return new MysqlSession(held, kind, this.parts);
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  /**
   * Ends the transaction of a connection that we have lost, should the server not have noticed: it would keep its locks,
   * and might yet commit. Only in the server's same life: after a restart the number may be another's.
   */
  private async bury(lost: Held): Promise<void> {
    const id = lost.raw.threadId;
    if (!id) return;
    const held = await this.pool.acquire('each');
    try {
      const [status] = (await run(this.parts, held, "SHOW GLOBAL STATUS LIKE 'Uptime'", [])) as { Value: string }[];
      if (Number(status?.Value ?? 0) * 1000 < Date.now() - lost.born) return;
      await run(this.parts, held, `KILL CONNECTION ${Number(id)}`, []);
    } catch (e) {
      if (driverCode(e) !== 'ER_NO_SUCH_THREAD') throw e;
    } finally {
      this.pool.release(held);
    }
  }
}
