/**
 * Every write of a lease holder: the task's row first (which proves the lease), then the server, its faults and action
 * events, in one transaction. A lost lease writes nothing.
 */
import type { Database, Tx } from '@fractus/database';
import type {
  InstanceActionsRepository,
  JsonObject,
  Server,
  ServerPatch,
  TaskPatch,
  TaskRecord,
} from '@fractus/compute-db';
import { actionOfTask, actionRow, applyChange } from '@fractus/server-lifecycle';
import { engineState, hostsNamed, withEngine } from './engine-state';
import { backoff } from './failures';
import type { Position, TaskRegistry } from './registry';
import {
  type Outcome,
  type StepContext,
  type TaskFailure,
  type TaskTools,
  type Writes,
  undoName,
} from './task-definition';

/** The lease is gone: superseded, or run out and taken by another. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

export interface Written {
  readonly task: TaskRecord;
  readonly server: Server;
}

interface Event {
  readonly name: string;
  readonly end?: { readonly result: 'Success' | 'Error'; readonly details?: string };
  readonly host?: string;
}

export class TaskWriter {
  constructor(
    private readonly db: Database,
    private readonly tools: TaskTools,
    private readonly actions: InstanceActionsRepository,
    private readonly registry: TaskRegistry,
    /** Milliseconds that undoing may take beyond the task's own cap. */
    private readonly undoCapMs: number,
  ) {}

  /** The step is done: on to `step`. The lease is kept. */
  async advance(
    x: StepContext,
    at: Position,
    step: string,
    outcome: Writes & { kind: 'next' | 'again' },
  ): Promise<Written> {
    const attempt = outcome.kind === 'again' ? x.task.attempt + 1 : x.task.attempt;
    const state = withEngine(
      { ...x.state, ...outcome.state },
      { retries: undefined, answer: undefined, host: undefined },
    );
    const event = this.advanced(x, at, step, outcome.kind);
    return this.write(x, { step, attempt, state, waiting: false, readyAt: this.now() }, outcome.server, event);
  }

  /** The step waits for an agent; the lease is let go. */
  async wait(x: StepContext, at: Position, outcome: Outcome & { kind: 'wait' }): Promise<Written> {
    const hosts = [...new Set([...hostsNamed(x.state), outcome.host])];
    const state = withEngine(
      { ...x.state, ...outcome.state, hosts },
      { host: outcome.host, sentFence: x.task.fence, answer: undefined },
    );
    const readyAt = Math.min(this.now() + at.step.silenceSeconds * 1000, x.task.expiresAt);
    const patch = { step: this.nameOf(at), state, waiting: true, readyAt, leaseOwner: null, leaseUntil: null };
    return this.write(x, patch, outcome.server, this.event(at, undefined, outcome.host));
  }

  /** A passing trouble: the same attempt of the same step later; the lease is let go. Returns when. */
  async later(x: StepContext, at: Position): Promise<number> {
    const retries = (engineState(x.task).retries ?? 0) + 1;
    const readyAt = Math.min(this.now() + backoff(retries), x.task.expiresAt);
    const state = withEngine(x.state, { retries });
    await this.write(
      x,
      { step: this.nameOf(at), state, waiting: false, readyAt, leaseOwner: null, leaseUntil: null },
      undefined,
      null,
    );
    return readyAt;
  }

  /** The step failed: turns the task around. Null when nothing is to be undone: then it has ended. */
  async turnAround(x: StepContext, at: Position, failure: TaskFailure): Promise<Written | null> {
    const first = this.registry.undoFrom(x.task, at.step, true);
    if (first === null) {
      await this.end(x, 'failed', failure, this.event(at, { result: 'Error', details: failure.message }));
      return null;
    }
    const state = withEngine(x.state, { failure, retries: undefined, answer: undefined, host: undefined });
    const now = this.now();
    const expiresAt = Math.max(x.task.expiresAt, now + this.undoCapMs);
    const patch: TaskPatch = {
      step: first,
      direction: 'undo',
      attempt: x.task.attempt + 1,
      state,
      waiting: false,
      readyAt: now,
      expiresAt,
    };
    return this.write(x, patch, undefined, this.event(at, { result: 'Error', details: failure.message }));
  }

  /** The end: states from the lifecycle table, fault, action record; what the task was handed is wiped. */
  async end(
    x: StepContext,
    ended: 'done' | 'failed',
    failure: TaskFailure | null,
    event: Event | null,
    status?: 'abandoned',
  ): Promise<void> {
    const now = this.now();
    await this.db.transaction(async (tx) => {
      const patch: TaskPatch = {
        status: status ?? ended,
        state: withEngine(x.state, { retries: undefined, answer: undefined, host: undefined }),
        waiting: false,
        leaseOwner: null,
        leaseUntil: null,
        error: failure as unknown as JsonObject | null,
        finishedAt: now,
        input: {},
      };
      await this.hold(tx, x, patch, now);
      await this.writeEnd(tx, x, ended, failure, now);
      await this.writeEvent(tx, x.task, event, now);
      if (x.task.actionId !== null) await this.actions.finish(tx, x.task.actionId, ended, now);
      await this.registry.get(x.task.type).ended?.(tx, x, ended, now);
    });
  }

  /** Going back to an earlier step says that this one came to nothing, this time. */
  private advanced(x: StepContext, at: Position, step: string, kind: 'next' | 'again'): Event | null {
    const { host } = engineState(x.task);
    if (kind === 'next') return this.event(at, { result: 'Success' }, host);
    return step === at.step.name ? null : this.event(at, { result: 'Error' }, host);
  }

  event(at: Position, end?: Event['end'], host?: string): Event | null {
    if (at.undoing || !at.step.event) return null;
    return { name: at.step.event, ...(end ? { end } : {}), ...(host ? { host } : {}) };
  }

  private async writeEnd(
    tx: Tx,
    x: StepContext,
    ended: 'done' | 'failed',
    failure: TaskFailure | null,
    now: number,
  ): Promise<void> {
    const { task, server } = x;
    const action = actionOfTask(task.type);
    if (action === null) return;
    const row = actionRow(action);
    const change = ended === 'done' ? row.done : row.failed;
    const next = applyChange(change, server);
    const patch = this.registry.get(task.type).patch?.(x, ended, now) ?? {};
    await this.tools.servers.writeHeld(
      tx,
      server.id,
      { ...patch, vmState: next.vmState, taskState: next.taskState },
      now,
    );
    if (failure) {
      const { message, details = null, host = null } = failure;
      await this.tools.servers.addFault(tx, { serverId: server.id, code: 500, message, details, host, createdAt: now });
    }
  }

  private async write(
    x: StepContext,
    patch: TaskPatch,
    serverPatch: ServerPatch | undefined,
    event: Event | null,
  ): Promise<Written> {
    const now = this.now();
    await this.db.transaction(async (tx) => {
      await this.hold(tx, x, patch, now);
      if (serverPatch) await this.tools.servers.writeHeld(tx, x.server.id, serverPatch, now);
      await this.writeEvent(tx, x.task, event, now);
    });
    return { task: { ...x.task, ...patch }, server: { ...x.server, ...serverPatch } };
  }

  private async hold(tx: Tx, { task }: StepContext, patch: TaskPatch, now: number): Promise<void> {
    if (!(await this.tools.tasks.write(tx, task.id, task.fence, patch, now)))
      throw new LeaseLost(`task ${task.id} is no longer ours`);
  }

  private async writeEvent(tx: Tx, task: TaskRecord, event: Event | null, now: number): Promise<void> {
    if (!event || task.actionId === null) return;
    const host = event.host ?? null;
    if (event.end) await this.actions.finishEvent(tx, task.actionId, event.name, { ...event.end, host }, now);
    else await this.actions.startEvent(tx, task.actionId, event.name, host, now);
  }

  private nameOf(at: Position): string {
    return at.undoing ? undoName(at.step.name) : at.step.name;
  }

  private now(): number {
    return this.tools.clock();
  }
}
