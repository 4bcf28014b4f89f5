/**
 * How an operation on a server begins: one transaction that the API (and conductor, where it acts by itself) ends
 * its checks with. Everything after is the task's. All I/O comes before.
 */
import { randomUUID } from 'node:crypto';
import { type Database, type Tx } from '@fractus/database';
import {
  isFractusError,
  notFound,
  type RequestContext,
  type TaskState,
  type VmState,
  type ProjectId,
  type ServerId,
  type TaskId,
} from '@fractus/objects';
import type { RequestSpec } from '@fractus/rpc-contracts';
import {
  type ActionKey,
  type Allowed,
  type StatePair,
  type TaskType,
  actionRow,
  applyChange,
  lostRace,
} from '@fractus/server-lifecycle';
import { InstanceActionsRepository } from './instance-actions.repository';
import { type QuotaExcess, QuotaUsagesRepository, type QuotaDelta } from './quota-usages.repository';
import { type NewServer, newServerRow, type Server, type ServerPatch } from './server';
import { ServersRepository } from './servers.repository';
import { forUpdate } from './sql';
import type { JsonObject, TaskRecord } from './task-record';
import { TasksRepository } from './tasks.repository';

/** Absolute cap of a task where configuration names none: nothing takes longer than this whatever it reports. */
export const DEFAULT_TASK_CAP_MS = 3_600_000;

export interface NewServerWithSpec {
  readonly server: NewServer;
  readonly spec: RequestSpec;
  /** Handed to the build task (`adminPassword`); wiped when the task ends. */
  readonly input?: JsonObject;
}
export interface BegunServer {
  readonly serverId: ServerId;
  readonly taskId: TaskId;
}
export interface BeginAction {
  readonly server: Server;
  readonly action: ActionKey;
  /** From `evaluate` on this very `server`: the swap expects its states. */
  readonly verdict: Allowed;
  readonly input?: JsonObject;
  /** Fields written with the swap: lock, name, … */
  readonly patch?: ServerPatch;
}
export interface BegunAction {
  /** Null for an action that is done at once, or was under way already. */
  readonly taskId: TaskId | null;
}

interface TaskToAdd {
  readonly id: string;
  readonly type: TaskType;
  readonly server: { readonly id: ServerId; readonly projectId: ProjectId };
  readonly actionId: number;
  readonly input?: JsonObject;
  readonly supersedes?: TaskId;
}

export interface ServerOperationsOptions {
  readonly quota?: QuotaUsagesRepository;
  readonly taskCapMs?: number;
  readonly clock?: () => number;
}

export class ServerOperations {
  private readonly servers: ServersRepository;
  private readonly tasks: TasksRepository;
  private readonly actions: InstanceActionsRepository;
  private readonly quota: QuotaUsagesRepository;
  private readonly clock: () => number;
  private readonly capMs: number;

  constructor(
    private readonly db: Database,
    options: ServerOperationsOptions = {},
  ) {
    this.servers = new ServersRepository(db);
    this.tasks = new TasksRepository(db);
    this.actions = new InstanceActionsRepository(db);
    this.quota = options.quota ?? new QuotaUsagesRepository(db);
    this.clock = options.clock ?? Date.now;
    this.capMs = options.taskCapMs ?? DEFAULT_TASK_CAP_MS;
  }

  /**
   * Creates servers with their specs, action records and build tasks, and takes their quota last: all of it or
   * nothing. With fewer than `all` asked for as `minCount`, quota that does not carry all makes it as many as it
   * carries, if those are at least `minCount`. Throws `forbidden` `quota.*`.
   */
  async create(ctx: RequestContext, all: readonly NewServerWithSpec[], minCount = all.length): Promise<BegunServer[]> {
    try {
      return await this.createAll(ctx, all);
    } catch (e) {
      const fit = isFractusError(e, 'forbidden') ? fitting(all, e.details?.['exceeded']) : 0;
      if (fit < Math.max(1, minCount) || fit >= all.length) throw e;
      return this.create(ctx, all.slice(0, fit), minCount);
    }
  }

  /**
   * Begins an action: swaps the states by compare-and-swap, writes the action record, supersedes the open task where
   * the action may cut in, and creates the action's task. Throws the 409 of `lostRace` when the server has changed
   * since it was evaluated, `not_found` when it is gone.
   */
  async begin(ctx: RequestContext, { server, action, verdict, input, patch }: BeginAction): Promise<BegunAction> {
    if (verdict.already) return { taskId: null };
    const taskId = randomUUID();
    const block = async (tx: Tx): Promise<BegunAction> => {
      const now = this.clock();
      const open = verdict.task === null ? null : await this.tasks.lockOpen(tx, server.id);
      const swap = await this.statesFor(tx, action, server, verdict);
      if (swap === 'already') return { taskId: null };
      if (open) await this.supersede(tx, open, now);
      const swapped = await this.servers.swapState(tx, server.id, swap.from, swap.to, patch ?? {});
      if (!swapped) throw await this.loser(tx, action, server.id);
      const actionId = await this.actions.start(tx, ctx, server.id, actionRow(action).record, now);
      if (verdict.task === null) {
        await this.actions.finish(tx, actionId, 'done', now);
        return { taskId: null };
      }
      return {
        taskId: await this.addTask(
          tx,
          ctx,
          { id: taskId, type: verdict.task, server, actionId, input, supersedes: open?.id },
          now,
        ),
      };
    };
    if (verdict.task === null) return this.db.transaction(block);
    return this.db.transaction(block, { committed: (tx) => this.tasks.isThere(tx, taskId) });
  }

