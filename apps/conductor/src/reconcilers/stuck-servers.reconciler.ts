/**
 * Servers that say something is being done to them while no task is open. Seen twice they are given back to their
 * users: a build or a delete becomes ERROR, with a fault; anything else drops the task_state.
 */
import { type Server } from '@fractus/compute-db';
import type { VmState } from '@fractus/objects';
import type { ConductorParts } from '../parts';
import type { Reconciler } from './index';
import { SeenTwice } from './seen-twice';

const LIMIT = 1000;

export function stuckServers({ tools, options }: ConductorParts): Reconciler {
  const { database, config } = options;
  const seen = new SeenTwice(config.orphanSeconds * 1000, tools.clock);
  return {
    name: 'stuck-servers',
    async run() {
      const rows = await database.query<{ uuid: string; task_state: string }>(
        "SELECT uuid, task_state FROM servers WHERE deleted = 0 AND (task_state IS NOT NULL OR vm_state = 'building') AND NOT EXISTS (SELECT 1 FROM tasks WHERE open_key = servers.uuid) ORDER BY id LIMIT ?",
        [LIMIT],
      );
      const ripe = seen.ripe(new Map(rows.map((row) => [row.uuid, String(row.task_state)])));
      let freed = 0;
      for (const server of await tools.servers.findMany(ripe)) freed += await free(server);
      return freed;
    },
  };

  async function free(server: Server): Promise<number> {
    const lost = server.vmState === 'building' || server.taskState === 'deleting';
    const vmState: VmState = lost ? 'error' : server.vmState;
    return database.transaction(async (tx) => {
      if (await tools.tasks.lockOpen(tx, server.id)) return 0;
      if (!(await tools.servers.swapState(tx, server.id, server, { vmState, taskState: null }))) return 0;
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
      return 1;
    });
  }
}
