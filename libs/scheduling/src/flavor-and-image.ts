import type { ScheduleRequest } from './types';

type Asked = Pick<ScheduleRequest, 'flavor' | 'image'>;

/** `hw:key` of the flavor, else `hw_key` of the image. That they do not conflict is checked where the server is created. */
export function flavorOrImage(request: Asked, key: string, prefix = 'hw'): string | undefined {
  return request.flavor.extraSpecs[`${prefix}:${key}`] ?? request.image?.properties[`${prefix}_${key}`];
}

/** Names that images had before, which still hold where the present one is missing. */
const LEGACY: Readonly<Record<string, string>> = {
  hw_architecture: 'architecture',
  hw_vm_mode: 'vm_mode',
  img_hv_type: 'hypervisor_type',
  img_hv_requested_version: 'hypervisor_version_requires',
};

/** A property of the image under its present name or the one it had before. */
export function imageProperty(properties: Readonly<Record<string, string>>, name: string): string | undefined {
  const value = properties[name] ?? properties[LEGACY[name] ?? name];
  if (value !== undefined || name !== 'hw_disk_bus') return value;
  const adapter = properties['vmware_adaptertype'];
  return adapter && (adapter === 'ide' ? 'ide' : 'scsi');
}

const ARCHITECTURES: Readonly<Record<string, string>> = {
  amd64: 'x86_64',
  x86_32: 'i686',
  x86_32p: 'i686',
  i386: 'i686',
  i486: 'i686',
  i586: 'i686',
};

/** Architectures go by several names: `amd64` is `x86_64`. */
export function canonicalArchitecture(name: string): string {
  const lower = name.toLowerCase();
  return ARCHITECTURES[lower] ?? lower;
}

export function isTrue(text: string | undefined): boolean {
  return text !== undefined && /^(1|t|true|on|y|yes)$/i.test(text.trim());
}

export const asksFor = (request: Asked, key: string): boolean => isTrue(flavorOrImage(request, key));

/** Traits that the image requires: properties `trait:X = required`. */
export function imageTraits(request: Pick<ScheduleRequest, 'image'>): string[] {
  return Object.entries(request.image?.properties ?? {})
    .filter(([key, value]) => key.startsWith('trait:') && value === 'required')
    .map(([key]) => key.slice('trait:'.length));
}

/** Extra spec of ours: `forbidden` says that servers of the flavor have no disk on their host. */
export const LOCAL_DISK_SPEC = 'fractus:local_disk';

export const forbidsLocalDisk = (flavor: { readonly extraSpecs: Readonly<Record<string, string>> }): boolean =>
  flavor.extraSpecs[LOCAL_DISK_SPEC] === 'forbidden';
