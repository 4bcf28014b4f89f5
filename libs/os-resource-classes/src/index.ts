/**
 * The standard resource classes, in the fixed order that gives each its id (VCPU = 0, MEMORY_MB = 1, …).
 * Amounts are in the unit that the name tells: MEMORY_MB is MiB, DISK_GB is GiB. Anything else starts with `CUSTOM_`.
 */
export const STANDARD_RESOURCE_CLASSES = [
  'VCPU',
  'MEMORY_MB',
  'DISK_GB',
  'PCI_DEVICE',
  'SRIOV_NET_VF',
  'NUMA_SOCKET',
  'NUMA_CORE',
  'NUMA_THREAD',
  'NUMA_MEMORY_MB',
  'IPV4_ADDRESS',
  'VGPU',
  'VGPU_DISPLAY_HEAD',
  'NET_BW_EGR_KILOBIT_PER_SEC',
  'NET_BW_IGR_KILOBIT_PER_SEC',
  'PCPU',
  'MEM_ENCRYPTION_CONTEXT',
  'FPGA',
  'PGPU',
  'NET_PACKET_RATE_KILOPACKET_PER_SEC',
  'NET_PACKET_RATE_EGR_KILOPACKET_PER_SEC',
  'NET_PACKET_RATE_IGR_KILOPACKET_PER_SEC',
] as const;

export type StandardResourceClass = (typeof STANDARD_RESOURCE_CLASSES)[number];

export const VCPU = 'VCPU' satisfies StandardResourceClass;
/** Dedicated (pinned) processors. */
export const PCPU = 'PCPU' satisfies StandardResourceClass;
/** MiB. */
export const MEMORY_MB = 'MEMORY_MB' satisfies StandardResourceClass;
/** GiB. */
export const DISK_GB = 'DISK_GB' satisfies StandardResourceClass;

const IDS: ReadonlyMap<string, number> = new Map(STANDARD_RESOURCE_CLASSES.map((name, id) => [name, id]));

/** Whether the name is a standard resource class. */
export function isStandardResourceClass(name: string): name is StandardResourceClass {
  return IDS.has(name);
}

/** The fixed id of a standard class; undefined for any other name. */
export function standardResourceClassId(name: string): number | undefined {
  return IDS.get(name);
}

/** Whether the name may be created as a custom class: `CUSTOM_` then A-Z, 0-9 and _, at most 255 characters. */
export function isCustomResourceClass(name: string): boolean {
  return name.length <= 255 && /^CUSTOM_[A-Z0-9_]+$/.test(name);
}

/** A free text (an Ironic resource class, say) as a custom class: upper case, anything outside A-Z and 0-9 becomes `_`. */
export function customResourceClass(text: string): string {
  return 'CUSTOM_' + text.toUpperCase().replace(/[^A-Z0-9_]/g, '_');
}
