/** Rows of consumers and what they hold, inside a write unit. */
import { placeholders, type Database } from '@fractus/database';
import { conflict } from '@fractus/objects';
import type { WriteUnit } from './write-unit';

export interface ConsumerRow {
  readonly id: number;
  readonly uuid: string;
  /** 0 for a row that this unit has just made. */
  readonly generation: number;
  readonly project_id: string;
  readonly user_id: string;
  readonly consumer_type: string | null;
}

export interface HeldRow {
  readonly consumer_id: number;
  readonly provider_id: number;
  readonly resource_class_id: number;
  readonly used: number;
}

interface ConsumerFacts {
  readonly uuid: string;
  readonly projectId: string;
  readonly userId: string;
  readonly consumerType?: string;
}

/** Locks the consumers, in order of uuid; those that do not exist are made, with generation 0. */
export async function lockConsumers(
  unit: WriteUnit,
  wanted: readonly ConsumerFacts[],
): Promise<Map<string, ConsumerRow>> {
  const sorted = [...wanted].sort((a, b) => (a.uuid < b.uuid ? -1 : 1));
  if (sorted.length === 0) return new Map();
  const columns = 'uuid, generation, project_id, user_id, consumer_type, created_at, updated_at';
  const values = sorted.map(() => '(?, 0, ?, ?, ?, ?, ?)').join(', ');
  const params = sorted.flatMap((c) => [c.uuid, c.projectId, c.userId, c.consumerType ?? null, unit.now, unit.now]);
  // an insert that leaves an existing row alone locks either; a SELECT of a missing row would lock a gap and deadlock
  await unit.tx.execute(
    unit.tx.dialect === 'mysql'
      ? `INSERT INTO consumers (${columns}) VALUES ${values} ON DUPLICATE KEY UPDATE uuid = consumers.uuid`
      : `INSERT INTO consumers (${columns}) VALUES ${values} ON CONFLICT (uuid) DO NOTHING`,
    params,
  );
  return findConsumers(
    unit,
    sorted.map((c) => c.uuid),
  );
}

/** Locks those that exist. */
export async function findConsumers(unit: WriteUnit, uuids: readonly string[]): Promise<Map<string, ConsumerRow>> {
  if (uuids.length === 0) return new Map();
  const rows = await unit.tx.query<ConsumerRow>(
    `SELECT id, uuid, generation, project_id, user_id, consumer_type FROM consumers WHERE uuid IN (${placeholders(uuids)}) ORDER BY uuid${unit.forUpdate}`,
    [...uuids],
  );
  return new Map(rows.map((r) => [r.uuid, { ...r, id: Number(r.id), generation: Number(r.generation) }]));
}

export async function readHeld(unit: WriteUnit, consumerIds: readonly number[]): Promise<HeldRow[]> {
  if (consumerIds.length === 0) return [];
  const rows = await unit.tx.query<HeldRow>(
    `SELECT consumer_id, provider_id, resource_class_id, used FROM allocations WHERE consumer_id IN (${placeholders(consumerIds)})${unit.forUpdate}`,
    [...consumerIds],
  );
  return rows.map((r) => ({
    consumer_id: Number(r.consumer_id),
    provider_id: Number(r.provider_id),
    resource_class_id: Number(r.resource_class_id),
    used: Number(r.used),
  }));
}

/** Brings project, user and type up to date and raises the generation. */
export async function saveConsumers(
  unit: WriteUnit,
  writes: readonly ConsumerFacts[],
  rows: ReadonlyMap<string, ConsumerRow>,
): Promise<void> {
  for (const write of writes) {
    const row = rows.get(write.uuid);
    if (!row) continue;
    await unit.tx.execute(
      'UPDATE consumers SET generation = generation + 1, project_id = ?, user_id = ?, consumer_type = ?, updated_at = ? WHERE id = ?',
      [write.projectId, write.userId, write.consumerType ?? row.consumer_type, unit.now, row.id],
    );
  }
}

export async function deleteConsumerRows(unit: WriteUnit, ids: readonly number[]): Promise<void> {
  if (ids.length) await unit.tx.execute(`DELETE FROM consumers WHERE id IN (${placeholders(ids)})`, [...ids]);
}

/** Remembers the fence; one lower than the highest ever seen for the consumer is refused. */
export async function raiseFence(
  unit: WriteUnit,
  consumerUuid: string,
  owner: { taskId: string; fence: number },
): Promise<void> {
  const mysql = unit.tx.dialect === 'mysql';
  const params = [consumerUuid, owner.taskId, owner.fence, unit.now];
  await unit.tx.execute(
    mysql
      ? 'INSERT INTO consumer_fences (consumer_uuid, task_id, fence, updated_at) VALUES (?, ?, ?, ?) ON DUPLICATE KEY UPDATE consumer_uuid = consumer_fences.consumer_uuid'
      : 'INSERT INTO consumer_fences (consumer_uuid, task_id, fence, updated_at) VALUES (?, ?, ?, ?) ON CONFLICT (consumer_uuid) DO NOTHING',
    params,
  );
  const { affected } = await unit.tx.execute(
    'UPDATE consumer_fences SET task_id = ?, fence = ?, updated_at = ? WHERE consumer_uuid = ? AND fence <= ?',
    [owner.taskId, owner.fence, unit.now, consumerUuid, owner.fence],
  );
  if (affected === 0) {
    throw conflict(`consumer ${consumerUuid} has been claimed under a higher fence than ${owner.fence}`, {
      code: 'claim.stale_fence',
      details: { fence: owner.fence },
    });
  }
}

/** Forgets fences that nobody has raised since, of consumers that are gone: no task lives that long. */
export async function trimFences(db: Database, before: number): Promise<number> {
  return db.transaction(async (tx) => {
    const { affected } = await tx.execute(
      'DELETE FROM consumer_fences WHERE updated_at < ? AND NOT EXISTS (SELECT 1 FROM consumers c WHERE c.uuid = consumer_fences.consumer_uuid)',
      [before],
    );
    return affected;
  });
}
