/** The end of a consumer: all that it holds is given back. The generation of providers stays, as upstream has it. */
import { placeholders } from '@fractus/database';
import { conflict } from '@fractus/objects';
import { deleteConsumerRows, raiseFence } from '../store/consumers';
import { CONCURRENT_UPDATE, type WriteUnit } from '../store/write-unit';
import type { ClaimOwner } from './allocations.types';

interface Line {
  id: number;
  generation: number;
  provider_id: number | null;
  resource_class_id: number;
  used: number;
  root_id: number;
  provider_generation: number;
  provider_revision: number;
}

/** False when it held nothing. With an owner, later writes of lower fences are refused either way. */
export async function release(
  unit: WriteUnit,
  uuid: string,
  { owner, generation }: { owner?: ClaimOwner; generation?: number },
): Promise<boolean> {
  // one locking read in the order of all writers: the consumer, then its providers in the order of its rows, by id
  const lines = await unit.tx.query<Line>(
    `SELECT c.id, c.generation, a.provider_id, a.resource_class_id, a.used, p.root_id, p.generation AS provider_generation,
       p.revision AS provider_revision
     FROM consumers c LEFT JOIN allocations a ON a.consumer_id = c.id LEFT JOIN resource_providers p ON p.id = a.provider_id
     WHERE c.uuid = ?${unit.forUpdate}`,
    [uuid],
  );
  if (owner) await raiseFence(unit, uuid, owner);
  const [consumer] = lines;
  if (!consumer) return false;
  if (generation !== undefined && generation !== Number(consumer.generation)) {
    throw conflict(`consumer generation conflict - expected ${consumer.generation} but got ${generation}`, {
      code: CONCURRENT_UPDATE,
    });
  }
  const held = lines.filter((l) => l.provider_id !== null);
  await giveBack(unit, held);
  if (held.length) await unit.tx.execute('DELETE FROM allocations WHERE consumer_id = ?', [consumer.id]);
  await deleteConsumerRows(unit, [consumer.id]);
  return held.length > 0;
}

async function giveBack(unit: WriteUnit, held: readonly Line[]): Promise<void> {
  const byProvider = new Map<number, Line[]>();
  for (const line of held) {
    const id = Number(line.provider_id);
    const own = byProvider.get(id);
    if (own) own.push(line);
    else byProvider.set(id, [line]);
  }
  if (byProvider.size === 0) return;
  await unit.tx.execute(
    `UPDATE resource_providers SET revision = revision + 1, updated_at = ? WHERE id IN (${placeholders([...byProvider])})`,
    [unit.now, ...byProvider.keys()],
  );
  for (const [providerId, own] of byProvider) {
    const [{ root_id, provider_generation, provider_revision }] = own as [Line];
    unit.usageChanged(Number(root_id), {
      providerId,
      revision: Number(provider_revision) + 1,
      generation: Number(provider_generation),
      deltas: new Map(own.map((l) => [Number(l.resource_class_id), -Number(l.used)])),
    });
  }
}
