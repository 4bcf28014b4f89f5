import type { Answered, JsonObject, LeasedTask, TaskLeases, TaskRecord } from '@fractus/compute-db';
import type { Logger } from '@fractus/telemetry';
import type { LeaseKeeper } from './lease-keeper';
import type { RunResult, TaskRunner } from './task-runner';

export interface PoolOptions {
  /** Tasks run at once. */
  readonly size: number;
  /** Ids kept in memory; beyond it hints are dropped, and the poller finds the tasks again. */
  readonly backlog: number;
  readonly leases: TaskLeases;
  readonly keeper: LeaseKeeper;
  readonly logger: Logger;
  /** The server's next task, when one was taken from us. */
  readonly successor: (taskId: string) => Promise<string | null>;
  readonly clock: () => number;
}

/**
 * Bounded concurrency over tasks: leases as many as there is room for, a batch at a time, so that what is beyond it is
 * left to other conductors. A task runs once at a time here, and once more if it was hinted at meanwhile.
 */
export class TaskPool {
  private readonly queue = new Set<string>();
  private readonly running = new Map<string, { again: boolean }>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private waiters: (() => void)[] = [];
  private closed = false;
  /** Batches are leased one after another. */
  private leasing = 0;
  /** Places kept for what is being leased. */
  private reserved = 0;
  private turn: Promise<unknown> = Promise.resolve();
  /** Whether the last look found more than there was room for. */
  private behind = false;

  constructor(
    private readonly runner: TaskRunner,
    private readonly options: PoolOptions,
  ) {}

  /** Something may be due for this task. */
  add(taskId: string): void {
    if (this.closed) return;
    const run = this.running.get(taskId);
    if (run) run.again = true;
    else if (this.queue.size < this.options.backlog) this.queue.add(taskId);
    if (this.leasing === 0) this.pump();
  }

  /** Stores an answer with the task that waits for it, see `TaskLeases.answer`, and goes on with it where there is room. */
  async answer(taskId: string, change: (task: TaskRecord) => JsonObject | null): Promise<Answered> {
    const { leases, keeper } = this.options;
    const take = !this.closed && this.room() > 0 && !this.running.has(taskId);
    try {
      const answered = await this.lease(
        take ? 1 : 0,
        (now) => leases.answer(taskId, change, take ? keeper.lease(now) : null, now),
        ({ leased }) => (leased ? [leased] : []),
      );
      if (answered.stored && !answered.leased) this.add(taskId);
      return answered;
    } finally {
      this.onward();
    }
  }

  /** Looks once at what is due, and takes as much of it as there is room for; returns how much. */
  sweep(): Promise<number> {
    return this.inTurn(async () => {
      const { leases, keeper } = this.options;
      const room = this.room();
      if (this.closed || room === 0) return 0;
      const found = await this.lease(room, (now) => leases.due(keeper.lease(now), now, room, [...this.running.keys()]));
      this.behind = found.length === room;
      return found.length;
    });
  }

  /** Resolves when nothing runs and nothing is queued. */
  idle(): Promise<void> {
    if (this.isIdle()) return Promise.resolve();
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

  private room(): number {
    return Math.max(0, this.options.size - this.running.size - this.reserved);
  }

  /** Leases and runs: so many places are kept while it is found out how many are needed, and none is free in between. */
  private async lease<R = readonly LeasedTask[]>(
    places: number,
    work: (now: number) => Promise<R>,
    leased: (result: R) => readonly LeasedTask[] = (all) => all as readonly LeasedTask[],
  ): Promise<R> {
    this.reserved += places;
    const result = await work(this.options.clock()).catch((e: unknown) => {
      this.reserved -= places;
      throw e;
    });
    this.reserved -= places;
    await this.start(leased(result));
    return result;
  }

  private isIdle(): boolean {
    return this.running.size + this.queue.size + this.leasing + this.reserved === 0;
  }

  private pump(): void {
    if (this.queue.size === 0 || this.room() === 0) return;
    void this.inTurn(async () => {
      const { leases, keeper } = this.options;
      const ids = [...this.queue].slice(0, this.room());
      for (const id of ids) this.queue.delete(id);
      if (ids.length === 0) return;
      await this.lease(ids.length, (now) => leases.these(ids, keeper.lease(now), now));
    }).catch((err: unknown) =>
      this.options.logger.warn({ err }, 'tasks could not be leased; the poller will find them again'),
    );
  }

  private async inTurn<R>(work: () => Promise<R>): Promise<R> {
    this.leasing++;
    const mine = this.turn.then(work);
    this.turn = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      this.leasing--;
      this.onward();
    }
  }

  /** Runs them; resolves at once, or, when the pool was closed meanwhile, when they are let go of. */
  private async start(leased: readonly LeasedTask[]): Promise<void> {
    if (this.closed) await Promise.all(leased.map(({ task }) => this.options.keeper.release(task)));
    else for (const one of leased) void this.runOne(one);
  }

  private async runOne(leased: LeasedTask): Promise<void> {
    const { id } = leased.task;
    // a hint that came before the lease has what it wanted
    this.queue.delete(id);
    this.running.set(id, { again: false });
    try {
      this.after(id, await this.runner.run(leased));
    } catch (err) {
      this.options.logger.error({ err, task_id: id }, 'running a task failed; the poller will find it again');
    } finally {
      const again = this.running.get(id)?.again ?? false;
      this.running.delete(id);
      if (again && !this.closed) this.queue.add(id);
      this.onward();
    }
  }

  /** Something has ended here: there may be room. */
  private onward(): void {
    if (this.leasing === 0) this.pump();
    const roomy = this.room() >= this.options.size / 2;
    if (this.behind && roomy && this.leasing === 0 && !this.closed) {
      this.behind = false;
      this.sweep().catch((err: unknown) => this.options.logger.warn({ err }, 'looking for due tasks failed'));
    }
    if (this.isIdle()) this.waiters.splice(0).forEach((resolve) => resolve());
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
