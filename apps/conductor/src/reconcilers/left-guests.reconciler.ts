/**
 * Guests that a delete or a failed build left on a host that could not be reached: destroyed once the host is up again.
 * A returning agent asks about its guests itself; this is for the time between its asking and its serving, and for hosts
 * that were merely slow. The agent's answer takes the host off the task's list (handlers/operations).
 */
import { serviceIsUp, type Server, type TaskRecord } from '@fractus/compute-db';
import { isFractusError, systemContext } from '@fractus/objects';
import { hostsLeft } from '../engine/engine-state';
import { LEFT } from '../handlers/operations';
import type { ConductorParts } from '../parts';
import type { Finding, Reconciler } from './reconciler';

const LIMIT = 200;
const SILENCE_SECONDS = 60;

export function leftGuests({ tools }: ConductorParts): Reconciler {
  const ctx = systemContext('req-left-guests');
  return {
    name: 'left-guests',
    async run() {
      await tools.tasks.findLeftGuests(LIMIT);
      const tasks = await tools.tasks.withLeftGuests(LIMIT);
      const servers = new Map((await tools.servers.findMany(tasks.map((t) => t.serverId))).map((s) => [s.id, s]));
      const findings: Finding[] = [];
      for (const task of tasks) {
        const server = servers.get(task.serverId);
        if (!server) continue;
        const busy = (await tools.tasks.openOf(server.id)) !== null;
        for (const host of hostsLeft(task.state)) {
          const why = busy ? 'A task of the server is open: it will see to it.' : await clear(task, server, host);
          findings.push({
            subject: `server ${server.id}`,
            finding: `A guest of it may be left on host ${host}.`,
            acted: why === null,
            outcome: why ?? 'The host is asked to destroy it.',
          });
        }
      }
      return findings;
    },
  };

  /** Null: the host was asked; otherwise why not. */
  async function clear(task: TaskRecord, server: Server, host: string): Promise<string | null> {
    const service = await tools.hosts.computeService(host);
    if (!service || !serviceIsUp(service, tools.clock(), tools.settings.serviceDownMs))
      return 'The host is down: it is asked when it is heard of again.';
    if (!server.deleted && server.host === host) {
      const left = hostsLeft(task.state).filter((other) => other !== host);
      await tools.tasks.amend(task.id, (state) => ({ ...state, left }));
      return 'The server has come to live there since: the guest is its own.';
    }
    const fence = await tools.leases.nextFence(server.id);
    const operation = {
      taskId: task.id,
      serverId: server.id,
      step: LEFT,
      attempt: fence,
      fence,
      host,
      silenceSeconds: SILENCE_SECONDS,
    };
    try {
      await tools.compute.on(host).destroy(ctx, { operation, forever: server.deleted });
      return null;
    } catch (e) {
      if (isFractusError(e, 'unroutable', 'unavailable')) return 'The host could not be reached.';
      throw e;
    }
  }
}
