/**
 * Runs tasks. A run has one leased task and takes it step by step until it waits, pauses or ends.
 *
 *   lease ─ do ─ write ─ do ─ write(wait), let go ─ send …… answer stored ─ lease ─ answered ─ write(end)
 *
 * Whatever is between two writes may be lost and is then done again: by another conductor once the lease has run out,
 * by the same one at once after its restart. What is sent to an agent is sent after the wait was written, so an answer
 * always finds somebody waiting. The wait names its sender until the message is known to be sent: a cast lost in between
 * is sent by another conductor a lease later, or by the same one at its restart.
 */
import type { EndRequest, LeasedTask, Server, TaskRecord } from '@fractus/compute-db';
import { isFractusError } from '@fractus/objects';
import type { OperationRef } from '@fractus/rpc-contracts';
import { engineState } from './engine-state';
import { failureOf, isPassing } from './failures';
import type { LeaseKeeper } from './lease-keeper';
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
  /** Whether to let go at the next step's border. */
  readonly stopping: () => boolean;
  readonly probe?: (point: ProbePoint, task: TaskRecord) => void | Promise<void>;
}

/** What became of a run: `at` says when to come back, where that is known. */
export interface RunResult {
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
    private readonly keeper: LeaseKeeper,
    private readonly options: RunnerOptions,
  ) {}

  async run({ task, server }: LeasedTask): Promise<RunResult> {
    this.keeper.keep(task);
    try {
      await this.probe('leased', task);
      if (!server) return await this.lostServer(task);
      return await this.drive(task, server);
    } catch (e) {
      if (e instanceof Killed) throw e;
      await this.keeper.release(task);
      if (e instanceof LeaseLost) return { lost: true };
      throw e;
    } finally {
      this.keeper.forget(task);
    }
  }

  private async lostServer(task: TaskRecord): Promise<RunResult> {
    this.tools.logger.error({ task_id: task.id, server_id: task.serverId }, 'a task is ended: its server has no row');
    await this.writer.discard(task);
    return {};
  }

  private async drive(leased: TaskRecord, at0: Server): Promise<RunResult> {
    let task = leased;
    let server = at0;
    for (;;) {
      const held = task;
      const x: StepContext = {
        ctx: task.context,
        task,
        server,
        state: task.state,
        tools: this.tools,
        proveLease: () => this.proveLease(held),
      };
      const at = this.registry.position(task);
      await this.probe('before-step', task);
      this.proveLease(task);
      const found = await this.work(x, at);
      await this.probe('after-step', task);
      const written = await this.settle(x, at, found);
      await this.probe('written', task);
      if ('at' in written) return written.at === null ? {} : { at: written.at };
      ({ task, server } = written);
      if (this.options.stopping()) {
        await this.keeper.release(task);
        return {};
      }
    }
  }

  /** Runs the half of the step that is due: a new attempt, the answer that came, or the end of patience. */
  private async work(x: StepContext, at: Position): Promise<Found> {
    const { task } = x;
    const name = at.step.name;
    if (this.tools.clock() >= task.expiresAt)
      return { next: fail('task.expired', `The operation took too long and was given up in step '${name}'`) };
    if (task.endRequest) return { next: abandoned(task.endRequest, name) };
    const { answer } = engineState(task);
    try {
      if (answer) return { next: await (at.work.answered ?? unexpected)(x, answer) };
      if (task.waiting && task.sentBy === null)
        return { next: await (at.work.silent ?? silence(name, at.step.silenceSeconds))(x) };
      return { next: await at.work.run(x) };
    } catch (e) {
      if (e instanceof LeaseLost) throw e;
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

  /** The same again later; a failure once it has lasted too long. `unreached`: nobody serves the host that it was sent to. */
  private async pause(
    x: StepContext,
    at: Position,
    e: unknown,
    unreached = false,
  ): Promise<{ task: TaskRecord; server: Server } | { at: number | null }> {
    const { unreached: before = 0, trouble } = engineState(x.task);
    const now = this.tools.clock();
    const lasted = now - (trouble?.since ?? now);
    const patient = unreached
      ? before < (at.step.unreached ?? 8)
      : (at.step.endless ?? false) || lasted < this.tools.settings.troubleMs;
    if (at.undoing || patient) return { at: await this.writer.later(x, at, e, unreached) };
    if (unreached && at.work.unreachable) return this.settle(x, at, { next: await at.work.unreachable(x) });
    return this.failed(x, at, failureOf(e, at.step.name));
  }

  private async waitAndSend(
    x: StepContext,
    at: Position,
    outcome: Outcome & { kind: 'wait' },
  ): Promise<{ task: TaskRecord; server: Server } | { at: number | null }> {
    const { task, server, silentAt } = await this.writer.wait(x, at, outcome);
    await this.probe('written', task);
    this.proveLease(task);
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
      this.keeper.tookOver({ id: task.id, fence: task.fence, silentAt });
      return { at: null };
    } catch (e) {
      if (e instanceof Killed) throw e;
      const lease = this.keeper.lease(this.tools.clock());
      if (!(await this.tools.leases.takeBack(task, lease))) return { at: null };
      const taken = { ...task, waiting: false, awaitsHost: null, sentBy: null, leaseUntil: lease.until };
      this.keeper.keep(taken);
      const back: StepContext = { ...x, task: taken, server, state: task.state };
      if (isPassing(e)) return this.pause(back, at, e, isFractusError(e, 'unroutable'));
      return this.failed(back, at, failureOf(e, at.step.name));
    }
  }

  /** No effect outside of the database without a lease that is certainly ours; what is written proves it anyway. */
  private proveLease(task: TaskRecord): void {
    if (!this.keeper.holds(task)) throw new LeaseLost(`the lease of task ${task.id} may have run out`);
  }

  private async probe(point: ProbePoint, task: TaskRecord): Promise<void> {
    await this.options.probe?.(point, task);
  }
}

const fail = (code: string, message: string): Outcome => ({ kind: 'fail', failure: { code, message } });
const silence = (step: string, seconds: number) => () =>
  fail('task.silent', `The host was silent for ${seconds} seconds in step '${step}'`);
const abandoned = ({ by, reason }: EndRequest, step: string): Outcome => ({
  kind: 'fail',
  failure: {
    code: 'task.abandoned',
    message: `An operator abandoned the operation in step '${step}'`,
    details: `abandoned by ${by}${reason === null ? '' : `: ${reason}`}`,
  },
});
const unexpected = () => fail('task.answer', 'An answer came that nobody waits for');
