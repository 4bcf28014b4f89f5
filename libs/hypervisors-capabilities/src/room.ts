/** How much of a resource class a provider has, and what of it can be had. Units are the class's. */

export interface InventoryFacts {
  readonly total: number;
  readonly reserved: number;
  readonly allocationRatio: number;
  readonly minUnit: number;
  readonly maxUnit: number;
  readonly stepSize: number;
}

export interface Room {
  readonly total: number;
  readonly reserved: number;
  readonly ratio: number;
  readonly used: number;
  /** What is left of (total − reserved) × ratio, rounded down; below 0 where it is overcommitted. */
  readonly free: number;
  readonly minUnit: number;
  readonly maxUnit: number;
  readonly stepSize: number;
}

export function roomOf(inventory: InventoryFacts, used: number): Room {
  const { total, reserved, allocationRatio: ratio, minUnit, maxUnit, stepSize } = inventory;
  // as Placement judges: a request fits when used + amount does not exceed the capacity
  const free = Math.floor((total - reserved) * ratio - used);
  return { total, reserved, ratio, used, free, minUnit, maxUnit, stepSize };
}

/** The room of each resource class, in order of name. */
export function roomsOf(
  inventories: Readonly<Record<string, InventoryFacts>>,
  usages: Readonly<Record<string, number>>,
): Record<string, Room> {
  const sorted = Object.entries(inventories).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([rc, inventory]) => [rc, roomOf(inventory, usages[rc] ?? 0)]));
}
