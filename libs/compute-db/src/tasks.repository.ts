/**
 * Durable tasks. The row is the outbox: it says what there is to do and from when on. Order of locks, here and in
 * everything that touches both: the task's row before the server's. Who works on a task: `task-leases`.
 */
import { type Database, placeholders, type SqlValue, type Tx } from '@fractus/database';
import type { HostName, ServerId, TaskId } from '@fractus/objects';
import type { GuestEvent } from '@fractus/rpc-contracts';
import type { TaskRow } from './rows';
import { assignments, forUpdate, within } from './sql';
import {
  type JsonObject,
  type NewTask,
  newTaskRow,
  taskColumns,
  taskOf,
  type TaskPatch,
  type TaskRecord,
} from './task-record';
import { engineState, hostsLeft } from './task-state';

/** One attempt of one step. */
export interface StepKey {
  readonly taskId: TaskId;
  readonly step: string;
  readonly attempt: number;
}

/** Ended in such a way that a guest may have been left somewhere; what a superseded task left is its successor's. */
const ENDED = "status IN ('done', 'failed', 'abandoned')";

export class TasksRepository {
  constructor(private readonly db: Database) {}

  async find(id: TaskId): Promise<TaskRecord | null> {
    const [row] = await this.db.query<TaskRow>('SELECT * FROM tasks WHERE uuid = ?', [id]);
    return row ? taskOf(row) : null;
  }

  async openOf(serverId: ServerId): Promise<TaskRecord | null> {
    const [row] = await this.db.query<TaskRow>('SELECT * FROM tasks WHERE open_key = ?', [serverId]);
    return row ? taskOf(row) : null;
  }

  /** Which of these servers have an open task. */
  async busyAmong(serverIds: readonly string[]): Promise<Set<string>> {
    const [sql, params] = within('open_key', serverIds);
    const rows = await this.db.query<{ open_key: string }>(`SELECT open_key FROM tasks WHERE ${sql}`, params);
    return new Set(rows.map((row) => row.open_key));
  }

  /** Every task that ever drove the server and is not purged, oldest first. */
  async ofServer(serverId: ServerId): Promise<TaskRecord[]> {
    return (await this.db.query<TaskRow>('SELECT * FROM tasks WHERE server_uuid = ? ORDER BY id', [serverId])).map(
      taskOf,
    );
  }

  /** A server has one open task: a second insert fails on the unique key, so supersede first. The step is set at the first lease. */
  async insert(tx: Tx, task: NewTask, now: number): Promise<void> {
    await tx.insert('tasks', newTaskRow(task, now));
  }

  /** Whether the task's row is in the database, whatever has become of it; waits for a transaction that is writing it. */
  async isThere(tx: Tx, id: string): Promise<boolean> {
    return (await tx.query(`SELECT id FROM tasks WHERE uuid = ?${forUpdate(tx)}`, [id])).length > 0;
  }

  /** The server's open task, locked until the commit. */
  async lockOpen(tx: Tx, serverId: ServerId): Promise<TaskRecord | null> {
    const [row] = await tx.query<TaskRow>(`SELECT * FROM tasks WHERE open_key = ?${forUpdate(tx)}`, [serverId]);
    return row ? taskOf(row) : null;
  }

  /** Takes a locked task out of the way. Its lease stays until its holder lets go, or it runs out. */
  async supersede(tx: Tx, task: TaskRecord, now: number): Promise<void> {
    const sql = `UPDATE tasks SET status = 'superseded', open_key = NULL, waiting = 0, awaits_host = NULL, sent_by = NULL,
      input = '{}', left_guests = 0, finished_at = ?, updated_at = ? WHERE id = ?`;
    await tx.execute(sql, [now, now, task.rowId]);
  }

