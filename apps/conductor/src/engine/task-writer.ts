/**
 * Every write of a lease holder: the task's row first (which proves the lease), then the server, its faults and action
 * events, in one transaction. A lost lease writes nothing.
 */
import type { Database, Tx } from '@fractus/database';
import type {
  InstanceActionsRepository,
  JsonObject,
  Lease,
  Server,
  ServerPatch,
  TaskPatch,
  TaskRecord,
} from '@fractus/compute-db';
import type { GuestEvent } from '@fractus/rpc-contracts';
import { actionOfTask, actionRow, applyChange } from '@fractus/server-lifecycle';
import { engineState, hostsNamed, withEngine } from './engine-state';
import { backoff, failureOf } from './failures';
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

export interface WriterOptions {
  /** Milliseconds that undoing may take beyond the task's own cap. */
  readonly undoCapMs: number;
  /** The lease that this process takes at a moment. */
  readonly lease: (now: number) => Lease;
  /** What a guest did by itself while its task was open: looked at in the transaction that ends the task, last. */
  readonly guestEvent: (tx: Tx, event: GuestEvent) => Promise<void>;
}

/** Of a step that is over. */
const CLEAN = {
  retries: undefined,
  trouble: undefined,
  unreached: undefined,
  answer: undefined,
  host: undefined,
} as const;
/** No agent's answer is awaited. */
const NOBODY = { waiting: false, awaitsHost: null, sentBy: null } as const;
const LET_GO = { leaseOwner: null, leaseUntil: null } as const;
const lost = (task: TaskRecord): LeaseLost => new LeaseLost(`task ${task.id} is no longer ours`);

interface Event {
  readonly name: string;
  readonly momentary: boolean;
  readonly end?: { readonly result: 'Success' | 'Error'; readonly details?: string };
  readonly host?: string;
}

export class TaskWriter {
  constructor(
    private readonly db: Database,
    private readonly tools: TaskTools,
    private readonly actions: InstanceActionsRepository,
    private readonly registry: TaskRegistry,
    private readonly options: WriterOptions,
  ) {}

  /** The step is done: on to `step`. The lease is kept. */
  async advance(
    x: StepContext,
    at: Position,
    step: string,
    outcome: Writes & { kind: 'next' | 'again' },
  ): Promise<Written> {
    const attempt = outcome.kind === 'again' ? x.task.attempt + 1 : x.task.attempt;
    const state = withEngine({ ...x.state, ...outcome.state }, CLEAN);
    const event = this.advanced(x, at, step, outcome.kind);
    const now = this.now();
    const patch = { step, attempt, state, ...NOBODY, readyAt: now, stepAt: now };
    return this.write(x, patch, outcome.server, event);
  }

  /**
   * The step waits for an agent; the lease is let go. Until the message is known to be sent it is due again after the
   * time of a lease; from then on, silence counts until `silentAt`.
   */
  async wait(
    x: StepContext,
    at: Position,
    outcome: Outcome & { kind: 'wait' },
  ): Promise<Written & { silentAt: number }> {
    const hosts = [...new Set([...hostsNamed(x.state), outcome.host])];
    const state = withEngine(
      { ...x.state, ...outcome.state, hosts },
      { host: outcome.host, sentFence: x.task.fence, answer: undefined },
    );
    const { owner, until } = this.options.lease(this.now());
    const silentAt = Math.min(this.now() + at.step.silenceSeconds * 1000, x.task.expiresAt);
    const patch: TaskPatch = {
      step: this.nameOf(at),
      state,
      waiting: true,
      awaitsHost: outcome.host,
      sentBy: owner,
      readyAt: Math.min(silentAt, until),
      ...LET_GO,
    };
    return { ...(await this.write(x, patch, outcome.server, this.event(at, undefined, outcome.host))), silentAt };
  }

