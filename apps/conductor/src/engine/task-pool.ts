import type { Logger } from '@fractus/telemetry';
import type { RunResult, TaskRunner } from './task-runner';

export interface PoolOptions {
  /** Tasks run at once. */
  readonly size: number;
  /** Ids kept in memory; beyond it hints are dropped, and the poller finds the tasks again. */
  readonly backlog: number;
  readonly logger: Logger;
  /** The server's next task, when one was taken from us. */
  readonly successor: (taskId: string) => Promise<string | null>;
  readonly clock: () => number;
}

/** Bounded concurrency over tasks: a task runs once at a time here, and once more if it was hinted at meanwhile. */
export class TaskPool {
  private readonly queue = new Set<string>();
  private readonly running = new Map<string, { again: boolean }>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private waiters: (() => void)[] = [];
  private closed = false;

  constructor(
    private readonly runner: TaskRunner,
    private readonly options: PoolOptions,
  ) {}

  /** Room for further ids. */
  get room(): number {
    return Math.max(0, this.options.backlog - this.queue.size);
  }

  add(taskId: string): void {
    if (this.closed) return;
    const run = this.running.get(taskId);
    if (run) run.again = true;
    else if (this.room > 0) this.queue.add(taskId);
    this.pump();
  }

  /** Resolves when nothing runs and nothing is queued. */
  idle(): Promise<void> {
    if (this.running.size === 0 && this.queue.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push(resolve));
  }

  /** Takes nothing more and waits for what runs. */
  async close(): Promise<void> {
    this.closed = true;
    this.queue.clear();
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    await this.idle();
  }

  private pump(): void {
    for (const id of this.queue) {
      if (this.running.size >= this.options.size) return;
      this.queue.delete(id);
      this.running.set(id, { again: false });
      void this.runOne(id);
    }
  }

  private async runOne(id: string): Promise<void> {
    try {
      this.after(id, await this.runner.run(id));
    } catch (err) {
      this.options.logger.error({ err, task_id: id }, 'running a task failed; the poller will find it again');
    } finally {
      const again = this.running.get(id)?.again ?? false;
      this.running.delete(id);
      if (again) this.add(id);
      this.pump();
      if (this.running.size === 0 && this.queue.size === 0) this.waiters.splice(0).forEach((resolve) => resolve());
    }
  }

  private after(id: string, result: RunResult): void {
    if (result.lost) void this.options.successor(id).then((next) => next !== null && this.add(next), () => undefined); // prettier-ignore
    if (result.at === undefined || this.closed) return;
    const timer = setTimeout(
      () => {
        this.timers.delete(timer);
        this.add(id);
      },
      Math.max(0, result.at - this.options.clock()),
    );
    timer.unref();
    this.timers.add(timer);
  }
}