  /** An action that any state allows (delete, lock) never loses a race: it takes the states as they are under lock. */
  private async statesFor(
    tx: Tx,
    action: ActionKey,
    server: Server,
    verdict: Allowed,
  ): Promise<{ from: StatePair; to: StatePair } | 'already'> {
    const row = actionRow(action);
    if (row.vmStates !== 'any' || row.taskStates !== 'any') return { from: server, to: verdict.next };
    const [now] = await tx.query<{ vm_state: VmState; task_state: TaskState | null }>(
      `SELECT vm_state, task_state FROM servers WHERE uuid = ? AND deleted = 0${forUpdate(tx)}`,
      [server.id],
    );
    if (!now) throw await this.loser(tx, action, server.id);
    const from: StatePair = { vmState: now.vm_state, taskState: now.task_state };
    if (from.taskState !== null && row.alreadyIn?.includes(from.taskState)) return 'already';
    return { from, to: applyChange(row.begin, from) };
  }

  private async supersede(tx: Tx, open: TaskRecord, now: number): Promise<void> {
    await this.tasks.supersede(tx, open, now);
    if (open.actionId !== null) await this.actions.finish(tx, open.actionId, 'failed', now);
  }

  private async createAll(ctx: RequestContext, all: readonly NewServerWithSpec[]): Promise<BegunServer[]> {
    const first = all[0]?.server;
    if (!first) return [];
    const block = async (tx: Tx): Promise<BegunServer[]> => {
      const now = this.clock();
      const begun: BegunServer[] = [];
      for (const one of all) begun.push(await this.createOne(tx, ctx, one, now));
      await this.quota.claim(tx, first.projectId, first.userId, total(all));
      return begun;
    };
    return this.db.transaction(block, { committed: (tx) => this.servers.isThere(tx, first.id) });
  }

  private async createOne(
    tx: Tx,
    ctx: RequestContext,
    { server, spec, input }: NewServerWithSpec,
    now: number,
  ): Promise<BegunServer> {
    await tx.insert('servers', newServerRow(server, now));
    await tx.insert('request_specs', { server_uuid: server.id, spec: JSON.stringify(spec) });
    const actionId = await this.actions.start(tx, ctx, server.id, actionRow('create').record, now);
    const task = { id: randomUUID(), type: 'build-server', server, actionId, input } as const;
    return { serverId: server.id, taskId: await this.addTask(tx, ctx, task, now) };
  }

  private async addTask(tx: Tx, ctx: RequestContext, what: TaskToAdd, now: number): Promise<string> {
    const { id, type, server, actionId, input = {}, supersedes = null } = what;
    await this.tasks.insert(
      tx,
      {
        id,
        type,
        serverId: server.id,
        projectId: server.projectId,
        context: ctx,
        actionId,
        input,
        supersedes,
        expiresAt: now + this.capMs,
      },
      now,
    );
    return id;
  }

  private async loser(tx: Tx, action: ActionKey, serverId: string): Promise<Error> {
    const [row] = await tx.query<{ vm_state: Server['vmState']; task_state: Server['taskState']; deleted: number }>(
      'SELECT vm_state, task_state, deleted FROM servers WHERE uuid = ?',
      [serverId],
    );
    if (!row || row.deleted !== 0)
      return notFound(`Instance ${serverId} could not be found.`, { code: 'server.not_found' });
    return lostRace(action, serverId, { vmState: row.vm_state, taskState: row.task_state });
  }
}

function total(all: readonly NewServerWithSpec[]): QuotaDelta {
  const sum = (pick: (one: NewServer) => number): number => all.reduce((n, { server }) => n + pick(server), 0);
  return { instances: all.length, cores: sum((s) => s.flavor.vcpus), ram: sum((s) => s.flavor.memoryMb) };
}

/** How many of these like servers the exceeded limits leave room for. */
function fitting(all: readonly NewServerWithSpec[], exceeded: unknown): number {
  const over = (exceeded ?? []) as QuotaExcess[];
  if (over.length === 0) return 0;
  return Math.min(
    ...over.map(({ requested, used, limit }) => Math.floor(Math.max(0, limit - used) / (requested / all.length))),
  );
}
