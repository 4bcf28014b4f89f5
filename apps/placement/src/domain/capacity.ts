/** Capacity arithmetic: the one place that knows how much of an inventory may be used. */
import type { Inventory, Provider } from './provider';

/** Whole units that may be used in all: (total − reserved) × allocation ratio, cut off. */
export function capacityOf(inventory: Inventory): number {
  return Math.trunc((inventory.total - inventory.reserved) * inventory.allocationRatio);
}

/** Units not used yet; negative when the inventory has shrunk below its usage, 0 without inventory. */
export function freeOf(provider: Provider, resourceClass: string): number {
  const inventory = provider.inventories.get(resourceClass);
  return inventory ? capacityOf(inventory) - (provider.used.get(resourceClass) ?? 0) : 0;
}

/** Why one allocation of `amount` units does not suit the inventory, whatever is in use; undefined when it does. */
export function unitFault(inventory: Inventory, amount: number): 'min_unit' | 'max_unit' | 'step_size' | undefined {
  if (amount < inventory.minUnit) return 'min_unit';
  if (amount > inventory.maxUnit) return 'max_unit';
  if (amount % inventory.stepSize !== 0) return 'step_size';
  return undefined;
}

/**
 * What stands between a provider and giving an amount in one piece: it has no such inventory; the inventory's units do
 * not suit (`min_unit`, `max_unit`, `step_size`); it is smaller than that in all (`total`), or without what is
 * `reserved`; or enough of it is in use (`used`).
 */
export type Shortage = 'no_inventory' | 'min_unit' | 'max_unit' | 'step_size' | 'total' | 'reserved' | 'used';

/** Why the provider cannot give `amount` units in one piece, with what is in use; undefined when it can. */
export function shortageOf(provider: Provider, resourceClass: string, amount: number): Shortage | undefined {
  const inventory = provider.inventories.get(resourceClass);
  if (!inventory) return 'no_inventory';
  const fault = unitFault(inventory, amount);
  if (fault) return fault;
  const capacity = capacityOf(inventory);
  if ((provider.used.get(resourceClass) ?? 0) + amount <= capacity) return undefined;
  if (amount <= capacity) return 'used';
  return amount <= Math.trunc(inventory.total * inventory.allocationRatio) ? 'reserved' : 'total';
}

/** Whether the provider can give `amount` units in one piece, with what is in use. */
export function canGive(provider: Provider, resourceClass: string, amount: number): boolean {
  return shortageOf(provider, resourceClass, amount) === undefined;
}

/** The most that several allocations of a class may take of the provider together; 0 or less when nothing. */
export function roomOf(provider: Provider, resourceClass: string): number {
  const inventory = provider.inventories.get(resourceClass);
  return inventory ? Math.min(freeOf(provider, resourceClass), inventory.maxUnit) : 0;
}
