/**
 * Servers that say something is being done to them while no task is open. Seen twice they are given back to their
 * users: a build or a delete becomes ERROR, with a fault; anything else drops the task_state.
 */
import { type Server } from '@fractus/compute-db';
import type { VmState } from '@fractus/objects';
import type { ConductorParts } from '../parts';
import type { Reconciler } from './reconciler';
import { SeenTwice } from './seen-twice';

const LIMIT = 1000;

const NAME = 'stuck-servers';

export function stuckServers({ tools, options, sightings }: ConductorParts): Reconciler {
  const { database, config } = options;
  const seen = new SeenTwice(NAME, sightings, config.orphanSeconds * 1000, tools.clock);
  return {
    name: NAME,
    async run() {
      const rows = await database.query<{ uuid: string; vm_state: string; task_state: string | null }>(
        "SELECT uuid, vm_state, task_state FROM servers WHERE deleted = 0 AND (task_state IS NOT NULL OR vm_state = 'building') AND NOT EXISTS (SELECT 1 FROM tasks WHERE open_key = servers.uuid) ORDER BY id LIMIT ?",
        [LIMIT],
      );
      const { ripe, notYet } = await seen.judge(new Map(rows.map((row) => [row.uuid, String(row.task_state)])));
      const freed = new Set<string>();
      for (const server of await tools.servers.findMany([...ripe])) if (await free(server)) freed.add(server.id);
      return rows.map(({ uuid, vm_state, task_state }) => ({
        subject: `server ${uuid}`,
        finding: `It is in state '${task_state ?? vm_state}' while no task of it is open.`,
        acted: freed.has(uuid),
        outcome: freed.has(uuid)
          ? 'It is given back to its user, with a fault.'
          : (notYet.get(uuid) ?? 'Something else was begun with it meanwhile.'),
      }));
    },
  };

  async function free(server: Server): Promise<boolean> {
    const lost = server.vmState === 'building' || server.taskState === 'deleting';
    const vmState: VmState = lost ? 'error' : server.vmState;
    return database.transaction(async (tx) => {
      if (await tools.tasks.lockOpen(tx, server.id)) return false;
      if (!(await tools.servers.swapState(tx, server.id, server, { vmState, taskState: null }))) return false;
      const message = `The operation in state '${server.taskState ?? server.vmState}' was lost`;
      await tools.servers.addFault(tx, {
        serverId: server.id,
        code: 500,
        message,
        details: null,
        host: server.host,
        createdAt: tools.clock(),
      });
      tools.logger.warn({ server_id: server.id, task_state: server.taskState }, 'a server was stuck without a task');
      return true;
    });
  }
}
