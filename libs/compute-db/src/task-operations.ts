/**
 * What operators do with tasks: look at them, have one tried again now, have one ended. Works on the database alone;
 * conductors find what was asked for in the row, at the latest with their next look at what is due.
 */
import type { Database, SqlValue, Tx } from '@fractus/database';
import { conflict, invalid, notFound, type ProjectId, type ServerId, type TaskId } from '@fractus/objects';
import { type TaskType, TASK_TYPES } from '@fractus/server-lifecycle';
import type { TaskRow } from './rows';
import {
  InstanceActionsRepository,
  type InstanceAction,
  type InstanceActionEvent,
} from './instance-actions.repository';
import { type Server } from './server';
import { ServersRepository, type ServerFault } from './servers.repository';
import { forUpdate } from './sql';
import { type EndRequest, type JsonObject, type TaskRecord, taskOf, type TaskStatus } from './task-record';
import { engineState, hostsLeft, hostsNamed, type TaskFailure, type TaskTrouble, withEngine } from './task-state';

/** `stuck`: open, and due without anybody taking it up, or at one attempt of one step for too long. */
export const TASK_FILTERS = ['open', 'stuck', 'ended'] as const;
export type TaskFilter = (typeof TASK_FILTERS)[number];

export interface TaskQuery {
  /** Default: all that are not purged. */
  readonly filter?: TaskFilter;
  readonly type?: TaskType;
  readonly serverId?: ServerId;
  readonly projectId?: ProjectId;
  /** Rows of a page, 1 to 1000; default 50. */
  readonly limit?: number;
  /** Id of the last task of the former page; `invalid` `task.marker` when there is none. */
  readonly marker?: TaskId;
}

/** One line of a list. Instants in epoch milliseconds. */
export interface TaskSummary {
  readonly id: TaskId;
  readonly type: TaskType;
  readonly status: TaskStatus;
  readonly serverId: ServerId;
  readonly projectId: ProjectId;
  /** Name of the step it stands at, `spawn` or `spawn:undo`; empty before its first. */
  readonly step: string;
  readonly direction: 'forward' | 'undo';
  readonly attempt: number;
  /** Repetitions of this attempt for passing troubles, and the last of those. */
  readonly retries: number;
  readonly trouble: TaskTrouble | null;
  /** The host whose answer is awaited. */
  readonly awaits: string | null;
  /** Who works on it, until when at least; null when nobody does. */
  readonly lease: { readonly owner: string; readonly until: number } | null;
  /** Due from then on; for one that awaits an answer: the end of patience. */
  readonly readyAt: number;
  /** When this attempt of this step began. */
  readonly stepAt: number;
  /** Absolute cap. */
  readonly expiresAt: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly finishedAt: number | null;
  /** An operator's wish that has not been met yet. */
  readonly endRequest: EndRequest | null;
  /** Why it failed, or is being undone. */
  readonly failure: TaskFailure | null;
  /** Why it counts as stuck, in a sentence; null when it does not. */
  readonly stuck: string | null;
}

export interface TaskDetail extends TaskSummary {
  readonly requestId: string;
  readonly userId: string | null;
  readonly fence: number;
  readonly supersedes: TaskId | null;
  /** Every host that an operation was ever sent to, and those that could not be cleared. */
  readonly hosts: readonly string[];
  readonly left: readonly string[];
  /** Results of the steps so far, as the task keeps them. What the task was handed (a password, maybe) is not shown. */
  readonly results: JsonObject;
  /** Null: the server is purged. */
  readonly server: Pick<Server, 'name' | 'vmState' | 'taskState' | 'powerState' | 'host' | 'deleted'> | null;
  readonly fault: ServerFault | null;
  /** The action record, and the events under it: what was done and how it ended, oldest first. */
  readonly action: InstanceAction | null;
  readonly events: readonly InstanceActionEvent[];
  /** Other tasks of the server, newest first, at most twenty. */
  readonly others: readonly TaskSummary[];
}

export interface TaskOperationsOptions {
  readonly clock?: () => number;
  /** Milliseconds that a due task may lie before it counts as stuck; default a minute. */
  readonly overdueMs?: number;
  /** Milliseconds that one attempt of one step may take before it counts as stuck; default ten minutes. */
  readonly slowMs?: number;
}

const MAX_PAGE = 1000;

export class TaskOperations {
  private readonly servers: ServersRepository;
  private readonly actions: InstanceActionsRepository;
  private readonly clock: () => number;
  private readonly overdueMs: number;
  private readonly slowMs: number;

