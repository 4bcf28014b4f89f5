/**
 * What a host's provider should look like, and the least change that makes it so. Pure.
 *
 * Others write to the same provider: operators add CUSTOM traits, custom inventories and set ratios by the API. So the
 * agent owns named things only: the traits of its capabilities, of its driver, and three of its own; the standard
 * resource classes. Everything else survives. Source: upstream's resource tracker and provider tree.
 */
import { capabilityTraits } from '@fractus/hypervisors-capabilities';
import { isCustomTrait, isStandardTrait } from '@fractus/os-traits';
import type { InventoryRecord, ProviderRecord, ProviderUpdate } from '@fractus/rpc-contracts';
import type { DriverInventories, DriverTraits } from '@fractus/virt';
import type { DriverCapabilities } from '@fractus/hypervisors-capabilities';

export const STATUS_DISABLED = 'COMPUTE_STATUS_DISABLED';
const ALWAYS = ['COMPUTE_NODE', 'OWNER_NOVA'];

export interface DesiredTraits {
  /** Sorted. */
  readonly present: readonly string[];
  readonly owned: ReadonlySet<string>;
}

export interface TraitSources {
  readonly capabilities: DriverCapabilities;
  readonly driver: DriverTraits;
  readonly disabled: boolean;
  readonly excludeImageTypes: readonly string[];
}

/** Names that are neither standard nor custom are left out: Placement would refuse the whole update for one of them. */
export function desiredTraits({ capabilities, driver, disabled, excludeImageTypes }: TraitSources): DesiredTraits {
  const able = capabilityTraits(capabilities, excludeImageTypes);
  const present = new Set([...able.present, ...driver.present, ...ALWAYS]);
  if (disabled) present.add(STATUS_DISABLED);
  else present.delete(STATUS_DISABLED);
  return {
    present: [...present].filter((t) => isStandardTrait(t) || isCustomTrait(t)).sort(),
    owned: new Set([...able.present, ...able.absent, ...driver.owned, ...ALWAYS, STATUS_DISABLED]),
  };
}

/** The traits to set: the desired ones and all of others. Sorted. */
export function mergeTraits(current: readonly string[], desired: DesiredTraits): string[] {
  return [...new Set([...current.filter((t) => !desired.owned.has(t)), ...desired.present])].sort();
}

/** Operator's ratios by resource class; a class not named is not decided here. */
export type ConfiguredRatios = Readonly<Record<string, number | undefined>>;

/** The inventories to set. A ratio: configured, else as it is in Placement, else the driver's initial one. */
export function mergeInventories(
  current: Readonly<Record<string, InventoryRecord>>,
  driver: DriverInventories,
  ratios: ConfiguredRatios,
): Record<string, InventoryRecord> {
  const others = Object.entries(current).filter(([rc]) => rc.startsWith('CUSTOM_') && !(rc in driver));
  const own = Object.entries(driver)
    .filter(([, i]) => i.total > 0)
    .map(([rc, i]): [string, InventoryRecord] => [
      rc,
      {
        total: i.total,
        reserved: i.reserved,
        minUnit: i.minUnit,
        maxUnit: i.maxUnit,
        stepSize: i.stepSize,
        allocationRatio: ratios[rc] ?? current[rc]?.allocationRatio ?? i.initialRatio,
      },
    ]);
  return Object.fromEntries([...others, ...own]);
}

export interface Desired {
  readonly inventories: DriverInventories;
  readonly traits: DesiredTraits;
}

/** The change that the provider needs, or null when it is as it should be. */
export function planUpdate(record: ProviderRecord, desired: Desired, ratios: ConfiguredRatios): ProviderUpdate | null {
  const inventories = mergeInventories(record.inventories, desired.inventories, ratios);
  const traits = mergeTraits(record.traits, desired.traits);
  const update: ProviderUpdate = { providerId: record.providerId, generation: record.generation };
  if (!sameInventories(record.inventories, inventories)) update.inventories = inventories;
  if (traits.join() !== [...record.traits].sort().join()) update.traits = traits;
  return update.inventories || update.traits ? update : null;
}

const FIELDS = ['total', 'reserved', 'minUnit', 'maxUnit', 'stepSize', 'allocationRatio'] as const;

function sameInventories(
  a: Readonly<Record<string, InventoryRecord>>,
  b: Readonly<Record<string, InventoryRecord>>,
): boolean {
  const classes = Object.keys(a);
  if (classes.length !== Object.keys(b).length) return false;
  return classes.every((rc) => {
    const [x, y] = [a[rc], b[rc]];
    return x !== undefined && y !== undefined && FIELDS.every((f) => x[f] === y[f]);
  });
}

/** A short name of a desired state: while it stays the same there is nothing to send. */
export function fingerprint({ inventories, traits }: Desired): string {
  const rows = Object.entries(inventories)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([rc, i]) => [rc, i.total, i.reserved, i.minUnit, i.maxUnit, i.stepSize, i.initialRatio]);
  return JSON.stringify([rows, traits.present]);
}
