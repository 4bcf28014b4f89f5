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
import type { Reconciler } from './index';

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
      let asked = 0;
      for (const task of tasks) {
        const server = servers.get(task.serverId);
        if (!server || (await tools.tasks.openOf(server.id))) continue;
        for (const host of hostsLeft(task.state)) asked += await clear(task, server, host);
      }
      return asked;
    },
  };

  async function clear(task: TaskRecord, server: Server, host: string): Promise<number> {
    const service = await tools.hosts.computeService(host);
    if (!service || !serviceIsUp(service, tools.clock(), tools.settings.serviceDownMs)) return 0;
    // the server has come to live there since: the guest is its own
    if (!server.deleted && server.host === host) return 0;
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
      return 1;
    } catch (e) {
      if (isFractusError(e, 'unroutable', 'unavailable')) return 0;
      throw e;
    }
  }
}
