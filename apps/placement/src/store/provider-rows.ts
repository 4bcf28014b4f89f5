/** Writes of what hangs on one locked provider. */
import { placeholders } from '@fractus/database';
import { conflict, invalid } from '@fractus/objects';
import type { Inventory } from '../domain/provider';
import type { Names, NameTable } from './names';
import type { InventoryRow } from './rows';
import { NamesOutdated, toInventory } from './tree-reader';
import type { LockedProvider, WriteUnit } from './write-unit';

export const INVENTORY_IN_USE = 'placement.inventory.inuse';

/** 400 naming the class if there is none. */
export function classIdOf(names: Names, resourceClass: string, prefix = ''): number {
  const id = names.classes.id(resourceClass);
  if (id === undefined)
    throw invalid(`${prefix}No such resource class ${resourceClass}.`, { code: 'resource_class.unknown' });
  return id;
}

/** Keeps names from being removed before the unit ends. `NamesOutdated` if an id is gone, or another name's meanwhile. */
async function holdNames(
  unit: WriteUnit,
  table: 'traits' | 'resource_classes',
  known: NameTable,
  ids: Iterable<number>,
): Promise<void> {
  // standard names are there for ever
  const custom = [...ids].filter((id) => known.name(id)?.startsWith('CUSTOM_') ?? true).sort((a, b) => a - b);
  if (custom.length === 0) return;
  const share = unit.tx.dialect === 'mysql' ? ' LOCK IN SHARE MODE' : '';
  const rows = await unit.tx.query<{ id: number; name: string }>(
    `SELECT id, name FROM ${table} WHERE id IN (${placeholders(custom)}) ORDER BY id${share}`,
    custom,
  );
  const now = new Map(rows.map((r) => [Number(r.id), r.name]));
  const other = custom.find((id) => now.get(id) === undefined || now.get(id) !== known.name(id));
  if (other !== undefined) throw new NamesOutdated(`${table} ${other} is not ${known.name(other)} any more`);
}

/** The classes that the provider has inventory of. */
export async function inventoryClassIds(unit: WriteUnit, provider: LockedProvider): Promise<number[]> {
  const rows = await unit.tx.query<{ resource_class_id: number }>(
    'SELECT resource_class_id FROM inventories WHERE provider_id = ? ORDER BY resource_class_id',
    [provider.id],
  );
  return rows.map((r) => Number(r.resource_class_id));
}

/** What the providers have, by provider id and class id. */
export async function readInventories(
  unit: WriteUnit,
  providerIds: readonly number[],
): Promise<Map<number, Map<number, Inventory>>> {
  const found = new Map<number, Map<number, Inventory>>();
  if (providerIds.length === 0) return found;
  const rows = await unit.tx.query<InventoryRow>(
    `SELECT * FROM inventories WHERE provider_id IN (${placeholders(providerIds)})`,
    [...providerIds],
  );
  for (const row of rows) {
    const byClass = found.get(Number(row.provider_id)) ?? new Map<number, Inventory>();
    byClass.set(Number(row.resource_class_id), toInventory(row));
    found.set(Number(row.provider_id), byClass);
  }
  return found;
}

/** 409 when any of these classes has allocations on the provider. */
export async function refuseInUse(
  unit: WriteUnit,
  names: Names,
  provider: LockedProvider,
  classIds: readonly number[],
  prefix: string,
): Promise<void> {
  if (classIds.length === 0) return;
  const rows = await unit.tx.query<{ id: number }>(
    `SELECT DISTINCT resource_class_id AS id FROM allocations WHERE provider_id = ? AND resource_class_id IN (${placeholders(classIds)}) ORDER BY resource_class_id`,
    [provider.id, ...classIds],
  );
  if (rows.length === 0) return;
  const used = rows.map((r) => names.classes.name(Number(r.id)) ?? String(r.id)).join(', ');
  throw conflict(`${prefix}Inventory for '${used}' on resource provider '${provider.uuid}' in use.`, {
    code: INVENTORY_IN_USE,
  });
}

export async function deleteInventories(
  unit: WriteUnit,
  provider: LockedProvider,
  classIds: readonly number[],
): Promise<void> {
  if (classIds.length === 0) return;
  await unit.tx.execute(
    `DELETE FROM inventories WHERE provider_id = ? AND resource_class_id IN (${placeholders(classIds)})`,
    [provider.id, ...classIds],
  );
}

export async function insertInventories(
  unit: WriteUnit,
  names: Names,
  provider: LockedProvider,
  inventories: ReadonlyMap<number, Inventory>,
): Promise<void> {
  await holdNames(unit, 'resource_classes', names.classes, inventories.keys());
  const rows = [...inventories].map(([classId, i]) => ({
    provider_id: provider.id,
    resource_class_id: classId,
    total: i.total,
    reserved: i.reserved,
    min_unit: i.minUnit,
    max_unit: i.maxUnit,
    step_size: i.stepSize,
    allocation_ratio: i.allocationRatio,
    updated_at: unit.now,
  }));
  if (rows.length) await unit.tx.insert('inventories', rows);
}

/** Replaces all inventories; 409 when one that goes has allocations. A new total below what is used is allowed. */
export async function replaceInventories(
  unit: WriteUnit,
  names: Names,
  provider: LockedProvider,
  inventories: ReadonlyMap<number, Inventory>,
  prefix = '',
): Promise<void> {
  const old = await inventoryClassIds(unit, provider);
  await refuseInUse(
    unit,
    names,
    provider,
    old.filter((id) => !inventories.has(id)),
    prefix,
  );
  await deleteInventories(unit, provider, old);
  await insertInventories(unit, names, provider, inventories);
}

/** Replaces the traits; false when they were the same. */
export async function replaceTraits(
  unit: WriteUnit,
  names: Names,
  provider: LockedProvider,
  traitIds: ReadonlySet<number>,
): Promise<boolean> {
  const rows = await unit.tx.query<{ trait_id: number }>('SELECT trait_id FROM provider_traits WHERE provider_id = ?', [
    provider.id,
  ]);
  const old = new Set(rows.map((r) => Number(r.trait_id)));
  if (old.size === traitIds.size && [...old].every((id) => traitIds.has(id))) return false;
  await holdNames(unit, 'traits', names.traits, traitIds);
  await unit.tx.execute('DELETE FROM provider_traits WHERE provider_id = ?', [provider.id]);
  if (traitIds.size)
    await unit.tx.insert(
      'provider_traits',
      [...traitIds].map((trait_id) => ({ provider_id: provider.id, trait_id })),
    );
  return true;
}

export async function replaceAggregates(
  unit: WriteUnit,
  provider: LockedProvider,
  aggregates: ReadonlySet<string>,
): Promise<void> {
  await unit.tx.execute('DELETE FROM provider_aggregates WHERE provider_id = ?', [provider.id]);
  if (aggregates.size)
    await unit.tx.insert(
      'provider_aggregates',
      [...aggregates].map((aggregate_uuid) => ({ provider_id: provider.id, aggregate_uuid })),
    );
}