  constructor(
    private readonly db: Database,
    options: TaskOperationsOptions = {},
  ) {
    this.servers = new ServersRepository(db);
    this.actions = new InstanceActionsRepository(db);
    this.clock = options.clock ?? Date.now;
    this.overdueMs = options.overdueMs ?? 60_000;
    this.slowMs = options.slowMs ?? 600_000;
  }

  /** One page, newest first. `invalid` for a limit or marker that cannot be. */
  async list(query: TaskQuery = {}): Promise<TaskSummary[]> {
    const { limit = 50, marker } = query;
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE)
      throw invalid(`limit must be a whole number from 1 to ${MAX_PAGE}, not ${limit}`, { code: 'task.limit' });
    if (query.type !== undefined && !TASK_TYPES.includes(query.type))
      throw invalid(`type must be one of ${TASK_TYPES.join(', ')}, not ${query.type}`, { code: 'task.type' });
    const [where, params] = this.where(query);
    if (marker !== undefined) {
      const [row] = await this.db.query<{ id: number }>('SELECT id FROM tasks WHERE uuid = ?', [marker]);
      if (!row) throw invalid(`marker ${marker} is no task`, { code: 'task.marker' });
      where.push('id < ?');
      params.push(row.id);
    }
    const sql = `SELECT * FROM tasks WHERE ${where.join(' AND ')} ORDER BY id DESC LIMIT ?`;
    const now = this.clock();
    return (await this.db.query<TaskRow>(sql, [...params, limit])).map((row) => this.summary(taskOf(row), now));
  }

  /** `not_found` `task.not_found`. */
  async show(id: TaskId): Promise<TaskDetail> {
    const [row] = await this.db.query<TaskRow>('SELECT * FROM tasks WHERE uuid = ?', [id]);
    if (!row) throw noTask(id);
    const task = taskOf(row);
    const [server, faults, action, others] = await Promise.all([
      this.servers.find(task.serverId, { withDeleted: true }),
      this.servers.latestFaults([task.serverId]),
      task.actionId === null ? null : this.actions.byRowId(task.actionId),
      this.list({ serverId: task.serverId, limit: 21 }),
    ]);
    const events = action ? (await this.actions.events([action.rowId])).get(action.rowId) : undefined;
    const { $: _engine, hosts: _hosts, left: _left, ...results } = task.state;
    return {
      ...this.summary(task, this.clock()),
      requestId: task.context.requestId,
      userId: task.context.userId,
      fence: task.fence,
      supersedes: task.supersedes,
      hosts: hostsNamed(task.state),
      left: hostsLeft(task.state),
      results,
      server,
      fault: faults.get(task.serverId) ?? null,
      action,
      events: events ?? [],
      others: others.filter((other) => other.id !== id).slice(0, 20),
    };
  }

  /**
   * Makes an open task due now and has its step run again, in the same attempt: an agent that has done it, or is at it,
   * does nothing twice. Its repetitions count from zero, and its cap counts from now. A wish to end it is withdrawn.
   *
   * `not_found`; `conflict` `task.ended`; `conflict` `task.leased` while a conductor works on it.
   */
  async retry(id: TaskId): Promise<TaskSummary> {
    return this.change(id, async (tx, task, now) => {
      if (held(task, now))
        throw conflict(`${task.leaseOwner} is working on task ${id}; ask again when it has let go`, {
          code: 'task.leased',
        });
      const state = JSON.stringify(
        withEngine(task.state, { retries: undefined, trouble: undefined, unreached: undefined }),
      );
      const expiresAt = now + Math.max(task.expiresAt - task.createdAt, 0);
      const sql = `UPDATE tasks SET ready_at = ?, waiting = 0, awaits_host = NULL, sent_by = NULL, state = ?, step_at = ?, expires_at = ?,
        end_requested_at = NULL, end_requested_by = NULL, end_reason = NULL, updated_at = ? WHERE id = ?`;
      await tx.execute(sql, [now, state, now, Math.max(task.expiresAt, expiresAt), now, task.rowId]);
    });
  }

  /**
   * Has an open task ended as if its step had failed: what it did is undone, the server gets a fault that says who
   * ended it and why. Of a task that is being undone already the undoing is given up, and what is left is for the
   * reconcilers. It is done by the conductor that works on the task, at its next step's border, otherwise by the first
   * that looks: see `endRequest`. A second time changes nothing.
   *
   * `not_found`; `conflict` `task.ended`; `invalid` where the name is missing, or it or the reason is longer than 255.
   */
  async abandon(id: TaskId, request: { by: string; reason?: string }): Promise<TaskSummary> {
    const { by, reason = null } = request;
    if (by.length < 1 || by.length > 255) throw invalid('by must have 1 to 255 characters', { code: 'task.by' });
    if ((reason ?? '').length > 255) throw invalid('reason must have at most 255 characters', { code: 'task.reason' });
    return this.change(id, async (tx, task, now) => {
      if (task.endRequest) return;
      const sql = `UPDATE tasks SET end_requested_at = ?, end_requested_by = ?, end_reason = ?, ready_at = ? WHERE id = ?`;
      await tx.execute(sql, [now, by, reason, Math.min(now, task.readyAt), task.rowId]);
    });
  }

  private async change(
    id: TaskId,
    work: (tx: Tx, task: TaskRecord, now: number) => Promise<void>,
  ): Promise<TaskSummary> {
    return this.db.transaction(async (tx) => {
      const now = this.clock();
      const read = async (): Promise<TaskRecord> => {
        const [row] = await tx.query<TaskRow>(`SELECT * FROM tasks WHERE uuid = ?${forUpdate(tx)}`, [id]);
        if (!row) throw noTask(id);
        return taskOf(row);
      };
      const task = await read();
      if (task.status !== 'open') throw conflict(`task ${id} has ended: it is ${task.status}`, { code: 'task.ended' });
      await work(tx, task, now);
      return this.summary(await read(), now);
    });
  }

  private where(query: TaskQuery): [where: string[], params: SqlValue[]] {
    const where = ['1 = 1'];
    const params: SqlValue[] = [];
    const add = (sql: string, ...values: SqlValue[]): void => {
      where.push(sql);
      params.push(...values);
    };
    if (query.filter === 'ended') add("status <> 'open'");
    else if (query.filter !== undefined) add("status = 'open'");
    const now = this.clock();
    if (query.filter === 'stuck')
      add(
        '((ready_at < ? AND (lease_until IS NULL OR lease_until <= ?)) OR COALESCE(step_at, created_at) < ?)',
        now - this.overdueMs,
        now,
        now - this.slowMs,
      );
    if (query.type !== undefined) add('type = ?', query.type);
    if (query.serverId !== undefined) add('server_uuid = ?', query.serverId);
    if (query.projectId !== undefined) add('project_id = ?', query.projectId);
    return [where, params];
  }

  private summary(task: TaskRecord, now: number): TaskSummary {
    const { retries = 0, trouble = null, failure, host = null } = engineState(task);
    const { leaseOwner, leaseUntil } = task;
    return {
      id: task.id,
      type: task.type,
      status: task.status,
      serverId: task.serverId,
      projectId: task.projectId,
      step: task.step,
      direction: task.direction,
      attempt: task.attempt,
      retries,
      trouble,
      awaits: task.waiting ? (task.awaitsHost ?? host) : null,
      lease: held(task, now) ? { owner: leaseOwner ?? '', until: leaseUntil ?? 0 } : null,
      readyAt: task.readyAt,
      stepAt: task.stepAt,
      expiresAt: task.expiresAt,
      createdAt: task.createdAt,
      updatedAt: task.updatedAt,
      finishedAt: task.finishedAt,
      endRequest: task.endRequest,
      failure: (task.error as unknown as TaskFailure | null) ?? failure ?? null,
      stuck: this.whyStuck(task, now),
    };
  }

  private whyStuck(task: TaskRecord, now: number): string | null {
    if (task.status !== 'open') return null;
    const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;
    if (now - task.readyAt > this.overdueMs && !held(task, now))
      return `due for ${seconds(now - task.readyAt)} and no conductor takes it up`;
    if (now - task.stepAt <= this.slowMs) return null;
    const { retries = 0, trouble, host } = engineState(task);
    const step = `at attempt ${task.attempt} of step '${task.step || 'the first'}' for ${seconds(now - task.stepAt)}`;
    if (task.waiting) return `${step}, awaiting an answer of host ${task.awaitsHost ?? host}`;
    return retries > 0 ? `${step}, repeated ${retries} times: ${trouble?.message ?? 'no reason is known'}` : step;
  }
}

const held = (task: TaskRecord, now: number): boolean => task.leaseOwner !== null && (task.leaseUntil ?? 0) > now;
const noTask = (id: string) => notFound(`there is no task ${id}`, { code: 'task.not_found' });
