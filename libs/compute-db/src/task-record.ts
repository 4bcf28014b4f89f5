/** A task as it is in its row, and its mapper. */
import type { SqlRow } from '@fractus/database';
import type { HostName, ProjectId, RequestContext, ServerId, TaskId } from '@fractus/objects';
import type { GuestEvent } from '@fractus/rpc-contracts';
import type { TaskType } from '@fractus/server-lifecycle';
import type { TaskRow } from './rows';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };
export type JsonObject = { readonly [key: string]: Json | undefined };
export type TaskStatus = 'open' | 'done' | 'failed' | 'superseded' | 'abandoned';

/** An operator's wish that a task be ended. */
export interface EndRequest {
  readonly at: number;
  /** Who asked: a name that other operators know. */
  readonly by: string;
  readonly reason: string | null;
}

export interface TaskRecord {
  readonly id: TaskId;
  readonly rowId: number;
  readonly type: TaskType;
  readonly serverId: ServerId;
  readonly projectId: ProjectId;
  readonly status: TaskStatus;
  readonly step: string;
  /** Of the current step, from 1: names the effect, so a repetition after a crash keeps it. */
  readonly attempt: number;
  readonly direction: 'forward' | 'undo';
  readonly input: JsonObject;
  readonly state: JsonObject;
  readonly context: RequestContext;
  readonly actionId: number | null;
  readonly readyAt: number;
  /** True while an agent's answer is awaited; `readyAt` is then the end of patience, or, while `sentBy` is set, when it is sent again. */
  readonly waiting: boolean;
  /** The host whose answer is awaited. */
  readonly awaitsHost: HostName | null;
  /** The lease holder that is sending what is awaited; null once it is known to have been taken. */
  readonly sentBy: string | null;
  readonly leaseOwner: string | null;
  readonly leaseUntil: number | null;
  readonly fence: number;
  readonly expiresAt: number;
  readonly supersedes: TaskId | null;
  readonly error: JsonObject | null;
  /** What the guest did meanwhile by itself: looked at when the task ends. */
  readonly guestEvent: GuestEvent | null;
  readonly endRequest: EndRequest | null;
  /** When the current attempt of the current step began. */
  readonly stepAt: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly finishedAt: number | null;
}

export interface NewTask {
  readonly id: TaskId;
  readonly type: TaskType;
  readonly serverId: ServerId;
  readonly projectId: ProjectId;
  readonly input?: JsonObject;
  readonly context: RequestContext;
  readonly actionId: number | null;
  /** Absolute cap, epoch ms. */
  readonly expiresAt: number;
  readonly supersedes?: TaskId | null;
}

export type TaskPatch = Partial<
  Pick<
    TaskRecord,
    | 'status'
    | 'step'
    | 'input'
    | 'attempt'
    | 'direction'
    | 'state'
    | 'readyAt'
    | 'waiting'
    | 'awaitsHost'
    | 'sentBy'
    | 'leaseOwner'
    | 'leaseUntil'
    | 'error'
    | 'endRequest'
    | 'stepAt'
    | 'finishedAt'
    | 'expiresAt'
  >
>;

export function newTaskRow(task: NewTask, now: number): SqlRow {
  return {
    uuid: task.id,
    type: task.type,
    server_uuid: task.serverId,
    project_id: task.projectId,
    status: 'open',
    open_key: task.serverId,
    step: '',
    attempt: 1,
    direction: 'forward',
    input: JSON.stringify(task.input ?? {}),
    state: '{}',
    context: JSON.stringify(durable(task.context)),
    action_id: task.actionId,
    ready_at: now,
    waiting: 0,
    lease_owner: null,
    lease_until: null,
    fence: 0,
    expires_at: task.expiresAt,
    supersedes: task.supersedes ?? null,
    error: null,
    step_at: now,
    created_at: now,
    updated_at: now,
    finished_at: null,
  };
}

/** A task outlives the request: nobody waits, and no deadline holds. */
function durable(ctx: RequestContext): RequestContext {
  const { deadline: _nobodyWaits, ...rest } = ctx;
  return rest;
}

const json = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

/** Fields whose columns are named and written alike, or by a function. */
const COLUMNS: { readonly [K in keyof TaskPatch]-?: (value: NonNullable<TaskPatch[K]> | null) => SqlRow } = {
  status: (status) => ({ status, ...(status === 'open' ? {} : { open_key: null }) }),
  step: (step) => ({ step }),
  input: (input) => ({ input: json(input) }),
  attempt: (attempt) => ({ attempt }),
  direction: (direction) => ({ direction }),
  state: (state) => ({ state: json(state) }),
  readyAt: (at) => ({ ready_at: at }),
  waiting: (waiting) => ({ waiting: waiting ? 1 : 0 }),
  awaitsHost: (host) => ({ awaits_host: host }),
  sentBy: (owner) => ({ sent_by: owner }),
  leaseOwner: (owner) => ({ lease_owner: owner }),
  leaseUntil: (until) => ({ lease_until: until }),
  error: (error) => ({ error: json(error) }),
  endRequest: (request) => ({
    end_requested_at: request?.at ?? null,
    end_requested_by: request?.by ?? null,
    end_reason: request?.reason ?? null,
  }),
  stepAt: (at) => ({ step_at: at }),
  finishedAt: (at) => ({ finished_at: at }),
  expiresAt: (at) => ({ expires_at: at }),
};

export function taskColumns(patch: TaskPatch): SqlRow {
  const columns: SqlRow = {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    const write = COLUMNS[key as keyof TaskPatch] as (value: unknown) => SqlRow;
    Object.assign(columns, write(value));
  }
  return columns;
}

export function taskOf(row: TaskRow): TaskRecord {
  return {
    id: row.uuid,
    rowId: row.id,
    type: row.type as TaskType,
    serverId: row.server_uuid,
    projectId: row.project_id,
    status: row.status as TaskStatus,
    step: row.step,
    attempt: row.attempt,
    direction: row.direction as TaskRecord['direction'],
    input: JSON.parse(row.input) as JsonObject,
    state: JSON.parse(row.state) as JsonObject,
    context: JSON.parse(row.context) as RequestContext,
    actionId: row.action_id,
    readyAt: row.ready_at,
    waiting: row.waiting === 1,
    awaitsHost: row.awaits_host,
    sentBy: row.sent_by,
    leaseOwner: row.lease_owner,
    leaseUntil: row.lease_until,
    fence: row.fence,
    expiresAt: row.expires_at,
    supersedes: row.supersedes,
    error: row.error === null ? null : (JSON.parse(row.error) as JsonObject),
    guestEvent: row.guest_event === null ? null : (JSON.parse(row.guest_event) as GuestEvent),
    endRequest: endRequestOf(row),
    stepAt: row.step_at ?? row.created_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    finishedAt: row.finished_at,
  };
}

function endRequestOf(row: TaskRow): EndRequest | null {
  if (row.end_requested_at === null) return null;
  return { at: row.end_requested_at, by: row.end_requested_by ?? '', reason: row.end_reason };
}
