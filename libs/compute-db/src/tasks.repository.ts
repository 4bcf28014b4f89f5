/**
 * Durable tasks. The row is the outbox: it says what there is to do and from when on. Order of locks, here and in
 * everything that touches both: the task's row before the server's.
 *
 * A lease makes one runner the only writer of a task and its server. It carries a fence, taken from the server's row so
 * that it grows over all tasks of a server; each later write says `WHERE fence = ? AND status = 'open'`.
 */
import { placeholders, type Database, type Tx } from '@fractus/database';
import type { ServerId, TaskId } from '@fractus/objects';
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

export interface Lease {
  readonly owner: string;
  readonly until: number;
}

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
    const sql =
      "UPDATE tasks SET status = 'superseded', open_key = NULL, waiting = 0, input = '{}', finished_at = ?, updated_at = ? WHERE id = ?";
    await tx.execute(sql, [now, now, task.rowId]);
  }

  /**
   * Leases a task that is due: open, ready, leased by nobody (or its lease has run out), its superseded predecessor let
   * go. Raises the server's fence. Null when any of that fails. A waiting task is leased too: its patience is over.
   */
  async lease(id: TaskId, lease: Lease, now: number): Promise<TaskRecord | null> {
    return this.db.transaction(async (tx) => {
      const [row] = await tx.query<TaskRow>(`SELECT * FROM tasks WHERE uuid = ?${forUpdate(tx)}`, [id]);
      if (!row || row.status !== 'open' || row.ready_at > now) return null;
      if (row.lease_owner !== null && (row.lease_until ?? 0) > now) return null;
      if (row.supersedes !== null && (await this.leasedUntil(tx, row.supersedes)) > now) return null;
      await tx.execute('UPDATE servers SET fence = fence + 1 WHERE uuid = ?', [row.server_uuid]);
      const [server] = await tx.query<{ fence: number }>('SELECT fence FROM servers WHERE uuid = ?', [row.server_uuid]);
      const fence = server?.fence ?? row.fence + 1;
      await tx.execute('UPDATE tasks SET lease_owner = ?, lease_until = ?, fence = ?, updated_at = ? WHERE id = ?', [
        lease.owner,
        lease.until,
        fence,
        now,
        row.id,
      ]);
      return { ...taskOf(row), leaseOwner: lease.owner, leaseUntil: lease.until, fence };
    });
  }

  /** False: the lease is lost (superseded, or run out and taken by another). */
  async renew(id: TaskId, fence: number, until: number): Promise<boolean> {
    const sql =
      "UPDATE tasks SET lease_until = ? WHERE uuid = ? AND fence = ? AND status = 'open' AND lease_owner IS NOT NULL";
    return (await this.db.transaction((tx) => tx.execute(sql, [until, id, fence]))).affected === 1;
  }

  /** Lets go of a lease, whatever has become of the task meanwhile. */
  async release(id: TaskId, fence: number): Promise<void> {
    await this.db.transaction((tx) =>
      tx.execute('UPDATE tasks SET lease_owner = NULL, lease_until = NULL WHERE uuid = ? AND fence = ?', [id, fence]),
    );
  }

  /** The write of a lease holder; false when the lease is lost, and then nothing is written. The first statement of its transaction. */
  async write(tx: Tx, id: TaskId, fence: number, patch: TaskPatch, now: number): Promise<boolean> {
    const [set, values] = assignments({ ...taskColumns(patch), updated_at: now });
    return (
      (
        await tx.execute(`UPDATE tasks SET ${set} WHERE uuid = ? AND fence = ? AND status = 'open'`, [
          ...values,
          id,
          fence,
        ])
      ).affected === 1
    );
  }

  /**
   * Ends the wait of one attempt of one step and makes the task due at `readyAt`, with the state that `change` makes of
   * it; false when it does not wait for just that.
   */
  async answer(
    key: { taskId: TaskId; step: string; attempt: number },
    change: (task: TaskRecord) => JsonObject,
    now: number,
    readyAt: number = now,
  ): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const [row] = await tx.query<TaskRow>(`SELECT * FROM tasks WHERE uuid = ?${forUpdate(tx)}`, [key.taskId]);
      if (!row || row.status !== 'open' || row.waiting !== 1) return false;
      if (row.step !== key.step || row.attempt !== key.attempt) return false;
      const state = JSON.stringify(change(taskOf(row)));
      const sql = 'UPDATE tasks SET waiting = 0, ready_at = ?, state = ?, updated_at = ? WHERE id = ?';
      await tx.execute(sql, [Math.min(readyAt, row.expires_at), state, now, row.id]);
      return true;
    });
  }

  /** A fence above all that were given out for the server, for a message outside of any task. */
  async nextFence(serverId: ServerId): Promise<number> {
    return this.db.transaction(async (tx) => {
      await tx.execute('UPDATE servers SET fence = fence + 1 WHERE uuid = ?', [serverId]);
      const [row] = await tx.query<{ fence: number }>('SELECT fence FROM servers WHERE uuid = ?', [serverId]);
      return row?.fence ?? 0;
    });
  }

  /** Ended tasks that left guests on hosts which could not be reached (`left` in their state). */
  async withLeftGuests(limit: number): Promise<TaskRecord[]> {
    const sql = `SELECT * FROM tasks WHERE status IN ('done', 'failed', 'abandoned') AND INSTR(state, '"left":["') > 0 ORDER BY id LIMIT ?`;
    return (await this.db.query<TaskRow>(sql, [limit])).map(taskOf);
  }

  /** Changes the state of an ended task; false while it is open. */
  async amend(id: TaskId, change: (state: JsonObject) => JsonObject): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const [row] = await tx.query<TaskRow>(`SELECT * FROM tasks WHERE uuid = ? AND status <> 'open'${forUpdate(tx)}`, [
        id,
      ]);
      if (!row) return false;
      await tx.execute('UPDATE tasks SET state = ? WHERE id = ?', [JSON.stringify(change(taskOf(row).state)), row.id]);
      return true;
    });
  }

  /** Moves the end of patience of a waiting step, at most to the task's cap; false when it does not wait for just that. */
  async heard(tx: Tx, key: { taskId: TaskId; step: string; attempt: number }, until: number): Promise<boolean> {
    const capped = 'CASE WHEN expires_at < ? THEN expires_at ELSE ? END';
    const sql = `UPDATE tasks SET ready_at = ${capped} WHERE uuid = ? AND step = ? AND attempt = ? AND status = 'open' AND waiting = 1`;
    return (await tx.execute(sql, [until, until, key.taskId, key.step, key.attempt])).affected === 1;
  }

  /** Leases a task again that its holder has just let go to wait, with the same fence; false when it no longer waits as it did. */
  async takeBack(task: TaskRecord, lease: Lease): Promise<boolean> {
    const sql =
      "UPDATE tasks SET lease_owner = ?, lease_until = ?, waiting = 0 WHERE uuid = ? AND fence = ? AND attempt = ? AND status = 'open' AND waiting = 1 AND lease_owner IS NULL";
    const { affected } = await this.db.transaction((tx) =>
      tx.execute(sql, [lease.owner, lease.until, task.id, task.fence, task.attempt]),
    );
    return affected === 1;
  }

  /** Ids of tasks to run now, longest due first. On MySQL rows that another runner is leasing are skipped. */
  async due(now: number, limit: number): Promise<string[]> {
    const skip = this.db.dialect === 'mysql' ? ' FOR UPDATE SKIP LOCKED' : '';
    const sql = `SELECT uuid FROM tasks WHERE status = 'open' AND ready_at <= ? AND (lease_until IS NULL OR lease_until <= ?) ORDER BY ready_at LIMIT ?${skip}`;
    return (await this.db.query<{ uuid: string }>(sql, [now, now, limit])).map((row) => row.uuid);
  }

  /**
   * After a restart: drops leases of former lives of this process, and has waiting steps run again at once (same
   * attempt, so the agent answers from its journal), and pauses end: the clock may have been set back since they
   * began. The time since a task was last written does not count against its cap: nobody worked on it, and a cloud
   * that was off over night must not find its builds too old. Returns how many tasks are due by it.
   */
  async recover(owner: { instance: string; current: string }, now: number): Promise<number> {
    return this.db.transaction(async (tx) => {
      const former =
        "UPDATE tasks SET lease_owner = NULL, lease_until = NULL WHERE status IN ('open', 'superseded') AND lease_owner LIKE ? AND lease_owner <> ?";
      await tx.execute(former, [`${owner.instance.replace(/[%_]/g, '_')}/%`, owner.current]);
      // in this order: MySQL lets a later assignment see an earlier one
      const idle =
        "UPDATE tasks SET expires_at = expires_at + ? - updated_at, updated_at = ? WHERE status = 'open' AND updated_at < ?";
      await tx.execute(idle, [now, now, now]);
      const { affected } = await tx.execute(
        "UPDATE tasks SET waiting = 0, ready_at = ?, updated_at = ? WHERE status = 'open' AND (waiting = 1 OR ready_at > ?)",
        [now, now, now],
      );
      return affected;
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
    await this.db.transaction((tx) => tx.execute(sql, ids));
    return rows.length;
  }

  private async leasedUntil(tx: Tx, id: TaskId): Promise<number> {
    const [row] = await tx.query<{ lease_until: number | null }>(
      'SELECT lease_until FROM tasks WHERE uuid = ? AND lease_owner IS NOT NULL',
      [id],
    );
    return row?.lease_until ?? 0;
  }
}
