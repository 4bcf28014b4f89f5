/**
 * Guests that a delete or a failed build left on a host that could not be reached: destroyed once the host is up again.
 * A returning agent asks about its guests itself; this is for the time between its asking and its serving, and for hosts
 * that were merely slow. The agent's answer takes the host off the task's list (handlers/operations).
 *
 * A pass goes through a bounded number of tasks, oldest first, and the next goes on behind it, from the beginning after
 * the last: what cannot be cleared for now keeps nobody else waiting.
 */
import { serviceIsUp, type Server, type Service, type TaskRecord } from '@fractus/compute-db';
import { isFractusError, systemContext } from '@fractus/objects';
import { hostsLeft } from '../engine/engine-state';
import { LEFT } from '../handlers/operations';
import type { ConductorParts } from '../parts';
import type { Finding, Reconciler } from './reconciler';

const SILENCE_SECONDS = 60;
const UNREACHED = 'The host could not be reached.';

export interface LeftGuestsLimits {
  /** Tasks read at a time. */
  readonly page: number;
  /** Of a pass. */
  readonly pages: number;
}

/** What a pass knows of the hosts. */
interface Hosts {
  readonly services: Map<string, Service>;
  /** Could not be reached a moment ago: not tried again for each of their guests. */
  readonly unreached: Set<string>;
}

export function leftGuests(
  { tools }: ConductorParts,
  { page, pages }: LeftGuestsLimits = { page: 200, pages: 20 },
): Reconciler {
  const ctx = systemContext('req-left-guests');
  /** The task that was looked at last, while there may be more. */
  let after: string | undefined;
  return {
    name: 'left-guests',
    async run() {
      await tools.tasks.findLeftGuests(page);
      const unreached = new Set<string>();
      const findings: Finding[] = [];
      for (let n = 0; n < pages; n++) {
        const tasks = await tools.tasks.withLeftGuests(page, after);
        // before they are looked at: one that fails is not met again by every pass
        after = tasks.length < page ? undefined : tasks.at(-1)?.id;
        findings.push(...(await look(tasks, unreached)));
        if (after === undefined) break;
      }
      return findings;
    },
  };

  async function look(tasks: readonly TaskRecord[], unreached: Set<string>): Promise<Finding[]> {
    const ids = tasks.map((task) => task.serverId);
    const servers = new Map((await tools.servers.findMany(ids)).map((s) => [s.id, s]));
    const busy = await tools.tasks.busyAmong(ids);
    const names = [...new Set(tasks.flatMap((task) => hostsLeft(task.state)))];
    const hosts = { services: await tools.hosts.computeServices(names), unreached };
    const findings: Finding[] = [];
    for (const task of tasks) {
      const server = servers.get(task.serverId);
      if (!server) continue;
      for (const host of hostsLeft(task.state)) {
        const why = busy.has(server.id)
          ? 'A task of the server is open: it will see to it.'
          : await clear(task, server, host, hosts);
        findings.push({
          subject: `server ${server.id}`,
          finding: `A guest of it may be left on host ${host}.`,
          acted: why === null,
          outcome: why ?? 'The host is asked to destroy it.',
        });
      }
    }
    return findings;
  }

  /** Null: the host was asked; otherwise why not. */
  async function clear(task: TaskRecord, server: Server, host: string, hosts: Hosts): Promise<string | null> {
    const service = hosts.services.get(host);
    if (!service || !serviceIsUp(service, tools.clock(), tools.settings.serviceDownMs))
      return 'The host is down: it is asked when it is heard of again.';
    if (!server.deleted && server.host === host) {
      await tools.tasks.amend(task.id, (state) => ({ ...state, left: hostsLeft(state).filter((h) => h !== host) }));
      return 'The server has come to live there since: the guest is its own.';
    }
    if (hosts.unreached.has(host)) return UNREACHED;
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
      if (!isFractusError(e, 'unroutable', 'unavailable')) throw e;
      hosts.unreached.add(host);
      return UNREACHED;
    }
  }
}
