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

/** Whether the provider can give `amount` units in one piece, with what is in use. */
export function canGive(provider: Provider, resourceClass: string, amount: number): boolean {
  const inventory = provider.inventories.get(resourceClass);
  if (!inventory || unitFault(inventory, amount)) return false;
  return (provider.used.get(resourceClass) ?? 0) + amount <= capacityOf(inventory);
}
