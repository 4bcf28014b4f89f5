import type Database from 'better-sqlite3';

/** How long a write that nobody waits for may stay uncommitted, in milliseconds: it mostly rides with another. */
const LAZY_MS = 2_000;

interface Waiter {
  resolve(): void;
  reject(cause: unknown): void;
}

/**
 * One transaction for all writes of a turn of the event loop: a commit costs a write to the disk that is waited for,
 * and a thousand operations that start together need one, not a thousand. Reads on the same connection see what is
 * written but not yet committed; only `durable` says that it will outlive a power cut.
 */
export class GroupCommit {
  private open = false;
  private waiters: Waiter[] = [];
  private soon: NodeJS.Immediate | null = null;
  private late: NodeJS.Timeout | null = null;
  private readonly sql: Record<'begin' | 'commit', Database.Statement>;

  constructor(
    private readonly db: Database.Database,
    private readonly onFailure: (cause: unknown) => void,
  ) {
    this.sql = { begin: db.prepare('BEGIN IMMEDIATE'), commit: db.prepare('COMMIT') };
  }

  /** Writes within the transaction of this turn. `lazy`: nobody waits, so that it may ride with a later one. */
  write<R>(change: () => R, lazy = false): R {
    if (!this.open) {
      this.sql.begin.run();
      this.open = true;
    }
    if (!lazy) this.soon ??= setImmediate(() => this.commit());
    else this.late ??= setTimeout(() => this.commit(), LAZY_MS).unref();
    return change();
  }

  /** Resolves when everything written so far is on the disk. Rejects when the disk refused it: then none of it is. */
  durable(): Promise<void> {
    if (!this.open) return Promise.resolve();
    this.soon ??= setImmediate(() => this.commit());
    return new Promise((resolve, reject) => this.waiters.push({ resolve, reject }));
  }

  commit(): void {
    this.disarm();
    if (!this.open) return;
    this.open = false;
    const waiters = this.waiters.splice(0);
    try {
      this.sql.commit.run();
    } catch (cause) {
      if (this.db.inTransaction) this.db.exec('ROLLBACK');
      this.onFailure(cause);
      for (const w of waiters) w.reject(cause);
      return;
    }
    for (const w of waiters) w.resolve();
  }

  /** Throws away what is not committed, as a crash would. */
  discard(): void {
    this.disarm();
    if (this.open && this.db.inTransaction) this.db.exec('ROLLBACK');
    this.open = false;
    this.waiters = [];
  }

  private disarm(): void {
    if (this.soon) clearImmediate(this.soon);
    if (this.late) clearTimeout(this.late);
    this.soon = null;
    this.late = null;
  }
}
