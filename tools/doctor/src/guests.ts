/**
 * A guest that no server explains. Agents and conductors never destroy what they do not understand; an operator who
 * knows what it is may. The host's agent is asked as a task would ask it: its journal, its order, its answer are the same.
 */
import { randomUUID } from 'node:crypto';
import { type Server, ServersRepository, TaskLeases, TasksRepository } from '@fractus/compute-db';
import { conflict, systemContext } from '@fractus/objects';
import { rpcHostClient } from '@fractus/rpc';
import { computeContract } from '@fractus/rpc-contracts';
import type { Patient } from './patient';

const SILENCE_SECONDS = 60;
/** Above every fence that a server without a row can have had; it never gets another. */
const LAST_FENCE = Number.MAX_SAFE_INTEGER;

/**
 * Has the guest destroyed; resolves when the host's agent has been asked. `conflict` `doctor.guest` where the server
 * lives on that host, or is being worked on: it is to be deleted, not its guest.
 */
export async function destroyGuest(patient: Patient, serverId: string, host: string): Promise<void> {
  const database = await patient.compute();
  const server = await new ServersRepository(database).find(serverId, { withDeleted: true });
  if (server) refuse(server, host, await new TasksRepository(database).openOf(serverId));
  const fence = server ? await new TaskLeases(database).nextFence(serverId) : LAST_FENCE;
  const named = { taskId: randomUUID(), serverId, step: 'operator', attempt: 1 };
  const agent = rpcHostClient(await patient.broker(), computeContract).on(host);
  await agent.destroy(systemContext('req-doctor'), {
    operation: { ...named, fence, host, silenceSeconds: SILENCE_SECONDS },
    forever: !server || server.deleted,
  });
}

function refuse(server: Server, host: string, task: object | null): void {
  if (task) throw conflict(`server ${server.id} is being worked on`, { code: 'doctor.guest' });
  if (!server.deleted && server.host === host)
    throw conflict(`server ${server.id} lives on ${host}: delete the server`, { code: 'doctor.guest' });
}
