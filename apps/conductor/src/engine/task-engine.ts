/**
 * The task engine of one conductor process: takes hints, polls for what is due, recovers after a restart, drains.
 */
import type { Database } from '@fractus/database';
import { InstanceActionsRepository, type TaskRecord } from '@fractus/compute-db';
import { TaskPool } from './task-pool';
import { TaskRegistry } from './registry';
import { type ProbePoint, TaskRunner } from './task-runner';
import { TaskWriter } from './task-writer';
import type { TaskDefinition, TaskTools } from './task-definition';

export interface EngineOptions {
  /** Stable over restarts, and of no other running conductor: leases of its former lives are dropped at start. */
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

const BACKLOG = 10_000;

export class TaskEngine {
  readonly registry: TaskRegistry;
  readonly runner: TaskRunner;
  private readonly pool: TaskPool;
  private readonly owner: string;
  private timer: NodeJS.Timeout | undefined;
  private polling: Promise<void> | undefined;
  private stopping = false;

  constructor(
    db: Database,
    private readonly tools: TaskTools,
    definitions: readonly TaskDefinition[],
    private readonly options: EngineOptions,
  ) {
    this.owner = `${options.instance}/${options.incarnation}`;
    this.registry = new TaskRegistry(definitions);
    const writer = new TaskWriter(db, tools, new InstanceActionsRepository(db), this.registry, options.undoCapMs);
    const { leaseMs, probe } = options;
    this.runner = new TaskRunner(tools, writer, this.registry, {
      owner: this.owner,
      leaseMs,
      stopping: () => this.stopping,
      ...(probe ? { probe } : {}),
    });
    this.pool = new TaskPool(this.runner, {
      size: options.concurrency,
      backlog: BACKLOG,
      logger: tools.logger,
      clock: tools.clock,
      successor: (id) => this.successor(id),
    });
  }

  /** Takes up what former lives of this process left, and begins to poll. */
  async start(): Promise<void> {
    await this.recover();
    this.poll();
  }

  /** Drops leases of former lives and wakes every waiting step; see `TasksRepository.recover`. */
  async recover(): Promise<void> {
    const woken = await this.tools.tasks.recover(
      { instance: this.options.instance, current: this.owner },
      this.tools.clock(),
    );
    if (woken > 0) this.tools.logger.info({ woken }, 'waiting tasks are asked about again');
  }

  /** Something may be due for this task. Cheap; may be called for anything. */
  hint(taskId: string): void {
    this.pool.add(taskId);
  }

  /** Looks once at what is due, and takes as much as there is room for. */
  async sweep(): Promise<number> {
    const due = await this.tools.tasks.due(this.tools.clock(), Math.min(this.pool.room, 500));
    for (const id of due) this.pool.add(id);
    return due.length;
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
