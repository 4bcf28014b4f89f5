/**
 * The standard traits: names of qualities that a resource provider may have, one file a namespace.
 * Anything else must start with `CUSTOM_`.
 */
import { COMPUTE_TRAITS } from './compute';
import { HW_TRAITS } from './hw';
import { HW_CPU_TRAITS } from './hw-cpu';
import { HW_GPU_TRAITS } from './hw-gpu';
import { HW_NIC_TRAITS } from './hw-nic';
import { MISC_TRAITS } from './misc';
import { OWNER_TRAITS } from './owner';
import { STORAGE_TRAITS } from './storage';

export * from './compute';
export * from './hw';
export * from './hw-cpu';
export * from './hw-gpu';
export * from './hw-nic';
export * from './misc';
export * from './owner';
export * from './storage';

/** Every standard trait. */
export const STANDARD_TRAITS = [
  ...COMPUTE_TRAITS,
  ...HW_TRAITS,
  ...HW_CPU_TRAITS,
  ...HW_GPU_TRAITS,
  ...HW_NIC_TRAITS,
  ...MISC_TRAITS,
  ...OWNER_TRAITS,
  ...STORAGE_TRAITS,
] as const;

export type StandardTrait = (typeof STANDARD_TRAITS)[number];

/** A provider with this trait offers its inventory to every tree that has a member in one of its aggregates. */
export const MISC_SHARES_VIA_AGGREGATE = 'MISC_SHARES_VIA_AGGREGATE' satisfies StandardTrait;

const STANDARD: ReadonlySet<string> = new Set(STANDARD_TRAITS);

/** Whether the name is a standard trait. */
export function isStandardTrait(name: string): name is StandardTrait {
  return STANDARD.has(name);
}

/** Prefix of every trait that is not standard. */
export const CUSTOM_TRAIT_PREFIX = 'CUSTOM_';

/** Whether the name may be created as a custom trait: `CUSTOM_` then A-Z, 0-9 and _, at most 255 characters. */
export function isCustomTrait(name: string): boolean {
  return name.length <= 255 && /^CUSTOM_[A-Z0-9_]+$/.test(name);
}

/** A free text as a custom trait: upper case, anything outside A-Z and 0-9 becomes `_`. */
export function customTrait(text: string): string {
  return CUSTOM_TRAIT_PREFIX + text.toUpperCase().replace(/[^A-Z0-9_]/g, '_');
}