  /** A passing trouble: the same attempt of the same step later; the lease is let go. Returns when. */
  async later(x: StepContext, at: Position, e: unknown, unreached: boolean): Promise<number> {
    const now = this.now();
    const before = engineState(x.task);
    const retries = (before.retries ?? 0) + 1;
    const readyAt = Math.min(now + backoff(retries), x.task.expiresAt);
    const { code, message } = failureOf(e, at.step.name);
    const state = withEngine(x.state, {
      retries,
      trouble: { code, message, at: now, since: before.trouble?.since ?? now },
      unreached: unreached ? (before.unreached ?? 0) + 1 : undefined,
    });
    await this.write(x, { step: this.nameOf(at), state, ...NOBODY, readyAt, ...LET_GO }, undefined, null);
    return readyAt;
  }

  /** The step failed: turns the task around. Null when nothing is to be undone: then it has ended. */
  async turnAround(x: StepContext, at: Position, failure: TaskFailure): Promise<Written | null> {
    const first = this.registry.undoFrom(x.task, at.step, true);
    if (first === null) {
      await this.end(x, 'failed', failure, this.event(at, { result: 'Error', details: failure.message }));
      return null;
    }
    const state = withEngine(x.state, { ...CLEAN, failure });
    const now = this.now();
    const expiresAt = Math.max(x.task.expiresAt, now + this.options.undoCapMs);
    const patch: TaskPatch = {
      step: first,
      direction: 'undo',
      attempt: x.task.attempt + 1,
      state,
      ...NOBODY,
      readyAt: now,
      stepAt: now,
      expiresAt,
      // what the operator asked for is being done; asked for again, the undoing is given up as well
      endRequest: null,
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
    const patch: TaskPatch = {
      status: status ?? ended,
      state: withEngine(x.state, CLEAN),
      ...NOBODY,
      ...LET_GO,
      error: failure as unknown as JsonObject | null,
      finishedAt: now,
      input: {},
      endRequest: null,
    };
    await this.db.transaction(async (tx) => {
      const { written, guestEvent } = await this.tools.tasks.end(tx, x.task.id, x.task.fence, patch, now);
      if (!written) throw lost(x.task);
      await this.writeEnd(tx, x, ended, failure, now);
      await this.writeEvent(tx, x.task, event, now);
      if (x.task.actionId !== null) await this.actions.finish(tx, x.task.actionId, ended, now);
      await this.registry.get(x.task.type).ended?.(tx, x, ended, now);
      if (guestEvent) await this.options.guestEvent(tx, guestEvent);
    });
  }

  /** Ends a task that there is nothing to do for any more. */
  async discard(task: TaskRecord): Promise<void> {
    const now = this.now();
    const error = { code: 'task.server', message: `server ${task.serverId} has no row` };
    const patch: TaskPatch = { status: 'abandoned', error, ...NOBODY, ...LET_GO, finishedAt: now, input: {} };
    await this.db.transaction(async (tx) => {
      const { written } = await this.tools.tasks.end(tx, task.id, task.fence, patch, now);
      if (!written) throw lost(task);
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
    // what never waits was never noted as begun
    const momentary = at.step.silenceSeconds === 0;
    return { name: at.step.event, momentary, ...(end ? { end } : {}), ...(host ? { host } : {}) };
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
    if (!(await this.tools.tasks.write(tx, task.id, task.fence, patch, now))) throw lost(task);
  }

  private async writeEvent(tx: Tx, task: TaskRecord, event: Event | null, now: number): Promise<void> {
    if (!event || task.actionId === null) return;
    const host = event.host ?? null;
    if (event.end && event.momentary)
      await this.actions.recordEvent(tx, task.actionId, event.name, { ...event.end, host }, now);
    else if (event.end) await this.actions.finishEvent(tx, task.actionId, event.name, { ...event.end, host }, now);
    else await this.actions.startEvent(tx, task.actionId, event.name, host, now);
  }

  private nameOf(at: Position): string {
    return at.undoing ? undoName(at.step.name) : at.step.name;
  }

  private now(): number {
    return this.tools.clock();
  }
}
