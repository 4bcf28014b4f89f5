/**
 * The task engine of one conductor process: takes hints, polls for what is due, recovers after a restart, drains.
 */
import type { Database } from '@fractus/database';
import { type Answered, InstanceActionsRepository, type JsonObject, type TaskRecord } from '@fractus/compute-db';
import { LeaseKeeper } from './lease-keeper';
import { TaskPool } from './task-pool';
import { TaskRegistry } from './registry';
import { type ProbePoint, TaskRunner } from './task-runner';
import { TaskWriter, type WriterOptions } from './task-writer';
import type { TaskDefinition, TaskTools } from './task-definition';

export interface EngineOptions {
  /** Stable over restarts, and of no other running conductor: leases of its former lives are dropped at start. No `/`. */
  readonly instance: string;
  /** Epoch ms of this life's start. */
  readonly incarnation: number;
  /** Milliseconds that a lease holds without a renewal. */
  readonly leaseMs: number;
  /** Milliseconds between looks at the table. */
  readonly pollMs: number;
  /** Tasks run at once. */
  readonly concurrency: number;
  /** Milliseconds that undoing may take beyond a task's own cap. */
  readonly undoCapMs: number;
  /** For harnesses: called at fixed places of every run. */
  readonly probe?: (point: ProbePoint, task: TaskRecord) => void | Promise<void>;
}

/** A time in which no conductor lived: since when, epoch ms, or null where that is not known. */
export interface Idle {
  readonly since: number | null;
}

const BACKLOG = 10_000;

export class TaskEngine {
  readonly registry: TaskRegistry;
  readonly keeper: LeaseKeeper;
  private readonly runner: TaskRunner;
  private readonly pool: TaskPool;
  private timer: NodeJS.Timeout | undefined;
  private polling: Promise<void> | undefined;
  private stopping = false;
  /** The last look failed: while the database is away no sign of life is heard. */
  private blind = false;

  constructor(
    db: Database,
    private readonly tools: TaskTools,
    definitions: readonly TaskDefinition[],
    private readonly options: EngineOptions,
    guestEvent: WriterOptions['guestEvent'],
  ) {
    const { leases, clock, logger } = tools;
    const { instance, incarnation, leaseMs, undoCapMs, probe } = options;
    this.registry = new TaskRegistry(definitions);
    const keeper = new LeaseKeeper({ owner: `${instance}/${incarnation}`, leaseMs, leases, clock, logger });
    this.keeper = keeper;
    const writer = new TaskWriter(db, tools, new InstanceActionsRepository(db), this.registry, {
      undoCapMs,
      lease: (now) => keeper.lease(now),
      guestEvent,
    });
    const stopping = (): boolean => this.stopping;
    this.runner = new TaskRunner(tools, writer, this.registry, keeper, { stopping, ...(probe ? { probe } : {}) });
    this.pool = new TaskPool(this.runner, {
      size: options.concurrency,
      backlog: BACKLOG,
      leases,
      keeper,
      logger,
      clock,
      successor: (id) => this.successor(id),
    });
  }

  /**
   * Before `start`. Drops leases of former lives of this instance, and has sent what they may not have sent. After a time in which no
   * conductor lived (`idle`), also wakes every waiting step and gives tasks the time back: see `TaskLeases.revive`.
   */
  async recover(idle?: Idle): Promise<void> {
    const { leases, clock, logger } = this.tools;
    const owner = { instance: this.options.instance, current: this.keeper.owner };
    const taken = await leases.recover(owner, clock());
    const woken = idle ? await leases.revive(idle.since, clock()) : 0;
    if (taken + woken > 0) logger.info({ taken, woken }, 'tasks of before are taken up');
  }

  /** Begins to poll, and to renew what it holds. */
  start(): void {
    this.keeper.start();
    this.poll();
  }

  /** Something may be due for this task. Cheap; may be called for anything. */
  hint(taskId: string): void {
    this.pool.add(taskId);
  }

  /** Stores an answer with the task that waits for it, and goes on with it here where there is room. */
  answer(taskId: string, change: (task: TaskRecord) => JsonObject | null): Promise<Answered> {
    return this.pool.answer(taskId, change);
  }

  /**
   * Looks once at what is due, and takes as much as there is room for; returns how much. What seems to have fallen silent
   * since the last look that succeeded is asked for again.
   */
  async sweep(): Promise<number> {
    try {
      if (this.blind) await this.tools.leases.askAgain(this.keeper.owner, this.tools.clock());
      this.blind = false;
      return await this.pool.sweep();
    } catch (e) {
      this.blind = true;
      throw e;
    }
  }

  /** Runs one task here and now, beside the pool, as far as it goes; false when it could not be leased. For harnesses. */
  async runNow(taskId: string): Promise<boolean> {
    const now = this.tools.clock();
    const leased = await this.tools.leases.one(taskId, this.keeper.lease(now), now);
    if (leased) await this.runner.run(leased);
    return leased !== null;
  }

  /** Resolves when nothing runs here. */
  idle(): Promise<void> {
    return this.pool.idle();
  }

  /** Takes nothing more; what runs stops at its next step's border and lets go. */
  async close(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.timer);
    await this.polling;
    await this.pool.close();
    await this.keeper.close();
  }

  private poll(): void {
    if (this.stopping) return;
    this.polling = this.sweep()
      .then(
        () => undefined,
        (err: unknown) => this.tools.logger.warn({ err }, 'looking for due tasks failed'),
      )
      .then(() => {
        if (this.stopping) return;
        this.timer = setTimeout(() => this.poll(), this.options.pollMs);
        this.timer.unref();
      });
  }

  private async successor(taskId: string): Promise<string | null> {
    const task = await this.tools.tasks.find(taskId);
    return task ? ((await this.tools.tasks.openOf(task.serverId))?.id ?? null) : null;
  }
}
