/**
 * Runs tasks. A run leases one task and takes it step by step until it waits, pauses or ends.
 *
 *   lease ─ do ─ write ─ do ─ write(wait), let go ─ send …… answer stored ─ lease ─ answered ─ write(end)
 *
 * Whatever is between two writes may be lost and is then done again: by another conductor once the lease has run out,
 * by the same one at once after its restart. What is sent to an agent is sent after the wait was written, so an answer
 * always finds somebody waiting; a cast lost in between is made up for by the restart or by the silence limit.
 */
import type { Server, TaskRecord } from '@fractus/compute-db';
import { internal, isFractusError } from '@fractus/objects';
import type { OperationRef } from '@fractus/rpc-contracts';
import { engineState } from './engine-state';
import { failureOf, isPassing } from './failures';
import type { Position, TaskRegistry } from './registry';
import { type Outcome, type StepContext, type TaskFailure, type TaskTools } from './task-definition';
import { LeaseLost, type TaskWriter } from './task-writer';

/** Places in a run where the harness may kill it. */
export type ProbePoint = 'leased' | 'before-step' | 'after-step' | 'written' | 'sent';
/** Thrown by a probe: the run ends as if the process had died, without another write. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

export interface RunnerOptions {
  /** `<instance>/<incarnation>`. */
  readonly owner: string;
  readonly leaseMs: number;
  /** Whether to let go at the next step's border. */
  readonly stopping: () => boolean;
  readonly probe?: (point: ProbePoint, task: TaskRecord) => void | Promise<void>;
}

/** What became of a run: `at` says when to come back, where that is known. */
export interface RunResult {
  readonly ran: boolean;
  readonly at?: number;
  /** The task was taken from us: another one of the server is waiting for us to let go. */
  readonly lost?: boolean;
}

type Found = { readonly next: Outcome } | { readonly passing: unknown };

export class TaskRunner {
  constructor(
    private readonly tools: TaskTools,
    private readonly writer: TaskWriter,
    private readonly registry: TaskRegistry,
    private readonly options: RunnerOptions,
  ) {}

  async run(taskId: string): Promise<RunResult> {
    const now = this.tools.clock();
    const task = await this.tools.tasks.lease(
      taskId,
      { owner: this.options.owner, until: now + this.options.leaseMs },
      now,
    );
    if (!task) return { ran: false };
    const renewal = setInterval(() => void this.renew(task), this.options.leaseMs / 3);
    renewal.unref();
    try {
      await this.probe('leased', task);
      return await this.drive(task);
    } catch (e) {
      if (e instanceof Killed) throw e;
      await this.tools.tasks.release(task.id, task.fence);
      if (e instanceof LeaseLost) return { ran: true, lost: true };
      throw e;
    } finally {
      clearInterval(renewal);
    }
  }

  private async drive(leased: TaskRecord): Promise<RunResult> {
    let task = leased;
    let server = await this.tools.servers.find(task.serverId, { withDeleted: true });
    if (!server) throw internal(`task ${task.id}: server ${task.serverId} has no row`, { code: 'task.server' });
    for (;;) {
      const x: StepContext = { ctx: task.context, task, server, state: task.state, tools: this.tools };
      const at = this.registry.position(task);
      await this.probe('before-step', task);
      const found = await this.work(x, at);
      await this.probe('after-step', task);
      const written = await this.settle(x, at, found);
      await this.probe('written', task);
      if ('at' in written) return { ran: true, ...(written.at === null ? {} : { at: written.at }) };
      ({ task, server } = written);
      if (this.options.stopping()) {
        await this.tools.tasks.release(task.id, task.fence);
        return { ran: true };
      }
    }
  }

  /** Runs the half of the step that is due: a new attempt, the answer that came, or the end of patience. */
  private async work(x: StepContext, at: Position): Promise<Found> {
    const { task } = x;
    const name = at.step.name;
    if (this.tools.clock() >= task.expiresAt)
      return { next: fail('task.expired', `The operation took too long and was given up in step '${name}'`) };
    const { answer } = engineState(task);
    try {
      if (answer) return { next: await (at.work.answered ?? unexpected)(x, answer) };
      if (task.waiting) return { next: await (at.work.silent ?? silence(name, at.step.silenceSeconds))(x) };
      return { next: await at.work.run(x) };
    } catch (e) {
      if (isPassing(e)) return { passing: e };
      this.tools.logger.warn(
        { err: e, task_id: task.id, server_id: task.serverId, step: task.step },
        'task step failed',
      );
      return { next: { kind: 'fail', failure: failureOf(e, name) } };
    }
  }

