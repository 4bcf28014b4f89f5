/**
 * MySQL and MariaDB by a pool of its own (TypeORM's query runner costs as much again as the query).
 *
 * Isolation is READ COMMITTED. A unit of work then reads what is true now, as a unit on SQLite does, where it is alone;
 * under InnoDB's default it would read the state of its first read, and decide on what is past. Nor are gaps locked, so
 * a locking read of a row that does not exist blocks nobody: most deadlocks of the default come from there. What it
 * does not give is protection against rows that appear (a count, then an insert): such blocks write first and then
 * count under lock. Several reads that must fit together ask for a `snapshot`, which is REPEATABLE READ, read only.
 */
import { createPool, type Pool, type PoolConnection, type ResultSetHeader } from 'mysql2';
import { internal } from '@fractus/objects';
import { CommitLost, type Engine, type Session, type SqlValue, type Written } from './engine';
import { driverCode, isLost, isTransient, poolExhausted } from './errors';
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
  private readonly pool: Pool;

  constructor(
    address: MysqlAddress,
    private readonly tuning: MysqlTuning,
  ) {
    this.pool = createPool({
      ...address,
      connectionLimit: tuning.poolSize,
      maxIdle: tuning.poolSize,
      idleTimeout: 300_000,
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
    });
    this.pool.on('connection', (connection) => this.settle(connection as unknown as PoolConnection));
  }

  async read(sql: string, params: SqlValue[]): Promise<unknown[]> {
    const connection = await this.acquire();
    try {
      return (await run(connection, sql, params, this.tuning.statementMs)) as unknown[];
    } finally {
      connection.release();
    }
  }

  async begin(kind: 'write' | 'snapshot'): Promise<Session> {
    const connection = await this.acquire();
    const session = new MysqlSession(connection, this.tuning.statementMs, (c) => this.bury(c));
    try {
      if (kind === 'write') await session.say('START TRANSACTION');
      else {
        await session.say('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
        await session.say('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
      }
      return session;
    } catch (e) {
      connection.destroy();
      throw e;
    }
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.pool.end(() => resolve()));
  }

  private acquire(): Promise<PoolConnection> {
    const { acquireMs } = this.tuning;
    return new Promise((resolve, reject) => {
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        reject(poolExhausted(acquireMs));
      }, acquireMs);
      this.pool.getConnection((e, connection) => {
        clearTimeout(timer);
        if (late) connection?.release();
        else if (e) reject(e.message === 'Pool is closed.' ? Object.assign(e, { code: 'POOL_CLOSED' }) : e);
        else resolve(connection);
      });
    });
  }

  /** What every connection is told first; commands are carried out in order, so before anything else. */
  private settle(connection: PoolConnection): void {
    const { lockWaitSeconds } = this.tuning;
    born.set(connection, Date.now());
    // without a listener an idle connection that is lost would end the process
    connection.on('error', () => undefined);
    const failed = (e: Error | null): void => void (e && connection.destroy());
    connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED', failed);
    connection.query(
      `SET SESSION sql_mode = '${SQL_MODE}', innodb_lock_wait_timeout = ${lockWaitSeconds}, autocommit = 1`,
      failed,
    );
  }

  /**
   * Ends the transaction of a connection that we have lost, should the server not have noticed: it would keep its locks,
   * and might yet commit. Only in the server's same life: after a restart the number may be another's.
   */
  private async bury(lost: PoolConnection): Promise<void> {
    const id = lost.threadId;
    const since = born.get(lost);
    if (!id || since === undefined) return;
    const connection = await this.acquire();
    try {
      const [status] = (await run(connection, "SHOW GLOBAL STATUS LIKE 'Uptime'", [], this.tuning.statementMs)) as {
        Value: string;
      }[];
      if (Number(status?.Value ?? 0) * 1000 < Date.now() - since) return;
      await run(connection, `KILL CONNECTION ${Number(id)}`, [], this.tuning.statementMs);
    } catch (e) {
      if (driverCode(e) !== 'ER_NO_SUCH_THREAD') throw e;
    } finally {
      connection.release();
    }
  }
}

const born = new WeakMap<PoolConnection, number>();

class MysqlSession implements Session {
  /** Why the transaction is over although the block goes on: after a deadlock the rest would be committed one by one. */
  private doomed: Error | undefined;
  private over = false;

  constructor(
    private readonly connection: PoolConnection,
    private readonly statementMs: number,
    private readonly bury: (lost: PoolConnection) => Promise<void>,
  ) {}

  async query(sql: string, params: SqlValue[]): Promise<unknown[]> {
    return (await this.say(sql, params)) as unknown[];
  }

  async execute(sql: string, params: SqlValue[]): Promise<Written> {
    const header = (await this.say(sql, params)) as ResultSetHeader;
    return { affected: header.affectedRows ?? 0, insertId: header.insertId ?? 0 };
  }

  async say(sql: string, params: SqlValue[] = []): Promise<unknown> {
    if (this.over) throw internal('a statement after the end of its unit of work', { code: 'database.unit_over' });
    if (this.doomed) throw this.doomed;
    try {
      return await run(this.connection, sql, params, this.statementMs);
    } catch (e) {
      if (isTransient(e) || isLost(e)) this.doomed = e as Error;
      throw e;
    }
  }

  async commit(): Promise<void> {
    if (this.doomed) throw this.doomed;
    this.over = true;
    try {
      await run(this.connection, 'COMMIT', [], this.statementMs);
    } catch (e) {
      // a cluster may refuse at the very end, and says so; anything else leaves it open what was done
      if (isTransient(e)) throw e;
      this.connection.destroy();
      throw new CommitLost(e, () => this.bury(this.connection));
    }
    this.connection.release();
  }

  async rollback(): Promise<void> {
    this.over = true;
    const lost = this.doomed && isLost(this.doomed);
    if (!lost) {
      const done = await run(this.connection, 'ROLLBACK', [], this.statementMs).then(
        () => true,
        () => false,
      );
      if (done) return this.connection.release();
    }
    this.connection.destroy();
    if (driverCode(this.doomed) === 'PROTOCOL_SEQUENCE_TIMEOUT')
      await this.bury(this.connection).catch(() => undefined);
  }
}

/** One statement. The driver's own time-out outlives a lost connection, so it is done here. */
function run(connection: PoolConnection, sql: string, values: SqlValue[], timeoutMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      connection.destroy();
      reject(Object.assign(new Error(`no answer in ${timeoutMs} ms`), { code: 'PROTOCOL_SEQUENCE_TIMEOUT' }));
    }, timeoutMs);
    connection.query({ sql, values }, (e, result) => {
      clearTimeout(timer);
      if (!e) return resolve(result);
      // what is heard of a connection that is lost is of no use to anyone
      if (isLost(e)) connection.destroy();
      reject(e);
    });
  });
}
