/**
 * Deletes a server, in whatever state it and its other tasks are. Nothing here is undone: it goes on until nothing is
 * left, and can be asked for again should it fail.
 *
 * | step        | does                                                                | silence |
 * |-------------|---------------------------------------------------------------------|---------|
 * | guest       | destroys the guest on every host that any task of the server named  | 120 s   |
 * | ports       | deletes the ports made for it, unbinds those that came with it      | –       |
 * | allocations | deletes them by consumer; lower fences are refused from then on     | –       |
 *
 * It starts when the task it superseded has let go (the lease says so). The end, in one transaction: the row is
 * marked deleted and its quota is given back.
 */
import { deltaOf } from '@fractus/compute-db';
import { actionRow } from '@fractus/server-lifecycle';
import { hostsNamed } from '../engine/engine-state';
import { type Outcome, type StepContext, defineTask } from '../engine/task-definition';
import { destroyGuests, type DestroyState } from './destroy-guests';

type X = StepContext<DestroyState>;

const { silenceSeconds } = actionRow('delete');
/** Neighbours that are away do not make a delete fail; the task's cap does. */
const endless = true;

export const deleteServer = defineTask<DestroyState>({
  type: 'delete-server',
  steps: [
    {
      name: 'guest',
      do: destroyGuests({ forever: true, furtherHosts }),
      undo: null,
      silenceSeconds,
      endless,
      unreached: 6,
      event: 'compute_terminate_instance',
    },
    { name: 'ports', do: { run: ports }, undo: null, silenceSeconds: 0, endless },
    { name: 'allocations', do: { run: allocations }, undo: null, silenceSeconds: 0, endless },
  ],
  ended: async (tx, { server, tools }, ended, now) => {
    if (ended !== 'done') return;
    const deleted = await tools.servers.softDelete(tx, server.id, now);
    // a soft-deleted server had given its quota back
    if (deleted && server.vmState !== 'soft-delete')
      await tools.quota.release(tx, server.projectId, server.userId, deltaOf(server.flavor));
  },
});

async function furtherHosts({ server, tools }: X): Promise<string[]> {
  const tasks = await tools.tasks.ofServer(server.id);
  return [...(server.host === null ? [] : [server.host]), ...tasks.flatMap((task) => hostsNamed(task.state))];
}

async function ports({ ctx, server, tools }: X): Promise<Outcome<DestroyState>> {
  await tools.network.releasePorts(ctx, server);
  return { kind: 'next' };
}

async function allocations({ ctx, task, server, tools }: X): Promise<Outcome<DestroyState>> {
  await tools.placement.deleteAllocations(ctx, {
    consumerId: server.id,
    owner: { taskId: task.id, fence: task.fence },
  });
  return { kind: 'next' };
}