  /**
   * The write of a lease holder; false when the lease is lost, and then nothing is written. The first statement of its
   * transaction. A task that an operator wants ended is due at once, whatever the holder meant.
   */
  async write(tx: Tx, id: TaskId, fence: number, patch: TaskPatch, now: number): Promise<boolean> {
    const [set, values] = holderSet(patch, now);
    const sql = `UPDATE tasks SET ${set} WHERE uuid = ? AND fence = ? AND status = 'open'`;
    return (await tx.execute(sql, [...values, id, fence])).affected === 1;
  }

  /**
   * As `write`, for the end of a task; also says what its guest did by itself meanwhile, if anything. Costs no more than
   * `write` where it did nothing.
   */
  async end(
    tx: Tx,
    id: TaskId,
    fence: number,
    patch: TaskPatch,
    now: number,
  ): Promise<{ written: boolean; guestEvent: GuestEvent | null }> {
    const [set, values] = holderSet(patch, now);
    const mine = "uuid = ? AND fence = ? AND status = 'open'";
    const sql = `UPDATE tasks SET ${set}, left_guests = ? WHERE ${mine}`;
    const params = [...values, hostsLeft(patch.state ?? {}).length > 0 ? 1 : 0, id, fence];
    if ((await tx.execute(`${sql} AND guest_event IS NULL`, params)).affected === 1)
      return { written: true, guestEvent: null };
    const [row] = await tx.query<TaskRow>(`SELECT * FROM tasks WHERE ${mine}${forUpdate(tx)}`, [id, fence]);
    if (!row) return { written: false, guestEvent: null };
    await tx.execute(sql, params);
    return { written: true, guestEvent: taskOf(row).guestEvent };
  }

