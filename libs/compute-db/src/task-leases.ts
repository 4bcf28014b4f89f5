/**
 * Who works on a task. A lease makes one runner the only writer of a task and its server, until a moment on the wall
 * clock. It carries a fence, taken from the server's row so that it grows over all tasks of a server; each later write
 * says `WHERE fence = ? AND status = 'open'`.
 *
 * Any number of conductors lease at once: rows that another is just leasing are skipped, not waited for (MariaDB), and
 * a batch costs as many statements as one task.
 */
import { type Database, placeholders, type SqlValue, type StatementOptions, type Tx } from '@fractus/database';
import type { ServerId, TaskId } from '@fractus/objects';
import type { ServerRow, TaskRow } from './rows';
import { type Server, serverOf } from './server';
import { assignments, forUpdate, within } from './sql';
import { type JsonObject, taskColumns, taskOf, type TaskRecord } from './task-record';

export interface Lease {
  /** `<instance>/<incarnation>`. */
  readonly owner: string;
  readonly until: number;
}

export interface LeasedTask {
  readonly task: TaskRecord;
  /** As it was when the task was leased, deleted or not; null where it has no row. */
  readonly server: Server | null;
}

export interface Answered {
  /** As it was before; null where there is none. */
  readonly task: TaskRecord | null;
  readonly stored: boolean;
  readonly leased: LeasedTask | null;
}

/** A lease that is held, as its holder knows it. */
export interface Held {
  readonly id: TaskId;
  readonly fence: number;
}

/** A message that the transport has taken: silence counts until `silentAt`. */
export interface Sent extends Held {
  readonly silentAt: number;
}

const FREE = "status = 'open' AND ready_at <= ? AND (lease_until IS NULL OR lease_until <= ?)";
/**
 * A superseded predecessor whose holder has not let go; it never gets another lease, so a plain read will do. One value
 * by its key: MariaDB turns EXISTS into a list of all tasks that are leased.
 */
const UNBLOCKED =
  '(supersedes IS NULL OR COALESCE((SELECT p.lease_until FROM tasks p WHERE p.uuid = tasks.supersedes), 0) <= ?)';

export class TaskLeases {
  /**
   * The table by the index that is meant. By its own choice the optimiser walks another where few tasks are open or many
   * are asked for, and locks what others are writing: they then wait for us in one order, and we for them in another.
   */
  private readonly tasksById: string;
  private readonly tasksDue: string;

  constructor(private readonly db: Database) {
    const by = (index: string): string => (db.dialect === 'mysql' ? `tasks FORCE INDEX (${index})` : 'tasks');
    this.tasksById = by('uq_tasks_uuid');
    this.tasksDue = by('ix_tasks_due');
  }

  /**
   * Leases up to `limit` tasks that are due, longest due first, but none of `except`: open, ready, leased by nobody (or
   * the lease has run out), the superseded predecessor let go. Raises their servers' fences. A waiting task is leased
   * too: its patience is over, or its message may not have been sent.
   */
  async due(lease: Lease, now: number, limit: number, except: readonly TaskId[] = []): Promise<LeasedTask[]> {
    if (limit < 1) return [];
    const others = except.length > 0 ? ` AND uuid NOT IN (${placeholders(except)})` : '';
    return this.take(
      lease,
      now,
      `SELECT * FROM ${this.tasksDue} WHERE ${FREE} AND ${UNBLOCKED}${others} ORDER BY ready_at LIMIT ?`,
      ' SKIP LOCKED',
      [now, now, now, ...except, limit],
    );
  }

  /** Leases those of the given tasks that could be leased by `due`. Waits for those who are just writing them. */
  async these(ids: readonly TaskId[], lease: Lease, now: number): Promise<LeasedTask[]> {
    const [wanted, params] = within('uuid', ids);
    const sql = `SELECT * FROM ${this.tasksById} WHERE ${wanted} AND ${FREE} AND ${UNBLOCKED}`;
    return this.take(lease, now, sql, '', [...params, now, now, now]);
  }

