/** What agents say about guests without having been asked to do anything. */
import { randomUUID } from 'node:crypto';
import type { Database, Tx } from '@fractus/database';
import type { Server, TaskRecord } from '@fractus/compute-db';
import {
  isFractusError,
  POWER_STATES,
  type PowerState,
  type RequestContext,
  systemContext,
  unavailable,
} from '@fractus/objects';
import type { GuestEvent, GuestVerdict, HostGuest, ReattachHost, ReattachVerdicts } from '@fractus/rpc-contracts';
import { actionRow, guestEffect } from '@fractus/server-lifecycle';
import { engineState } from '../engine/engine-state';
import type { TaskTools } from '../engine/task-definition';
import type { Senders } from './senders';

/** An agent asks before it serves a host; sooner than this nobody is there. */
const SERVED_AFTER_MS = 500;
/** How often an event is looked at again because the server has changed meanwhile. */
const MAX_RACES = 5;

export class Guests {
  constructor(
    private readonly db: Database,
    private readonly tools: TaskTools,
    private readonly senders: Senders,
    private readonly hint: (taskId: string) => void,
  ) {}

  /** What becomes of each guest that a returning agent finds. A guest that no row explains is kept: never destroy what is not understood. */
  async reattach(
    ctx: RequestContext,
    { host, guests, at = this.tools.clock() }: ReattachHost,
  ): Promise<ReattachVerdicts> {
    await this.senders.require(ctx, 'reattachHost', host);
    const ids = guests.map((g) => g.serverId);
    const servers = new Map((await this.tools.servers.findMany(ids)).map((s) => [s.id, s]));
    const busy = await this.tools.tasks.busyAmong(ids);
    for (const id of busy) await this.wake(id, host);
    for (const guest of guests) await this.caughtUp(ctx, { host, at }, guest, servers.get(guest.serverId));
    return { guests: guests.map((guest) => this.verdict(host, guest, servers.get(guest.serverId) ?? null, busy)) };
  }

  /**
   * What a guest did while its agent was away is an event that nobody sent. Without a state there is nothing to tell.
   * It happened by the agent's clock (`at`), which the answers that it is held against are from too.
   */
  private async caughtUp(
    ctx: RequestContext,
    { host, at }: Pick<GuestEvent, 'host' | 'at'>,
    { serverId, fence, powerState }: HostGuest,
    server: Server | undefined,
  ): Promise<void> {
    if (
      server?.host !== host ||
      server.deleted ||
      powerState === POWER_STATES.nostate ||
      server.powerState === powerState
    )
      return;
    await this.event(ctx, { serverId, host, fence, powerState, at });
  }

  /** The agent lost what it was doing: what a task awaits from this host is asked for again, once the host is served. */
  private async wake(serverId: string, host: string): Promise<void> {
    const task = await this.tools.tasks.openOf(serverId);
    if (!task?.waiting || engineState(task).host !== host) return;
    const now = this.tools.clock();
    await this.tools.tasks.answer(
      { taskId: task.id, step: task.step, attempt: task.attempt },
      ({ state }) => state,
      now,
      now + SERVED_AFTER_MS,
    );
  }

  private verdict(host: string, guest: HostGuest, server: Server | null, busy: ReadonlySet<string>): GuestVerdict {
    const fence = Math.max(guest.fence, server?.fence ?? 0);
    const say = (verdict: GuestVerdict['verdict']): GuestVerdict => ({ serverId: guest.serverId, verdict, fence });
    if (!server) {
      this.tools.logger.warn({ host, server_id: guest.serverId }, 'a guest without a server is left alone');
      return say('keep');
    }
    if (server.deleted) return say('destroy');
    if (busy.has(server.id)) return say('wait');
    return say(server.host === host ? 'keep' : 'destroy');
  }

  /**
   * Follows, or enforces, by the rows of the lifecycle table. While a task of the server is open the event is kept with
   * it, and looked at in the transaction that ends it: the task may end in a state that the event contradicts, or be
   * what caused it.
   */
  async event(ctx: RequestContext, event: GuestEvent): Promise<void> {
    if (!(await this.senders.owns(ctx, 'guestEvent', event.host))) return;
    for (let attempt = 0; attempt < MAX_RACES; attempt++) {
      const server = await this.tools.servers.find(event.serverId);
      if (server?.host !== event.host)
        return this.senders.notOnHost(ctx, 'guestEvent', { host: event.host, server_id: event.serverId });
      if (await this.tools.tasks.keepGuestEvent(event)) return;
      try {
        if (await this.db.transaction((tx) => this.follow(tx, event))) return;
      } catch (e) {
        // a request has changed the server since it was read: its task keeps the event
        if (!isFractusError(e, 'conflict')) throw e;
      }
    }
    throw unavailable(`server ${event.serverId} changes too often`, { code: 'guest.busy' });
  }

  /**
   * What the event makes of the server, which has no open task: the part of the transaction that ends its task, or one
   * of its own. False: the server has changed since it was read in here.
   */
  async follow(tx: Tx, event: GuestEvent): Promise<boolean> {
    const server = await this.tools.servers.find(event.serverId);
    if (!server || server.host !== event.host) return true;
    if (isStale(event, await this.tools.tasks.ofServer(server.id))) return true;
    const powerState = event.powerState as PowerState;
    const effect = guestEffect(server.vmState, powerState);
    if (effect.kind === 'enforce') return this.enforce(tx, server, powerState);
    const { vmState: from, taskState } = server;
    const vmState = effect.kind === 'become' ? effect.vmState : from;
    return this.tools.servers.swapState(
      tx,
      server.id,
      { vmState: from, taskState },
      { vmState, taskState },
      { powerState },
    );
  }

  private async enforce(tx: Tx, server: Server, powerState: PowerState): Promise<boolean> {
    const { begin, task } = actionRow('stop');
    const taskState = begin.taskState === 'same' ? server.taskState : begin.taskState;
    const next = { vmState: server.vmState, taskState };
    const begun = await this.tools.operations.begin(systemContext(`req-${randomUUID()}`), {
      server,
      action: 'stop',
      verdict: { allowed: true, next, task, already: false },
      patch: { powerState },
    });
    const { taskId } = begun;
    if (taskId !== null) tx.afterCommit(() => this.hint(taskId));
    return true;
  }
}

/**
 * Whether the last operation on the server knows better: of an earlier fence, or from before the last answer of that
 * host (an operation that ends says how the guest is then).
 */
function isStale(event: GuestEvent, tasks: readonly TaskRecord[]): boolean {
  const states = tasks.map(engineState);
  if (event.fence < Math.max(0, ...states.map((s) => s.sentFence ?? 0))) return true;
  return states.some(
    ({ answered }) => answered !== undefined && answered.host === event.host && event.at < answered.at,
  );
}
