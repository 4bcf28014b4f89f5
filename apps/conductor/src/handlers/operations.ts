/** What agents say about operations: progress, and the end. */
import type { Database } from '@fractus/database';
import type { Answer, Server, TaskRecord } from '@fractus/compute-db';
import type { RequestContext } from '@fractus/objects';
import type { GuestEvent, OperationFinished, OperationProgress, OperationRef } from '@fractus/rpc-contracts';
import { progressOf } from '@fractus/server-lifecycle';
import { type EngineState, engineState, hostsLeft, hostsNamed, withEngine } from '../engine/engine-state';
import { backoff } from '../engine/failures';
import type { TaskTools } from '../engine/task-definition';
import type { TaskEngine } from '../engine/task-engine';
import type { Senders } from './senders';

/** Steps that may leave a guest on the host that answers. */
const GUEST_MAKING: ReadonlySet<string> = new Set(['spawn']);

/** Step of the destroy that clears a host which an ended task had left. */
export const LEFT = 'left';

export class Operations {
  constructor(
    private readonly db: Database,
    private readonly tools: TaskTools,
    private readonly senders: Senders,
    private readonly answer: TaskEngine['answer'],
    private readonly guestEvent: (ctx: RequestContext, event: GuestEvent) => Promise<void>,
  ) {}

  /** Moves the silence limit, and shows the phase where it is one that users see. */
  async progress(ctx: RequestContext, { operation, phase, percent }: OperationProgress): Promise<void> {
    if (!(await this.senders.owns(ctx, 'operationProgress', operation.host))) return;
    const { tasks, servers, clock } = this.tools;
    await this.db.transaction(async (tx) => {
      const now = clock();
      if (!(await tasks.heard(tx, operation, now + operation.silenceSeconds * 1000))) return;
      const server = await servers.find(operation.serverId);
      const row = server && progressOf(server.vmState, phase);
      if (!server || !row) return;
      const progress = Math.max(server.progress, row.progress, Math.min(percent ?? 0, 99));
      if (server.taskState === row.taskState && server.progress === progress) return;
      await servers.writeHeld(tx, server.id, { taskState: row.taskState, progress }, now);
    });
  }

  /** Stores the answer with the task that waits for it, and goes on with that. A guest that nobody waits for is destroyed. */
  async finished(ctx: RequestContext, message: OperationFinished): Promise<void> {
    const { operation, outcome, error } = message;
    if (!(await this.senders.owns(ctx, 'operationFinished', operation.host))) return;
    if (operation.step === LEFT) return this.cleared(ctx, operation, outcome);
    const checked = this.senders.userOf(ctx) !== undefined;
    const refused = error?.code === 'fence.stale';
    const { task, stored } = await this.answer(operation.taskId, (awaiting) =>
      refused || !isAwaited(awaiting, operation) ? null : withEngine(awaiting.state, answerOf(message)),
    );
    if (stored) return;
    if (checked && task && !wasSent(task, operation)) return this.notOnHost(ctx, operation);
    if (refused) return task && isAwaited(task, operation) ? this.askAgain(task, operation) : undefined;
    if (outcome === 'done' && GUEST_MAKING.has(operation.step)) await this.clearStray(ctx, operation, task);
    else if (outcome === 'done' && task) await this.toldLate(ctx, message, task);
  }

  /**
   * An operation that nobody waits for any more was done after all: its host had fallen silent, or the database was away
   * for longer than silence lasts. How the guest is now is told as what it did by itself. Not of an answer that came twice.
   */
  private async toldLate(
    ctx: RequestContext,
    { operation, powerState, at }: OperationFinished,
    task: TaskRecord,
  ): Promise<void> {
    if (powerState === undefined || at === undefined || !wasSent(task, operation)) return;
    if (task.status === 'open' || engineState(task).answered?.at === at) return;
    const { serverId, host, fence } = operation;
    await this.guestEvent(ctx, { serverId, host, fence, powerState, at });
  }

  /**
   * A refusal of an earlier lease's message says nothing about the one that was sent since. One of the present lease's
   * means that the host has seen a higher fence: the step is run again under a new lease, which has one.
   */
  private async askAgain(task: TaskRecord, operation: OperationRef): Promise<void> {
    const { sentFence = 0, retries = 0 } = engineState(task);
    if (operation.fence < sentFence) return;
    const now = this.tools.clock();
    const readyAt = now + backoff(retries + 1);
    await this.tools.tasks.answer(operation, ({ state }) => withEngine(state, { retries: retries + 1 }), now, readyAt);
  }

  /** A host that had been left by an ended task has no guest of it any more (see the reconciler of left guests). */
  private async cleared(
    ctx: RequestContext,
    operation: OperationRef,
    outcome: OperationFinished['outcome'],
  ): Promise<void> {
    if (outcome !== 'done') return;
    const task = this.senders.userOf(ctx) === undefined ? null : await this.tools.tasks.find(operation.taskId);
    if (task && !wasSent(task, operation)) return this.notOnHost(ctx, operation);
    await this.tools.tasks.amend(operation.taskId, (state) => ({
      ...state,
      left: hostsLeft(state).filter((host) => host !== operation.host),
    }));
  }

  private notOnHost(ctx: RequestContext, { host, serverId }: OperationRef): void {
    this.senders.notOnHost(ctx, 'operationFinished', { host, server_id: serverId });
  }

  /**
   * A build ended after its task had moved on: deleted, tried elsewhere, or failed. Unless the server has come to live
   * on just that host, the guest is one too many.
   */
  private async clearStray(ctx: RequestContext, operation: OperationRef, task: TaskRecord | null): Promise<void> {
    const server = await this.tools.servers.find(operation.serverId, { withDeleted: true });
    const open = server && !server.deleted ? await this.tools.tasks.openOf(server.id) : null;
    // the step is being run again just now: the repetition hears the same answer from the agent's journal
    if (open && open.id === task?.id && open.attempt === operation.attempt && open.step === operation.step) return;
    if (server && isAtHome(server, open, operation.host)) return;
    const fence = Math.max(server?.fence ?? 0, operation.fence);
    this.tools.logger.warn(
      { server_id: operation.serverId, host: operation.host, task_id: operation.taskId },
      'a guest that no task waits for is destroyed',
    );
    const cleanup = { ...operation, step: 'stray', fence };
    await this.tools.compute.on(operation.host).destroy(ctx, { operation: cleanup, forever: server?.deleted ?? true });
  }
}

/** What of an answer is kept, in the engine's part of the state. */
function answerOf({ operation, outcome, powerState, error, replayed, at }: OperationFinished): EngineState {
  const answer = JSON.parse(JSON.stringify({ outcome, powerState, error, replayed, at })) as Answer;
  return at === undefined ? { answer } : { answer, answered: { host: operation.host, at } };
}

/** Whether the task ever sent its host anything about its server; what was left there is asked for by reconcilers. */
function wasSent(task: TaskRecord, { serverId, host }: OperationRef): boolean {
  return task.serverId === serverId && [...hostsNamed(task.state), ...hostsLeft(task.state)].includes(host);
}

function isAwaited(task: TaskRecord, operation: OperationRef): boolean {
  return (
    task.status === 'open' &&
    task.waiting &&
    task.step === operation.step &&
    task.attempt === operation.attempt &&
    engineState(task).host === operation.host
  );
}

function isAtHome(server: Server, open: TaskRecord | null, host: string): boolean {
  return !server.deleted && open?.type !== 'delete-server' && server.host === host;
}