  /** Leases one task; null when it cannot be leased now. */
  async one(id: TaskId, lease: Lease, now: number): Promise<LeasedTask | null> {
    return (await this.these([id], lease, now))[0] ?? null;
  }

  /**
   * Stores an agent's answer with the task that waits for it, and, with `lease`, leases the task by the same write: who
   * has room for it goes on at once. `change` is shown the task under lock, and returns its new state, or null where
   * it does not wait for just that.
   */
  async answer(
    id: TaskId,
    change: (task: TaskRecord) => JsonObject | null,
    lease: Lease | null,
    now: number,
  ): Promise<Answered> {
    let leased: LeasedTask | null = null;
    const block = async (tx: Tx): Promise<Answered> => {
      const [row] = await tx.query<TaskRow>(`SELECT * FROM tasks WHERE uuid = ?${forUpdate(tx)}`, [id]);
      const task = row ? taskOf(row) : null;
      const state = task && change(task);
      if (!row || !task || !state) return { task, stored: false, leased: null };
      const answered = {
        state,
        waiting: false,
        awaitsHost: null,
        sentBy: null,
        readyAt: Math.min(now, task.expiresAt),
      };
      const free = task.leaseOwner === null || (task.leaseUntil ?? 0) <= now;
      const server = lease && free ? ((await this.raiseFences(tx, [row])).get(row.server_uuid) ?? null) : null;
      const held =
        lease && free
          ? { leaseOwner: lease.owner, leaseUntil: lease.until, fence: server?.fence ?? task.fence + 1 }
          : null;
      const [set, values] = assignments({
        ...taskColumns({ ...answered, ...(held ? { leaseOwner: held.leaseOwner, leaseUntil: held.leaseUntil } : {}) }),
        ...(held ? { fence: held.fence } : {}),
        updated_at: now,
      });
      await tx.execute(`UPDATE tasks SET ${set} WHERE id = ?`, [...values, row.id]);
      leased = held ? { task: { ...task, ...answered, ...held, updatedAt: now }, server } : null;
      return { task, stored: true, leased };
    };
    // without a lease nothing in the row is this answer's alone; asked again, the task no longer waits for it
    const ours = lease ? { committed: (tx: Tx) => isOurs(tx, leased ?? undefined) } : {};
    return this.db.transaction(block, ours);
  }

  /** Leases again until `until`; returns those of them that are still held. The others are lost: superseded, ended, or taken. */
  async renew(owner: string, held: readonly Held[], until: number): Promise<Held[]> {
    if (held.length === 0) return [];
    const [these, params] = byFence(held);
    const mine = `lease_owner = ? AND status = 'open' AND ${these}`;
    const { affected } = await this.db.execute(
      `UPDATE ${this.tasksById} SET lease_until = ? WHERE ${mine}`,
      [until, owner, ...params],
      REPEATABLE,
    );
    if (affected === held.length) return [...held];
    const sql = `SELECT uuid AS id, fence FROM tasks WHERE ${mine} AND lease_until = ?`;
    return this.db.query<{ id: string; fence: number }>(sql, [owner, ...params, until]);
  }

  /** Lets go of leases, whatever has become of the tasks meanwhile. */
  async release(held: readonly Held[]): Promise<void> {
    if (held.length === 0) return;
    const [these, params] = byFence(latest(held));
    const sql = `UPDATE ${this.tasksById} SET lease_owner = NULL, lease_until = NULL WHERE ${these}`;
    await this.db.execute(sql, params, REPEATABLE);
  }

  /** Leases a task again that its holder has just let go to wait, with the same fence; false when it no longer waits as it did. */
  async takeBack(task: TaskRecord, lease: Lease): Promise<boolean> {
    const sql = `UPDATE tasks SET lease_owner = ?, lease_until = ?, waiting = 0, awaits_host = NULL, sent_by = NULL
      WHERE uuid = ? AND fence = ? AND attempt = ? AND status = 'open' AND waiting = 1 AND lease_owner IS NULL`;
    const { affected } = await this.db.execute(sql, [lease.owner, lease.until, task.id, task.fence, task.attempt]);
    return affected === 1;
  }

