import { placeholders, type Database, type Tx, type Written } from '@fractus/database';
import type { ScheduleAttemptRow } from './rows';

/** One attempt to find a place for a server. `report` is the scheduler's report (libs/scheduling) as JSON. */
export interface ScheduleAttempt {
  readonly attemptId: string;
  readonly serverId: string;
  readonly taskId: string | null;
  readonly requestId: string;
  /** `create`, `resize`, … */
  readonly operation: string;
  readonly outcome: string;
  /** At most 1024 characters; safe for the server's owner. */
  readonly summary: string;
  readonly report: unknown;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
}

const columnsOf = (attempt: ScheduleAttempt) => ({
  uuid: attempt.attemptId,
  server_uuid: attempt.serverId,
  task_uuid: attempt.taskId,
  request_id: attempt.requestId,
  operation: attempt.operation,
  outcome: attempt.outcome,
  summary: attempt.summary.slice(0, 1024),
  report: JSON.stringify(attempt.report),
  started_at: attempt.startedAt,
  duration_ms: attempt.durationMs,
});

/** Records of scheduling: written once by the scheduler, read by those who ask why, pruned by age. */
export class ScheduleAttemptsRepository {
  constructor(private readonly db: Database) {}

  async add(attempt: ScheduleAttempt): Promise<void> {
    const committed = (tx: Tx): Promise<Written | null> => written(tx, attempt.attemptId);
    await this.db.insert('schedule_attempts', columnsOf(attempt), { committed });
  }

  async find(attemptId: string): Promise<ScheduleAttempt | null> {
    const [row] = await this.db.query<ScheduleAttemptRow>('SELECT * FROM schedule_attempts WHERE uuid = ?', [
      attemptId,
    ]);
    return row ? attemptOf(row) : null;
  }

  /** The server's attempts, newest first; at most `limit`. */
  async ofServer(serverId: string, limit = 100): Promise<ScheduleAttempt[]> {
    const sql = 'SELECT * FROM schedule_attempts WHERE server_uuid = ? ORDER BY id DESC LIMIT ?';
    return (await this.db.query<ScheduleAttemptRow>(sql, [serverId, limit])).map(attemptOf);
  }

  /** The server's attempts after the one that `marker` names, newest first; null where it names none of them. */
  async page(
    serverId: string,
    { limit, marker }: { limit: number; marker?: string },
  ): Promise<ScheduleAttempt[] | null> {
    if (marker === undefined) return this.ofServer(serverId, limit);
    const where = 'WHERE server_uuid = ? AND uuid = ?';
    const [at] = await this.db.query<{ id: number }>(`SELECT id FROM schedule_attempts ${where}`, [serverId, marker]);
    if (!at) return null;
    const sql = 'SELECT * FROM schedule_attempts WHERE server_uuid = ? AND id < ? ORDER BY id DESC LIMIT ?';
    return (await this.db.query<ScheduleAttemptRow>(sql, [serverId, at.id, limit])).map(attemptOf);
  }

  /** Forgets attempts that started before an instant, at most `limit` of them; returns how many. */
  async prune(before: number, limit = 1000): Promise<number> {
    const sql = 'SELECT id FROM schedule_attempts WHERE started_at < ? ORDER BY started_at LIMIT ?';
    const rows = await this.db.query<{ id: number }>(sql, [before, limit]);
    if (rows.length === 0) return 0;
    const ids = rows.map((r) => r.id);
    return this.db.transaction(async (tx) => {
      const { affected } = await tx.execute(`DELETE FROM schedule_attempts WHERE id IN (${placeholders(ids)})`, ids);
      return affected;
    });
  }
}

/** What became of an insert whose connection was lost. */
async function written(tx: Tx, attemptId: string): Promise<Written | null> {
  const lock = tx.dialect === 'mysql' ? ' FOR UPDATE' : '';
  const sql = `SELECT id FROM schedule_attempts WHERE uuid = ?${lock}`;
  const [row] = await tx.query<{ id: number }>(sql, [attemptId]);
  return row ? { affected: 1, insertId: row.id } : null;
}

const attemptOf = (row: ScheduleAttemptRow): ScheduleAttempt => ({
  attemptId: row.uuid,
  serverId: row.server_uuid,
  taskId: row.task_uuid,
  requestId: row.request_id,
  operation: row.operation,
  outcome: row.outcome,
  summary: row.summary,
  report: JSON.parse(row.report) as unknown,
  startedAt: row.started_at,
  durationMs: row.duration_ms,
});
