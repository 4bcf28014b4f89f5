/**
 * Connections to MySQL or MariaDB that stay as their last user needed them.
 *
 * What a connection is told about transactions lasts for its session. One that is left without autocommit begins a unit
 * of work with its first statement, and one that is left with REPEATABLE READ begins a snapshot with its first read: two
 * round trips a unit and three a snapshot are saved by handing a unit the connection of a former unit. Only where there
 * is none of that kind, and no room for another connection, one of another kind is told to change.
 */
import { createConnection, type Connection, type ConnectionOptions } from 'mysql2';
import { poolExhausted } from './errors';

/**
 * `each`: every statement is a transaction. `unit`: what is said until COMMIT is one, READ COMMITTED. `snapshot`: the
 * same, REPEATABLE READ, and nothing may be written.
 */
export type Mode = 'each' | 'unit' | 'snapshot';

const ISOLATION: Readonly<Record<Mode, string>> = {
  each: 'READ COMMITTED, READ WRITE',
  unit: 'READ COMMITTED, READ WRITE',
  snapshot: 'REPEATABLE READ, READ ONLY',
};

export interface PoolOptions {
  readonly connection: ConnectionOptions;
  /** Connections at most. */
  readonly size: number;
  /** Milliseconds that a caller waits for one. */
  readonly acquireMs: number;
  /** `a = 1, b = 2`: what every new session is set to. */
  readonly variables: string;
}

/** A connection in somebody's hands, to be given back by `release` or `discard`. */
export interface Held {
  readonly raw: Connection;
  /** Epoch milliseconds. */
  readonly born: number;
}

interface Pooled extends Held {
  mode: Mode;
  dead: boolean;
}

interface Waiter {
  readonly mode: Mode;
  /** How often one that came later was served first. */
  passed: number;
  take(connection: Pooled): void;
  fail(e: Error): void;
}

const MOST_PASSED = 8;
/** How long a farewell may take. */
const GOODBYE_MS = 2_000;

export class MysqlPool {
  private readonly all = new Set<Pooled>();
  /** The last used is the last: those at the head grow old and are closed by the server. */
  private readonly idle: Pooled[] = [];
  private readonly waiting = new Set<Waiter>();
  private connecting = 0;
  private closed = false;

  constructor(private readonly options: PoolOptions) {}

  /** Rejects with `unavailable` `database.pool_exhausted` after `acquireMs`, or as the driver does when it cannot connect. */
  acquire(mode: Mode): Promise<Held> {
    if (this.closed) return Promise.reject(poolClosed());
    const kept = this.keptFor(mode);
    if (kept) return Promise.resolve(this.inMode(kept, mode));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => waiter.fail(poolExhausted(this.options.acquireMs)), this.options.acquireMs);
      const done = (): void => {
        clearTimeout(timer);
        this.waiting.delete(waiter);
      };
      const waiter: Waiter = {
        mode,
        passed: 0,
        take: (connection) => (done(), resolve(this.inMode(connection, mode))),
        fail: (e) => (done(), reject(e)),
      };
      this.waiting.add(waiter);
      this.grow();
    });
  }

  release(held: Held): void {
    const connection = held as Pooled;
    if (connection.dead) return;
    const next = this.nextFor(connection);
    if (next) next.take(connection);
    else if (this.closed) this.discard(connection);
    else this.idle.push(connection);
  }

  /** Throws the connection away, and whatever is open on it. */
  discard(held: Held): void {
    this.bury(held as Pooled);
    held.raw.destroy();
  }

  /** Ends all connections; those in use at once too. */
  async close(): Promise<void> {
    this.closed = true;
    for (const waiter of [...this.waiting]) waiter.fail(poolClosed());
    await Promise.all([...this.all].map((connection) => farewell(connection.raw)));
  }

  /**
   * One of the mode; one of another mode only where no further connection may be made: the one that was needed least, so
   * that the pool comes to hold as many of each mode as are used.
   */
  private keptFor(mode: Mode): Pooled | undefined {
    for (let i = this.idle.length - 1; i >= 0; i--) {
      if (this.idle[i]?.mode === mode) return this.idle.splice(i, 1)[0];
    }
    return this.hasRoom() ? undefined : this.idle.shift();
  }

  /** The first in line, or one behind it who needs the connection as it is; nobody is passed over many times. */
  private nextFor({ mode }: Pooled): Waiter | undefined {
    const [first] = this.waiting;
    if (!first || first.mode === mode || first.passed >= MOST_PASSED) return first;
    for (const waiter of this.waiting) {
      if (waiter.mode !== mode) continue;
      first.passed++;
      return waiter;
    }
    return first;
  }

  private hasRoom(): boolean {
    return this.all.size + this.connecting < this.options.size;
  }

  /** As many new connections as there are callers who wait for one. */
  private grow(): void {
    while (!this.closed && this.connecting < this.waiting.size && this.hasRoom()) this.connect();
  }

  private connect(): void {
    this.connecting++;
    const [first] = this.waiting;
    const mode = first?.mode ?? 'each';
    const raw = createConnection(this.options.connection);
    // without a listener an idle connection that is lost would end the process
    raw.on('error', () => undefined);
    raw.connect((e) => {
      this.connecting--;
      if (e) return this.failed(e);
      const connection: Pooled = { raw, born: Date.now(), mode, dead: false };
      this.all.add(connection);
      raw.on('error', () => this.bury(connection));
      raw.on('end', () => this.bury(connection));
      this.tell(connection, `SET SESSION TRANSACTION ISOLATION LEVEL ${ISOLATION[mode]}`);
      this.tell(connection, `SET SESSION ${this.options.variables}, autocommit = ${autocommit(mode)}`);
      this.release(connection);
    });
  }

  /** One who waits gets what there is of another mode, or is told; the others may have more luck. */
  private failed(e: Error): void {
    const [first] = this.waiting;
    const kept = this.idle.shift();
    if (kept) this.release(kept);
    else first?.fail(e);
    this.grow();
  }

  /** Commands are carried out in order: the mode is set before whatever is said next, without waiting for it. */
  private inMode(connection: Pooled, mode: Mode): Pooled {
    const former = connection.mode;
    if (former === mode) return connection;
    connection.mode = mode;
    if (ISOLATION[former] !== ISOLATION[mode])
      this.tell(connection, `SET SESSION TRANSACTION ISOLATION LEVEL ${ISOLATION[mode]}`);
    if (autocommit(former) !== autocommit(mode)) this.tell(connection, `SET SESSION autocommit = ${autocommit(mode)}`);
    return connection;
  }

  /** A connection that does not take its settings is of no use to anyone. */
  private tell(connection: Pooled, sql: string): void {
    connection.raw.query(sql, (e) => void (e && this.discard(connection)));
  }

  private bury(connection: Pooled): void {
    if (connection.dead) return;
    connection.dead = true;
    this.all.delete(connection);
    const at = this.idle.indexOf(connection);
    if (at >= 0) this.idle.splice(at, 1);
    this.grow();
  }
}

const autocommit = (mode: Mode): number => (mode === 'each' ? 1 : 0);
const poolClosed = (): Error => Object.assign(new Error('the pool is closed'), { code: 'POOL_CLOSED' });

function farewell(raw: Connection): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      raw.destroy();
      resolve();
    };
    const timer = setTimeout(done, GOODBYE_MS);
    raw.end(done);
  });
}
