/**
 * Servers against allocations. A server that lives on a host must hold resources there, or the host is filled twice;
 * after a restore of two databases of different moments some do not. (The other way round, allocations without a
 * server, conductors put right by themselves.) What is missing is claimed again as a build would claim it, on the
 * server's own host alone, and only where the server still holds nothing: whoever writes meanwhile wins.
 */
import { type Server, ServersRepository, TasksRepository } from '@fractus/compute-db';
import type { Database } from '@fractus/database';
import { isFractusError, systemContext } from '@fractus/objects';
import { holdingOf, sentenceOf } from '@fractus/operator';
import type { AllocationResources, Client, ConsumerRecord, placementContract } from '@fractus/rpc-contracts';
import { buildResourceRequest } from '@fractus/scheduling';

type Placement = Client<typeof placementContract>;

const PAGE = 500;
const ctx = systemContext('req-doctor');

export interface Misplaced {
  readonly server: Server;
  /** `none`: it holds nothing. `elsewhere`: it does, but nothing on its own host. */
  readonly holds: 'none' | 'elsewhere';
}

/** Servers at rest (on a host, without an open task) that hold nothing there. */
export async function misplaced(database: Database, placement: Placement): Promise<Misplaced[]> {
  // servers first: one that is built while we look has its allocation by the time we ask for that
  const settled = await settledServers(database);
  const holders = await consumers(placement);
  const found: Misplaced[] = [];
  for (const { id, nodeId } of settled) {
    const allocations = holders.get(id)?.allocations ?? {};
    const holds = holdingOf(nodeId, allocations);
    if (holds === 'here') continue;
    const server = await stillSettled(database, id, nodeId);
    if (server) found.push({ server, holds });
  }
  return found;
}

async function settledServers(database: Database): Promise<{ id: string; nodeId: string }[]> {
  const rows = await database.query<{ uuid: string; node_id: string }>(
    `SELECT uuid, node_id FROM servers WHERE deleted = 0 AND host IS NOT NULL AND node_id IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM tasks WHERE open_key = servers.uuid) ORDER BY id`,
  );
  return rows.map((row) => ({ id: row.uuid, nodeId: row.node_id }));
}

/** The server as it is now; null when somebody is at work on it, or has been since. */
async function stillSettled(database: Database, id: string, nodeId: string): Promise<Server | null> {
  const server = await new ServersRepository(database).find(id);
  if (!server || server.nodeId !== nodeId) return null;
  return (await new TasksRepository(database).openOf(id)) ? null : server;
}

async function consumers(placement: Placement): Promise<Map<string, ConsumerRecord>> {
  const all = new Map<string, ConsumerRecord>();
  let marker: string | undefined;
  for (;;) {
    const page = await placement.listConsumers(ctx, { limit: PAGE, ...(marker === undefined ? {} : { marker }) });
    for (const consumer of page.consumers) all.set(consumer.consumerId, consumer);
    marker = page.consumers.at(-1)?.consumerId;
    if (page.consumers.length < PAGE) return all;
  }
}

export type Healed = { readonly healed: true } | { readonly healed: false; readonly why: string };

/** Claims on the server's host what its flavor asks for. */
export async function heal({ server, holds }: Misplaced, placement: Placement): Promise<Healed> {
  if (holds === 'elsewhere')
    return { healed: false, why: 'it holds resources of another provider: see to that by hand' };
  const built = buildResourceRequest({ ...NOTHING_ASKED, ...wantedBy(server) });
  if (!built.ok) return { healed: false, why: built.reason.sentence };
  const inTree = server.nodeId ?? '';
  // the guest is there already: traits and zones have no say any more
  const groups = built.query.groups
    .filter((g) => Object.keys(g.resources).length > 0)
    .map((g) => ({ ...g, inTree, required: [], forbidden: [], anyOf: [], memberOf: [], notMemberOf: [] }));
  const { candidates } = await placement.getCandidates(ctx, {
    groups,
    ...(built.query.groupPolicy ? { groupPolicy: built.query.groupPolicy } : {}),
    ...{ sameSubtree: [], rootRequired: [], rootForbidden: [], limit: 1 },
  });
  const allocations = candidates[0]?.allocations;
  if (!allocations)
    return { healed: false, why: `host ${server.host} has no room for it in Placement: it is overfull` };
  return claim(server, allocations, placement);
}

async function claim(
  { id, projectId, userId }: Server,
  allocations: Record<string, AllocationResources>,
  placement: Placement,
): Promise<Healed> {
  try {
    const consumer = { consumerId: id, consumerGeneration: null, projectId, userId, consumerType: 'INSTANCE' };
    await placement.writeAllocations(ctx, { consumers: [{ ...consumer, allocations }] });
    return { healed: true };
  } catch (e) {
    if (!isFractusError(e, 'conflict', 'invalid')) throw e;
    return { healed: false, why: sentenceOf(e) };
  }
}

const NOTHING_ASKED = {
  ...{ availabilityZone: null, requestedHost: null, requestedNode: null, schedulerHints: {}, excludeHosts: [] },
};
const wantedBy = (server: Server) => ({
  ...{ serverId: server.id, projectId: server.projectId, flavor: server.flavor },
  ...{ image: server.image, bootFromVolume: server.image === null },
});
