import type { ResultSetHeader } from 'mysql2';
import { internal } from '@fractus/objects';
import { CommitLost, type Session, type SqlValue, type Written } from './engine';
import { driverCode, isLost, isTransient } from './errors';
import type { Held, MysqlPool } from './mysql-pool';

/** What a session needs of its engine. */
export interface SessionParts {
  readonly pool: MysqlPool;
  /** Milliseconds of silence after which a statement's connection counts as dead. */
  readonly statementMs: number;
  /** Ends the transaction of a connection that is lost, should the server not have noticed. */
  bury(lost: Held): Promise<void>;
}

/**
 * A transaction on a connection without autocommit: it begins with the first statement. Where nothing was said there is
 * nothing to end.
 */
export class MysqlSession implements Session {
  /** Why the transaction is over although the block goes on: after a deadlock the rest would be committed one by one. */
  private doomed: Error | undefined;
  private begun = false;
  private over = false;

  constructor(
    private readonly held: Held,
    private readonly kind: 'write' | 'snapshot',
    private readonly parts: SessionParts,
  ) {}

  async query(sql: string, params: SqlValue[]): Promise<unknown[]> {
    return (await this.say(sql, params)) as unknown[];
  }

  async execute(sql: string, params: SqlValue[]): Promise<Written> {
    return toWritten(await this.say(sql, params));
  }

  async commit(): Promise<void> {
    if (this.doomed) throw this.doomed;
    this.over = true;
    const { held, parts } = this;
    if (!this.begun) return parts.pool.release(held);
    const done = run(parts, held, 'COMMIT', []);
    // of what only reads nothing can be lost: nobody waits for the end of it
    if (this.kind === 'snapshot')
      return void done.then(
        () => parts.pool.release(held),
        () => parts.pool.discard(held),
      );
    try {
      await done;
    } catch (e) {
      // a cluster may refuse at the very end, and says so; anything else leaves it open what was done
      if (isTransient(e)) throw e;
      parts.pool.discard(held);
      throw new CommitLost(e, () => parts.bury(held));
    }
    parts.pool.release(held);
  }

  async rollback(): Promise<void> {
    this.over = true;
    const { held, parts } = this;
    if (!this.begun) return parts.pool.release(held);
    const lost = this.doomed && isLost(this.doomed);
    if (!lost) {
      const done = await run(parts, held, 'ROLLBACK', []).then(
        () => true,
        () => false,
      );
      if (done) return parts.pool.release(held);
    }
    parts.pool.discard(held);
    if (driverCode(this.doomed) === 'PROTOCOL_SEQUENCE_TIMEOUT') await parts.bury(held).catch(() => undefined);
  }

  private async say(sql: string, params: SqlValue[]): Promise<unknown> {
    if (this.over) throw internal('a statement after the end of its unit of work', { code: 'database.unit_over' });
    if (this.doomed) throw this.doomed;
    this.begun = true;
    try {
      return await run(this.parts, this.held, sql, params);
    } catch (e) {
      if (isTransient(e) || isLost(e)) this.doomed = e as Error;
      throw e;
    }
  }
}

export function toWritten(result: unknown): Written {
  const header = result as ResultSetHeader;
  return { affected: header.affectedRows ?? 0, insertId: header.insertId ?? 0 };
}

/** One statement. The driver's own time-out outlives a lost connection, so it is done here. */
export function run(parts: SessionParts, held: Held, sql: string, values: SqlValue[]): Promise<unknown> {
  const { pool, statementMs } = parts;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      pool.discard(held);
      reject(Object.assign(new Error(`no answer in ${statementMs} ms`), { code: 'PROTOCOL_SEQUENCE_TIMEOUT' }));
    }, statementMs);
    held.raw.query({ sql, values }, (e, result) => {
      clearTimeout(timer);
      if (!e) return resolve(result);
      // what is heard of a connection that is lost is of no use to anyone
      if (isLost(e)) pool.discard(held);
      reject(e);
    });
  });
}
