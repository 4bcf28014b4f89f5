/** What providers have and use, under the lock of a claim. */
import { placeholders } from '@fractus/database';
import type { Inventory } from '../domain/provider';
import type { InventoryRow } from './rows';
import { toInventory } from './tree-reader';
import type { WriteUnit } from './write-unit';

export interface Stock {
  readonly inventory: Inventory;
  /** Units in use, those of the claiming consumers included. */
  readonly used: number;
}

/** A provider under lock that this unit has touched. */
export interface TakenProvider {
  readonly id: number;
  readonly uuid: string;
  readonly rootId: number;
  /** After this write. */
  readonly generation: number;
  readonly revision: number;
  /** By resource class id; of the classes that were asked for. */
  readonly stock: ReadonlyMap<number, Stock>;
}

type Line = Omit<InventoryRow, 'resource_class_id'> & {
  id: number;
  uuid: string;
  root_id: number;
  generation: number;
  revision: number;
  resource_class_id: number | null;
  stock_used: number;
};

/**
 * Locks the providers that still exist, in order of id, by raising their revision, and the generation of those in
 * `bumped`; only then reads what they have of the classes and what is in use, so that no two claims see the same unit.
 */
export async function takeProviders(
  unit: WriteUnit,
  ids: Iterable<number>,
  bumped: ReadonlySet<number>,
  classIds: ReadonlySet<number>,
): Promise<Map<number, TakenProvider>> {
  const wanted = [...new Set(ids)].sort((a, b) => a - b);
  if (wanted.length === 0) return new Map();
  const marks = placeholders(wanted);
  const raised = wanted.filter((id) => bumped.has(id));
  const growth = raised.length === 0 ? '0' : `CASE WHEN id IN (${placeholders(raised)}) THEN 1 ELSE 0 END`;
  const order = unit.tx.dialect === 'mysql' ? ' ORDER BY id' : '';
  await unit.tx.execute(
    `UPDATE resource_providers SET generation = generation + ${growth}, revision = revision + 1, updated_at = ? WHERE id IN (${marks})${order}`,
    [...raised, unit.now, ...wanted],
  );
  const own = 'p.id, p.uuid, p.root_id, p.generation, p.revision';
  const lines = await unit.tx.query<Line>(
    classIds.size === 0
      ? `SELECT ${own}, NULL AS resource_class_id FROM resource_providers p WHERE p.id IN (${marks})`
      : `SELECT ${own}, i.*, (SELECT COALESCE(SUM(a.used), 0) FROM allocations a
           WHERE a.provider_id = i.provider_id AND a.resource_class_id = i.resource_class_id) AS stock_used
         FROM resource_providers p
         LEFT JOIN inventories i ON i.provider_id = p.id AND i.resource_class_id IN (${placeholders([...classIds])})
         WHERE p.id IN (${marks})`,
    [...classIds, ...wanted],
  );
  return gathered(lines);
}

function gathered(lines: readonly Line[]): Map<number, TakenProvider> {
  const taken = new Map<number, TakenProvider & { stock: Map<number, Stock> }>();
  for (const line of lines) {
    const id = Number(line.id);
    let provider = taken.get(id);
    if (!provider) {
      const { uuid } = line;
      const [rootId, generation, revision] = [Number(line.root_id), Number(line.generation), Number(line.revision)];
      taken.set(id, (provider = { id, uuid, rootId, generation, revision, stock: new Map() }));
    }
    if (line.resource_class_id === null) continue;
    const inventory = toInventory({ ...line, resource_class_id: line.resource_class_id });
    provider.stock.set(Number(line.resource_class_id), { inventory, used: Number(line.stock_used) });
  }
  return taken;
}