  /**
   * The transport has taken these messages of steps that wait: nobody needs to send them again. Of those that were
   * answered meanwhile nothing is changed, so this may come late, and for many at once.
   */
  async sent(owner: string, all: readonly Sent[]): Promise<void> {
    if (all.length === 0) return;
    const last = latest(all);
    const [these, params] = byFence(last);
    const silentAt = `CASE uuid ${last.map(() => 'WHEN ? THEN ?').join(' ')} END`;
    const sql = `UPDATE ${this.tasksById} SET sent_by = NULL, ready_at = ${silentAt}
      WHERE ${these} AND status = 'open' AND waiting = 1 AND sent_by = ? AND end_requested_at IS NULL`;
    const moments = last.flatMap(({ id, silentAt: at }): SqlValue[] => [id, at]);
    await this.db.execute(sql, [...moments, ...params, owner], REPEATABLE);
  }

  /**
   * After a time without the database, in which no answer was heard: waits whose patience is over count as not sent by
   * `owner`, so that who leases them sends again (same attempt, so the agent answers from its journal) and gives nobody up.
   */
  async askAgain(owner: string, now: number): Promise<void> {
    const sql = `UPDATE ${this.tasksDue} SET sent_by = ?
      WHERE ${FREE} AND waiting = 1 AND sent_by IS NULL AND end_requested_at IS NULL`;
    await this.db.execute(sql, [owner, now, now], REPEATABLE);
  }

  /**
   * At the start of a conductor: drops the leases of former lives of this instance, and has the messages that they may
   * not have sent sent now. Others' tasks are left to them. Returns how many tasks are due by it.
   */
  async recover(owner: { instance: string; current: string }, now: number): Promise<number> {
    // '0' follows '/': every owner `<instance>/…`, and no instance whose name merely begins alike
    const former = (column: string): [string, SqlValue[]] => [
      `${column} >= ? AND ${column} < ? AND ${column} <> ?`,
      [`${owner.instance}/`, `${owner.instance}0`, owner.current],
    ];
    return this.db.transaction(async (tx) => {
      const [leased, leasedBy] = former('lease_owner');
      const dropped = await tx.execute(
        `UPDATE tasks SET lease_owner = NULL, lease_until = NULL WHERE status IN ('open', 'superseded') AND ${leased}`,
        leasedBy,
      );
      const [unsent, sentBy] = former('sent_by');
      const woken = await tx.execute(
        `UPDATE tasks SET ready_at = ? WHERE status = 'open' AND waiting = 1 AND ready_at > ? AND ${unsent}`,
        [now, now, ...sentBy],
      );
      return dropped.affected + woken.affected;
    });
  }

