/** Rows of consumers and what they hold, inside a write unit. */
import { placeholders, type Database } from '@fractus/database';
import { conflict } from '@fractus/objects';
import type { WriteUnit } from './write-unit';

export interface ConsumerRow {
  readonly id: number;
  readonly uuid: string;
  /** Before this write; 0 for a consumer that it has made. */
  readonly generation: number;
  readonly consumerType: string | null;
  readonly held: readonly HeldRow[];
}

export interface HeldRow {
  readonly consumerId: number;
  readonly providerId: number;
  readonly classId: number;
  readonly used: number;
}

export interface ConsumerFacts {
  readonly uuid: string;
  readonly projectId: string;
  readonly userId: string;
  /** Undefined keeps what is there. */
  readonly consumerType?: string;
}

/**
 * Locks the consumers, in order of uuid, by writing what they are from now on: those that do not exist are made, the
 * generation of the others is raised. A SELECT of a missing row would lock nothing, and two might make the same one.
 */
export async function saveConsumers(
  unit: WriteUnit,
  wanted: readonly ConsumerFacts[],
): Promise<Map<string, ConsumerRow>> {
  const sorted = [...wanted].sort((a, b) => (a.uuid < b.uuid ? -1 : 1));
  const [first] = sorted;
  if (!first) return new Map();
  const mysql = unit.tx.dialect === 'mysql';
  const values = sorted.map(() => '(?, 1, ?, ?, ?, ?, ?)').join(', ');
  const { affected, insertId } = await unit.tx.execute(
    `INSERT INTO consumers (uuid, generation, project_id, user_id, consumer_type, created_at, updated_at) VALUES ${values} ${mysql ? SAVE_MYSQL : SAVE_SQLITE}`,
    sorted.flatMap((c) => [c.uuid, c.projectId, c.userId, c.consumerType ?? null, unit.now, unit.now]),
  );
  // MySQL counts an update as two rows: a server's first claim needs no second look
  if (mysql && sorted.length === 1 && affected === 1) {
    const { uuid, consumerType = null } = first;
    return new Map([[uuid, { id: insertId, uuid, generation: 0, consumerType, held: [] }]]);
  }
  return readConsumers(
    unit,
    sorted.map((c) => c.uuid),
  );
}

const SAVE_MYSQL = `ON DUPLICATE KEY UPDATE generation = generation + 1, project_id = VALUES(project_id), user_id = VALUES(user_id),
  consumer_type = COALESCE(VALUES(consumer_type), consumer_type), updated_at = VALUES(updated_at)`;
const SAVE_SQLITE = `ON CONFLICT (uuid) DO UPDATE SET generation = generation + 1, project_id = excluded.project_id, user_id = excluded.user_id,
  consumer_type = COALESCE(excluded.consumer_type, consumer_type), updated_at = excluded.updated_at`;

interface Line {
  id: number;
  uuid: string;
  generation: number;
  consumer_type: string | null;
  provider_id: number | null;
  resource_class_id: number;
  used: number;
}

/** What was just saved, with what it holds. */
async function readConsumers(unit: WriteUnit, uuids: readonly string[]): Promise<Map<string, ConsumerRow>> {
  const lines = await unit.tx.query<Line>(
    `SELECT c.id, c.uuid, c.generation, c.consumer_type, a.provider_id, a.resource_class_id, a.used
     FROM consumers c LEFT JOIN allocations a ON a.consumer_id = c.id WHERE c.uuid IN (${placeholders(uuids)})`,
    [...uuids],
  );
  const found = new Map<string, ConsumerRow & { held: HeldRow[] }>();
  for (const line of lines) {
    const { uuid, consumer_type: consumerType } = line;
    const id = Number(line.id);
    let row = found.get(uuid);
    if (!row) found.set(uuid, (row = { id, uuid, consumerType, generation: Number(line.generation) - 1, held: [] }));
    if (line.provider_id === null) continue;
    row.held.push({
      consumerId: id,
      providerId: Number(line.provider_id),
      classId: Number(line.resource_class_id),
      used: Number(line.used),
    });
  }
  return found;
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
  const { affected, insertId } = await unit.tx.execute(
    `INSERT INTO consumer_fences (consumer_uuid, task_id, fence, updated_at) VALUES (?, ?, ?, ?) ${mysql ? RAISE_MYSQL : RAISE_SQLITE}`,
    [consumerUuid, owner.taskId, owner.fence, unit.now],
  );
  if (mysql ? insertId === 0 : affected > 0) return;
  throw conflict(`consumer ${consumerUuid} has been claimed under a higher fence than ${owner.fence}`, {
    code: 'claim.stale_fence',
    details: { fence: owner.fence },
  });
}

/** The table generates no ids: a higher fence is told as the last one, and an affected row tells nothing here. */
const RAISE_MYSQL = `ON DUPLICATE KEY UPDATE task_id = IF(fence <= VALUES(fence), VALUES(task_id), task_id),
  updated_at = IF(fence <= VALUES(fence), VALUES(updated_at), updated_at),
  fence = IF(fence <= VALUES(fence), VALUES(fence), LAST_INSERT_ID(fence))`;
const RAISE_SQLITE = `ON CONFLICT (consumer_uuid) DO UPDATE SET task_id = excluded.task_id, fence = excluded.fence, updated_at = excluded.updated_at
  WHERE fence <= excluded.fence`;

/** Forgets fences that nobody has raised since, of consumers that are gone: no task lives that long. */
export async function trimFences(db: Database, before: number): Promise<number> {
  const { affected } = await db.execute(
    'DELETE FROM consumer_fences WHERE updated_at < ? AND NOT EXISTS (SELECT 1 FROM consumers c WHERE c.uuid = consumer_fences.consumer_uuid)',
    [before],
  );
  return affected;
}
