/**
 * Removes allocations that are proven orphans. Proven: seen twice, with a pause that is longer than a task's lease in
 * between, held in the same generation both times, of no server and no migration in progress. The removal carries that
 * generation, so that whoever writes meanwhile wins.
 */
import { isFractusError } from '@fractus/objects';
import { type Api, type AuditedConsumer, type AuditFinding, microversionAtLeast } from '@fractus/operator';
import { type Apis, readConsumer, readMigrations } from './read';

export type Fixed = { readonly fixed: true } | { readonly fixed: false; readonly why: string };

export interface FixOptions {
  /** Consumers whose kind is unknown are this cloud's as well: nobody else uses this Placement. */
  readonly untyped: boolean;
  /** The pause. */
  readonly wait: () => Promise<void>;
}

/** By the id of the consumer. */
export async function removeOrphans(
  apis: Apis,
  findings: readonly AuditFinding[],
  { untyped, wait }: FixOptions,
): Promise<ReadonlyMap<string, Fixed>> {
  const results = new Map<string, Fixed>();
  const open: AuditedConsumer[] = [];
  for (const { kind, consumer, id, byHand } of findings) {
    if (kind !== 'orphan' || !consumer) continue;
    if (byHand === undefined || (untyped && consumer.type === null)) open.push(consumer);
    else results.set(id, { fixed: false, why: byHand });
  }
  if (open.length === 0) return results;
  await wait();
  for (const consumer of open) results.set(consumer.id, await removeOne(apis, consumer));
  return results;
}

async function removeOne({ placement, compute }: Apis, seen: AuditedConsumer): Promise<Fixed> {
  const now = await readConsumer(placement, seen.id);
  if (!now) return { fixed: false, why: 'it is gone by itself' };
  if (now.generation !== seen.generation) return { fixed: false, why: 'it has been written to meanwhile' };
  if (await hasServer(compute, seen.id)) return { fixed: false, why: 'there is a server of that id now' };
  const migrations = await readMigrations(compute);
  if (migrations?.some((m) => m.id === seen.id && m.inProgress))
    return { fixed: false, why: 'there is a migration of that id now' };
  return remove(placement, now);
}

async function hasServer(compute: Api, id: string): Promise<boolean> {
  return (await compute.get(`/servers/${id}`, { accept: [404] })).status !== 404;
}

async function remove(placement: Api, consumer: AuditedConsumer): Promise<Fixed> {
  const { id, projectId, userId, generation, type } = consumer;
  try {
    await placement.put(`/allocations/${id}`, {
      ...{ allocations: {}, project_id: projectId, user_id: userId, consumer_generation: generation },
      // it is gone with what it held: any kind will do where one must be told
      ...(microversionAtLeast(await placement.version(), '1.38') ? { consumer_type: type ?? 'INSTANCE' } : {}),
    });
    return { fixed: true };
  } catch (e) {
    if (!isFractusError(e, 'conflict')) throw e;
    return { fixed: false, why: 'it has been written to meanwhile' };
  }
}