  /**
   * After a time in which no conductor lived, since `since` or, where that is not known, since each task was last
   * written. Has waiting steps run again (same attempt, so the agent answers from its journal), since what was sent may
   * be lost with the broker; ends pauses, since the clock may have been set back; and gives tasks the time back, so that
   * a cloud that was off over night does not find its builds too old. Returns how many tasks are due by it.
   */
  async revive(since: number | null, now: number): Promise<number> {
    return this.db.transaction(async (tx) => {
      const from = since === null ? 'updated_at' : 'CASE WHEN updated_at < ? THEN ? ELSE updated_at END';
      const params = since === null ? [] : [since, since];
      // in this order: MySQL lets a later assignment see an earlier one
      const idle = `UPDATE tasks SET expires_at = expires_at + ? - (${from}), updated_at = ? WHERE status = 'open' AND (${from}) < ?`;
      await tx.execute(idle, [now, ...params, now, ...params, now]);
      const { affected } = await tx.execute(
        "UPDATE tasks SET waiting = 0, awaits_host = NULL, sent_by = NULL, ready_at = ?, updated_at = ? WHERE status = 'open' AND (waiting = 1 OR ready_at > ?)",
        [now, now, now],
      );
      return affected;
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

  /**
   * The highest fence that was given out with a lease on any task of the server; 0 where none was. For those who write
   * where no fences are kept: while it is theirs, nobody who comes after them has begun.
   */
  async highestFence(serverId: ServerId): Promise<number> {
    const sql = 'SELECT MAX(fence) AS fence FROM tasks WHERE server_uuid = ?';
    const [row] = await this.db.query<{ fence: number | null }>(sql, [serverId]);
    return Number(row?.fence ?? 0);
  }

  private async take(
    lease: Lease,
    now: number,
    select: string,
    skip: '' | ' SKIP LOCKED',
    params: SqlValue[],
  ): Promise<LeasedTask[]> {
    let leased: LeasedTask[] = [];
    const block = async (tx: Tx): Promise<LeasedTask[]> => {
      const lock = forUpdate(tx);
      const rows = await tx.query<TaskRow>(`${select}${lock}${lock && skip}`, params);
      leased = [];
      if (rows.length === 0) return leased;
      const servers = await this.raiseFences(tx, rows);
      const [these, ids] = within(
        'id',
        rows.map((row) => row.id),
      );
      // a server without a row has no fence: its task is leased under its own, and ended for it
      const fence = 'COALESCE((SELECT s.fence FROM servers s WHERE s.uuid = tasks.server_uuid), fence + 1)';
      const sql = `UPDATE tasks SET lease_owner = ?, lease_until = ?, updated_at = ?, fence = ${fence} WHERE ${these}`;
      await tx.execute(sql, [lease.owner, lease.until, now, ...ids]);
      leased = rows.map((row) => {
        const server = servers.get(row.server_uuid) ?? null;
        const held = { leaseOwner: lease.owner, leaseUntil: lease.until, updatedAt: now };
        return { task: { ...taskOf(row), ...held, fence: server?.fence ?? row.fence + 1 }, server };
      });
      return leased;
    };
    return this.db.transaction(block, { committed: (tx) => isOurs(tx, leased[0]) });
  }

  /** Every lease is of one server, and a server has one open task: nobody else who holds a task waits for these rows. */
  private async raiseFences(tx: Tx, rows: readonly TaskRow[]): Promise<Map<string, Server>> {
    const [these, ids] = within(
      'uuid',
      rows.map((row) => row.server_uuid),
    );
    await tx.execute(`UPDATE servers SET fence = fence + 1 WHERE ${these}`, ids);
    const servers = await tx.query<ServerRow>(`SELECT * FROM servers WHERE ${these}`, ids);
    return new Map(servers.map((row) => [row.uuid, serverOf(row)]));
  }
}

/** Whether a lease is in the database: no two have the same fence. Where none was taken there is nothing to be missed. */
async function isOurs(tx: Tx, leased: LeasedTask | undefined): Promise<boolean> {
  if (!leased) return true;
  const { id, fence, leaseOwner } = leased.task;
  const sql = `SELECT id FROM tasks WHERE uuid = ? AND fence = ? AND lease_owner = ?${forUpdate(tx)}`;
  return (await tx.query(sql, [id, fence, leaseOwner])).length > 0;
}

/** Comes to the same done twice: where the connection was lost under way it is simply done again. */
const REPEATABLE: StatementOptions = { committed: async () => null };

/** Of several leases of one task the last: the others are no more, and a statement can name each task once. */
function latest<H extends Held>(all: readonly H[]): H[] {
  const last = new Map<TaskId, H>();
  for (const one of all) if (one.fence >= (last.get(one.id)?.fence ?? 0)) last.set(one.id, one);
  return [...last.values()];
}

/** Just these leases, and no later ones of the same tasks. A task may be named once. */
function byFence(held: readonly Held[]): [sql: string, params: SqlValue[]] {
  const [these, ids] = within(
    'uuid',
    held.map((h) => h.id),
  );
  const fence = `CASE uuid ${held.map(() => 'WHEN ? THEN ?').join(' ')} END`;
  return [`${these} AND fence = ${fence}`, [...ids, ...held.flatMap((h): SqlValue[] => [h.id, h.fence])]];
}