  /**
   * Ends the wait of one attempt of one step and makes the task due at `readyAt`, with the state that `change` makes of
   * it; false when it does not wait for just that.
   */
  async answer(
    key: StepKey,
    change: (task: TaskRecord) => JsonObject,
    now: number,
    readyAt: number = now,
  ): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const [row] = await tx.query<TaskRow>(`SELECT * FROM tasks WHERE uuid = ?${forUpdate(tx)}`, [key.taskId]);
      if (!row || row.status !== 'open' || row.waiting !== 1) return false;
      if (row.step !== key.step || row.attempt !== key.attempt) return false;
      const state = JSON.stringify(change(taskOf(row)));
      const sql =
        'UPDATE tasks SET waiting = 0, awaits_host = NULL, sent_by = NULL, ready_at = ?, state = ?, updated_at = ? WHERE id = ?';
      await tx.execute(sql, [Math.min(readyAt, row.expires_at), state, now, row.id]);
      return true;
    });
  }

  /**
   * A sign of life of the awaited host moves the end of patience, at most to the task's cap; false when the task does
   * not wait for just that.
   */
  async heard(tx: Tx, key: StepKey & { host: HostName }, until: number): Promise<boolean> {
    const move = 'ready_at = CASE WHEN expires_at < ? THEN expires_at ELSE ? END, sent_by = NULL';
    const waits = "step = ? AND attempt = ? AND status = 'open' AND waiting = 1 AND end_requested_at IS NULL";
    const values: SqlValue[] = [until, until];
    const here: SqlValue[] = [key.taskId, key.step, key.attempt];
    const sql = `UPDATE tasks SET ${move} WHERE uuid = ? AND ${waits} AND awaits_host = ?`;
    if ((await tx.execute(sql, [...values, ...here, key.host])).affected === 1) return true;
    // written by an older release, which keeps the host in the state alone
    const [row] = await tx.query<TaskRow>(`SELECT * FROM tasks WHERE uuid = ? AND ${waits}`, here);
    if (!row || engineState(taskOf(row)).host !== key.host) return false;
    const late = `UPDATE tasks SET awaits_host = ?, ${move} WHERE uuid = ? AND ${waits} AND fence = ?`;
    return (await tx.execute(late, [key.host, ...values, ...here, row.fence])).affected === 1;
  }

  /**
   * Keeps what a guest did by itself for the end of its server's open task; of several the last. False: no task is open,
   * and none was when this was asked.
   */
  async keepGuestEvent(event: GuestEvent): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const open = await this.lockOpen(tx, event.serverId);
      if (!open) return false;
      if ((open.guestEvent?.at ?? 0) > event.at) return true;
      await tx.execute('UPDATE tasks SET guest_event = ? WHERE id = ?', [JSON.stringify(event), open.rowId]);
      return true;
    });
  }

  /**
   * Ended tasks that left guests on hosts which could not be reached (`left` in their state), oldest first; those after
   * the task `after`, where that is still there.
   */
  async withLeftGuests(limit: number, after?: TaskId): Promise<TaskRecord[]> {
    const beyond = after === undefined ? '' : 'AND id > (SELECT p.id FROM tasks p WHERE p.uuid = ?) ';
    const sql = `SELECT * FROM tasks WHERE left_guests = 1 AND ${ENDED} ${beyond}ORDER BY id LIMIT ?`;
    return (await this.db.query<TaskRow>(sql, [...(after === undefined ? [] : [after]), limit])).map(taskOf);
  }

  /** Looks for left guests in tasks that an older release ended; returns at how many tasks it looked. */
  async findLeftGuests(limit: number): Promise<number> {
    const sql = `SELECT id, state FROM tasks WHERE left_guests IS NULL AND ${ENDED} LIMIT ?`;
    const rows = await this.db.query<Pick<TaskRow, 'id' | 'state'>>(sql, [limit]);
    if (rows.length === 0) return 0;
    const leaves = (row: Pick<TaskRow, 'state'>): boolean => hostsLeft(JSON.parse(row.state) as JsonObject).length > 0;
    await this.db.transaction(async (tx) => {
      for (const value of [0, 1]) {
        const [these, ids] = within('id', rows.filter((row) => leaves(row) === (value === 1)).map((row) => row.id)); // prettier-ignore
        if (ids.length > 0) await tx.execute(`UPDATE tasks SET left_guests = ? WHERE ${these}`, [value, ...ids]);
      }
    });
    return rows.length;
  }

  /** Changes the state of an ended task; false while it is open. */
  async amend(id: TaskId, change: (state: JsonObject) => JsonObject): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const [row] = await tx.query<TaskRow>(`SELECT * FROM tasks WHERE uuid = ? AND status <> 'open'${forUpdate(tx)}`, [
        id,
      ]);
      if (!row) return false;
      const state = change(taskOf(row).state);
      const sql = 'UPDATE tasks SET state = ?, left_guests = ? WHERE id = ?';
      await tx.execute(sql, [JSON.stringify(state), hostsLeft(state).length > 0 ? 1 : 0, row.id]);
      return true;
    });
  }

  /** Removes ended tasks that ended before `before`; returns how many. */
  async purge(before: number, limit = 500): Promise<number> {
    const rows = await this.db.query<{ id: number }>(
      'SELECT id FROM tasks WHERE finished_at < ? ORDER BY finished_at LIMIT ?',
      [before, limit],
    );
    if (rows.length === 0) return 0;
    const ids = rows.map((r) => r.id);
    const sql = `DELETE FROM tasks WHERE id IN (${placeholders(ids)}) AND status <> 'open'`;
    await this.db.execute(sql, ids);
    return rows.length;
  }
}

/** `ready_at` comes first: MySQL lets a later assignment see an earlier one, and a patch may take the wish away. */
function holderSet({ readyAt, ...patch }: TaskPatch, now: number): [set: string, values: SqlValue[]] {
  const [set, values] = assignments({ ...taskColumns(patch), updated_at: now });
  if (readyAt === undefined) return [set, values];
  return [`ready_at = CASE WHEN end_requested_at IS NULL THEN ? ELSE ? END, ${set}`, [readyAt, now, ...values]];
}
