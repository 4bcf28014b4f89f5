/**
 * From a flavor and an image to request groups: which resources, with which traits, grouped how.
 *
 * Order (as upstream, nova/scheduler/utils.py ResourceRequest): the flavor's `resources[S]:` and `trait[S]:`, image
 * traits, CPU pinning, groups of ports and devices, then VCPU, MEMORY_MB and DISK_GB unless something before has named
 * them, then features that need a resource or a trait. What is named twice counts once, the later for the earlier. Zero
 * amounts are dropped at the end: `resources:VCPU=0` is how a bare-metal flavor asks for no VCPU. DISK_GB = ephemeral +
 * swap (rounded up to GiB) + root, root left out when the server boots from a volume, and left out wholly when that is
 * zero or the flavor forbids local disks.
 */
import { emptyGroup, type RequestGroup } from './candidate-query';
import { readPinning } from './cpu-pinning';
import { asksFor, flavorOrImage, forbidsLocalDisk, imageTraits, isTrue } from './flavor-and-image';
import type { Reason, ScheduleRequest } from './types';

export interface ResourceQuery {
  groups: RequestGroup[];
  groupPolicy?: 'none' | 'isolate';
}

export type BuiltResources = { ok: true; query: ResourceQuery } | { ok: false; reason: Reason };

/** Most that Placement can be asked for. */
const MAX_AMOUNT = 2 ** 31 - 1;

const KEY = /^(resources|trait)([a-zA-Z0-9_-]{1,64})?:(.+)$/;

export function buildResourceRequest(request: ScheduleRequest): BuiltResources {
  const groups = new Groups();
  const fault = readExtraSpecs(request, groups);
  if (fault) return { ok: false, reason: fault };
  const fromFlavor = groups.suffixed();
  for (const trait of imageTraits(request)) groups.require(trait);
  pinProcessors(request, groups);
  for (const group of request.extraGroups ?? []) groups.add(group);
  addDefaults(request, groups);
  addFeatures(request, groups);
  const asked = request.flavor.extraSpecs['group_policy'];
  const query: ResourceQuery = { groups: groups.finish() };
  if (asked === 'none' || asked === 'isolate') query.groupPolicy = asked;
  // groups of ports and devices come without a policy of their own; a flavor with several must say what it wants
  else if (query.groups.filter((g) => g.suffix !== '').length > 1 && fromFlavor <= 1) query.groupPolicy = 'none';
  return { ok: true, query };
}

class Groups {
  private readonly bySuffix = new Map<string, RequestGroup>();

  of(suffix: string): RequestGroup {
    let group = this.bySuffix.get(suffix);
    if (!group) this.bySuffix.set(suffix, (group = emptyGroup(suffix)));
    return group;
  }
  add(group: RequestGroup): void {
    this.bySuffix.set(group.suffix, { ...group, resources: { ...group.resources } });
  }
  resource(resourceClass: string, amount: number): void {
    this.of('').resources[resourceClass] = amount;
  }
  require(trait: string, suffix = ''): void {
    const { required } = this.of(suffix);
    if (!required.includes(trait)) required.push(trait);
  }
  forbid(trait: string, suffix = ''): void {
    const { forbidden } = this.of(suffix);
    if (!forbidden.includes(trait)) forbidden.push(trait);
  }
  names(resourceClass: string): boolean {
    return [...this.bySuffix.values()].some((g) => resourceClass in g.resources);
  }
  suffixed(): number {
    return [...this.bySuffix.keys()].filter((s) => s !== '').length;
  }
  finish(): RequestGroup[] {
    for (const group of this.bySuffix.values()) {
      for (const [name, amount] of Object.entries(group.resources)) if (amount === 0) delete group.resources[name];
    }
    return [...this.bySuffix.values()].filter((g) => !isEmpty(g));
  }
}

const isEmpty = (g: RequestGroup): boolean =>
  Object.keys(g.resources).length === 0 &&
  g.inTree === undefined &&
  [g.required, g.forbidden, g.anyOf, g.memberOf, g.notMemberOf].every((list) => list.length === 0);

