/** What agents say about guests without having been asked to do anything. */
import type { Database } from '@fractus/database';
import { type Server, type ServerOperations, type TaskRecord } from '@fractus/compute-db';
import { type PowerState, type RequestContext, unavailable } from '@fractus/objects';
import type { GuestEvent, GuestVerdict, HostGuest, ReattachHost, ReattachVerdicts } from '@fractus/rpc-contracts';
import { actionRow, guestEffect } from '@fractus/server-lifecycle';
import { engineState } from '../engine/engine-state';
import type { TaskTools } from '../engine/task-definition';

/** An agent asks before it serves a host; sooner than this nobody is there. */
const SERVED_AFTER_MS = 500;

export class Guests {
  constructor(
    private readonly db: Database,
    private readonly tools: TaskTools,
    private readonly operations: ServerOperations,
    private readonly hint: (taskId: string) => void,
  ) {}

  /** What becomes of each guest that a returning agent finds. A guest that no row explains is kept: never destroy what is not understood. */
  async reattach(_ctx: RequestContext, { host, guests }: ReattachHost): Promise<ReattachVerdicts> {
    const ids = guests.map((g) => g.serverId);
    const servers = new Map((await this.tools.servers.findMany(ids)).map((s) => [s.id, s]));
    const busy = await this.tools.tasks.busyAmong(ids);
    for (const id of busy) await this.wake(id, host);
    return { guests: guests.map((guest) => this.verdict(host, guest, servers.get(guest.serverId) ?? null, busy)) };
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
   * Follows, or enforces, by the rows of the lifecycle table. Events of before the last operation's end are stale.
   * While a task is open the event is put off (redelivered), for the task may end in a state it contradicts.
   */
  async event(ctx: RequestContext, event: GuestEvent): Promise<void> {
    const server = await this.tools.servers.find(event.serverId);
    if (!server || server.host !== event.host) return;
    const tasks = await this.tools.tasks.ofServer(server.id);
    if (tasks.some((task) => task.status === 'open'))
      throw unavailable(`server ${server.id} has a task under way`, { code: 'guest.busy' });
    if (event.fence < lastSentFence(tasks)) return;
    const effect = guestEffect(server.vmState, event.powerState as PowerState);
    if (effect.kind === 'enforce') return this.enforce(ctx, server, event.powerState as PowerState);
    const vmState = effect.kind === 'become' ? effect.vmState : server.vmState;
    const { vmState: from, taskState } = server;
    await this.db.transaction((tx) =>
      this.tools.servers.swapState(
        tx,
        server.id,
        { vmState: from, taskState },
        { vmState, taskState },
        { powerState: event.powerState as PowerState },
      ),
    );
  }

  private async enforce(ctx: RequestContext, server: Server, powerState: PowerState): Promise<void> {
    const { begin, task } = actionRow('stop');
    const taskState = begin.taskState === 'same' ? server.taskState : begin.taskState;
    const next = { vmState: server.vmState, taskState };
    const begun = await this.operations.begin(ctx, {
      server,
      action: 'stop',
      verdict: { allowed: true, next, task, already: false },
      patch: { powerState },
    });
    if (begun.taskId !== null) this.hint(begun.taskId);
  }
}

/** The fence of the last operation that an agent was asked for. */
function lastSentFence(tasks: readonly TaskRecord[]): number {
  return Math.max(0, ...tasks.map((task) => engineState(task).sentFence ?? 0));
}
