import type { Database } from '@fractus/database';

/** What an attempt that found no place left behind; `report` is the scheduler's, as JSON. */
export interface FailedAttempt {
  readonly report: unknown;
  readonly startedAt: number;
}

export interface FailedAttempts {
  /** Newest first. */
  readonly attempts: FailedAttempt[];
  /** There may be more of them in the time asked for. */
  readonly truncated: boolean;
}

export interface FailedAttemptsQuery {
  /** Epoch milliseconds. */
  readonly since: number;
  /** At most so many are read, out of at most `among` of the newest attempts, failed or not. */
  readonly limit: number;
  readonly among: number;
}

/** Attempts to schedule that failed lately. What a read costs is bounded, however busy the cloud is. */
export class FailedAttemptsRepository {
  constructor(private readonly db: Database) {}

  async since({ since, limit, among }: FailedAttemptsQuery): Promise<FailedAttempts> {
    const rows = await this.db.query<{ id: number; failed: number; started_at: number }>(
      `SELECT id, started_at, CASE WHEN outcome = 'selected' THEN 0 ELSE 1 END AS failed FROM schedule_attempts
       WHERE started_at >= ? ORDER BY started_at DESC, id DESC LIMIT ?`,
      [since, among],
    );
    const failed = rows.filter((r) => r.failed === 1);
    const attempts = await this.reports(failed.slice(0, limit).map((r) => r.id));
    return { attempts, truncated: rows.length === among || failed.length > limit };
  }

  private async reports(ids: readonly number[]): Promise<FailedAttempt[]> {
    if (ids.length === 0) return [];
    const rows = await this.db.query<{ report: string; started_at: number }>(
      `SELECT report, started_at FROM schedule_attempts WHERE id IN (${ids.map(() => '?').join(', ')})
       ORDER BY started_at DESC, id DESC`,
      [...ids],
    );
    return rows.map((row) => ({ report: JSON.parse(row.report) as unknown, startedAt: row.started_at }));
  }
}
