/** Inventories as bodies have them. */
import { invalid } from '@fractus/objects';
import type { Inventory } from '../domain/provider';
import type { InventoryBody } from './dto/inventories.dto';
import { CLASS_KEY } from './dto/rules';
import { toInventory } from './presenters';

const IS_CLASS = new RegExp(CLASS_KEY);

/**
 * Inventories by class. Upstream's schema lets names through that no class can have, with anything under them (and its
 * service fails on what is not an object): here such a name is an unknown class, 400, told after `prefix`.
 */
export function inventoriesByClass(given: Record<string, InventoryBody>, prefix: string): Map<string, Inventory> {
  const impossible = Object.keys(given).find((name) => !IS_CLASS.test(name));
  if (impossible !== undefined)
    throw invalid(`${prefix}No such resource class ${impossible}.`, { code: 'resource_class.unknown' });
  return new Map(Object.entries(given).map(([name, body]) => [name, toInventory(body)]));
}