  private async settle(
    x: StepContext,
    at: Position,
    found: Found,
  ): Promise<{ task: TaskRecord; server: Server } | { at: number | null }> {
    if ('passing' in found) return this.pause(x, at, found.passing);
    const outcome = found.next;
    switch (outcome.kind) {
      case 'next': {
        const next = at.undoing ? this.registry.undoFrom(x.task, at.step, false) : this.registry.after(x.task, at.step);
        if (next !== null) return this.writer.advance(x, at, next, outcome);
        return this.finish(x, at, outcome);
      }
      case 'again':
        return this.writer.advance(x, at, at.undoing ? `${outcome.step}:undo` : outcome.step, outcome);
      case 'wait':
        return this.waitAndSend(x, at, outcome);
      case 'fail':
        return this.failed(x, at, outcome.failure);
    }
  }

  private async finish(x: StepContext, at: Position, outcome: Outcome & { kind: 'next' }): Promise<{ at: null }> {
    const { failure } = engineState(x.task);
    const server = { ...x.server, ...outcome.server };
    const ending: StepContext = { ...x, server, state: { ...x.state, ...outcome.state } };
    const event = this.writer.event(at, { result: 'Success' }, engineState(x.task).host);
    if (failure) await this.writer.end(ending, 'failed', failure, null);
    else await this.writer.end(ending, 'done', null, event);
    return { at: null };
  }

  private async failed(
    x: StepContext,
    at: Position,
    failure: TaskFailure,
  ): Promise<{ task: TaskRecord; server: Server } | { at: null }> {
    if (!at.undoing) return (await this.writer.turnAround(x, at, failure)) ?? { at: null };
    // undoing itself failed: say both stories, and leave the rest to the reconcilers
    const first = engineState(x.task).failure ?? failure;
    const details = `${first.details ?? first.message}\nundo of ${at.step.name} failed: ${failure.details ?? failure.message}`;
    this.tools.logger.error(
      { task_id: x.task.id, server_id: x.task.serverId, step: x.task.step, failure },
      'undoing a task failed',
    );
    await this.writer.end(x, 'failed', { ...first, details }, null, 'abandoned');
    return { at: null };
  }

  private async pause(
    x: StepContext,
    at: Position,
    e: unknown,
  ): Promise<{ task: TaskRecord; server: Server } | { at: number | null }> {
    const retries = engineState(x.task).retries ?? 0;
    const patience = at.undoing ? Infinity : (at.step.patience ?? 8);
    if (retries < patience) return { at: await this.writer.later(x, at) };
    if (isFractusError(e, 'unroutable') && at.work.unreachable)
      return this.settle(x, at, { next: await at.work.unreachable(x) });
    return this.failed(x, at, failureOf(e, at.step.name));
  }

  private async waitAndSend(
    x: StepContext,
    at: Position,
    outcome: Outcome & { kind: 'wait' },
  ): Promise<{ task: TaskRecord; server: Server } | { at: number | null }> {
    const { task, server } = await this.writer.wait(x, at, outcome);
    await this.probe('written', task);
    const operation: OperationRef = {
      taskId: task.id,
      serverId: task.serverId,
      step: task.step,
      attempt: task.attempt,
      fence: task.fence,
      host: outcome.host,
      silenceSeconds: at.step.silenceSeconds,
    };
    try {
      await outcome.send(operation, task.context);
      await this.probe('sent', task);
      return { at: null };
    } catch (e) {
      if (e instanceof Killed) throw e;
      const lease = { owner: this.options.owner, until: this.tools.clock() + this.options.leaseMs };
      if (!(await this.tools.tasks.takeBack(task, lease))) return { at: null };
      const back: StepContext = { ...x, task: { ...task, waiting: false }, server, state: task.state };
      return isPassing(e) ? this.pause(back, at, e) : this.failed(back, at, failureOf(e, at.step.name));
    }
  }

  private async renew(task: TaskRecord): Promise<void> {
    const until = this.tools.clock() + this.options.leaseMs;
    // a failed renewal is noticed at the next write, which proves the lease anyway
    await this.tools.tasks
      .renew(task.id, task.fence, until)
      .catch((err: unknown) => this.tools.logger.warn({ err, task_id: task.id }, 'lease not renewed'));
  }

  private async probe(point: ProbePoint, task: TaskRecord): Promise<void> {
    await this.options.probe?.(point, task);
  }
}

const fail = (code: string, message: string): Outcome => ({ kind: 'fail', failure: { code, message } });
const silence = (step: string, seconds: number) => () =>
  fail('task.silent', `The host was silent for ${seconds} seconds in step '${step}'`);
const unexpected = () => fail('task.answer', 'An answer came that nobody waits for');