function readExtraSpecs({ flavor }: ScheduleRequest, groups: Groups): Reason | undefined {
  for (const [key, value] of Object.entries(flavor.extraSpecs)) {
    const [, kind, suffix = '', name = ''] = KEY.exec(key) ?? [];
    if (kind === 'resources') {
      if (!/^\d+$/.test(value.trim()) || Number(value) > MAX_AMOUNT) {
        const need = `a whole number up to ${MAX_AMOUNT}`;
        const sentence = `Flavor ${flavor.name} asks for ${key}=${value}, which is not ${need}.`;
        return { code: 'flavor.resource_amount', have: value, need, sentence };
      }
      groups.of(suffix).resources[name] = Number(value);
    } else if (kind === 'trait') {
      if (value === 'required') groups.require(name, suffix);
      else if (value === 'forbidden') groups.forbid(name, suffix);
      else {
        const sentence = `Flavor ${flavor.name} has ${key}=${value}, which must be required or forbidden.`;
        return { code: 'flavor.trait_value', have: value, need: ['required', 'forbidden'], sentence };
      }
    }
  }
  return undefined;
}

function pinProcessors(request: ScheduleRequest, groups: Groups): void {
  if (request.sharedProcessors) return;
  const { vcpus, pcpus, hyperthreading } = readPinning(request);
  if (vcpus !== undefined) groups.resource('VCPU', vcpus);
  if (pcpus !== undefined) groups.resource('PCPU', pcpus);
  if (hyperthreading === 'forbidden') groups.forbid('HW_CPU_HYPERTHREADING');
  if (hyperthreading === 'required') groups.require('HW_CPU_HYPERTHREADING');
}

function addDefaults({ flavor, bootFromVolume }: ScheduleRequest, groups: Groups): void {
  if (!groups.names('VCPU') && !groups.names('PCPU')) groups.resource('VCPU', flavor.vcpus);
  if (!groups.names('MEMORY_MB')) groups.resource('MEMORY_MB', flavor.memoryMb);
  if (!groups.names('DISK_GB') && !forbidsLocalDisk(flavor)) {
    const disk = flavor.ephemeralGb + Math.ceil(flavor.swapMb / 1024) + (bootFromVolume ? 0 : flavor.rootGb);
    if (disk > 0) groups.resource('DISK_GB', disk);
  }
}

function addFeatures(request: ScheduleRequest, groups: Groups): void {
  if (asksFor(request, 'mem_encryption')) {
    groups.resource('MEM_ENCRYPTION_CONTEXT', 1);
    groups.require(MEMORY_ENCRYPTION[flavorOrImage(request, 'mem_encryption_model') ?? ''] ?? 'HW_CPU_X86_AMD_SEV');
  }
  for (const [name, count] of persistentMemory(request.flavor.extraSpecs['hw:pmem'] ?? ''))
    groups.resource(name, count);
  const tpm = flavorOrImage(request, 'tpm_version');
  if (tpm !== undefined) {
    groups.require(
      flavorOrImage(request, 'tpm_model') === 'tpm-crb' ? 'COMPUTE_SECURITY_TPM_CRB' : 'COMPUTE_SECURITY_TPM_TIS',
    );
    groups.require(tpm === '2.0' ? 'COMPUTE_SECURITY_TPM_2_0' : 'COMPUTE_SECURITY_TPM_1_2');
  }
  if (flavorOrImage(request, 'pci_numa_affinity_policy') === 'socket')
    groups.require('COMPUTE_SOCKET_PCI_NUMA_AFFINITY');
  if (flavorOrImage(request, 'secure_boot', 'os') === 'required') groups.require('COMPUTE_SECURITY_UEFI_SECURE_BOOT');
  const space = flavorOrImage(request, 'maxphysaddr_mode');
  if (space === 'passthrough') groups.require('COMPUTE_ADDRESS_SPACE_PASSTHROUGH');
  if (space === 'emulate') groups.require('COMPUTE_ADDRESS_SPACE_EMULATED');
  const properties = request.image?.properties ?? {};
  // without UEFI there is no firmware that could be stateless
  if (isTrue(properties['hw_firmware_stateless']) && properties['hw_firmware_type'] === 'uefi')
    groups.require('COMPUTE_SECURITY_STATELESS_FIRMWARE');
}

const MEMORY_ENCRYPTION: Readonly<Record<string, string>> = {
  'amd-sev': 'HW_CPU_X86_AMD_SEV',
  'amd-sev-es': 'HW_CPU_X86_AMD_SEV_ES',
  'amd-sev-snp': 'HW_CPU_X86_AMD_SEV_SNP',
};

/** Labels with commas between them → a resource class of each, with how often it is named. */
function persistentMemory(labels: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const label of labels.split(',').map((l) => l.trim())) {
    if (label === '') continue;
    const name = `CUSTOM_PMEM_NAMESPACE_${label.toUpperCase().replace(/[^A-Z0-9_]/g, '_')}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
