/**
 * From a flavor and an image to request groups: which resources, with which traits, grouped how.
 *
 * Order (as upstream, nova/scheduler/utils.py ResourceRequest): the flavor's `resources[S]:` and `trait[S]:`, image
 * traits, CPU pinning, groups of ports and devices, then VCPU, MEMORY_MB and DISK_GB unless something before has named
 * them, then features that need a resource or a trait. Zero amounts are dropped at the end: `resources:VCPU=0` is how a
 * bare-metal flavor asks for no VCPU. DISK_GB = ephemeral + swap (rounded up to GiB) + root, root left out when the
 * server boots from a volume, and left out wholly when that is zero.
 */
import { emptyGroup, type RequestGroup } from './candidate-query';
import { asksFor, flavorOrImage, imageTraits, isTrue } from './flavor-and-image';
import type { Reason, ScheduleRequest } from './types';

export interface ResourceQuery {
  groups: RequestGroup[];
  groupPolicy?: 'none' | 'isolate';
}

export type BuiltResources = { ok: true; query: ResourceQuery } | { ok: false; reason: Reason };

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
    const { resources } = this.of('');
    resources[resourceClass] = (resources[resourceClass] ?? 0) + amount;
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
      if (!/^\d+$/.test(value.trim())) {
        const sentence = `Flavor ${flavor.name} asks for ${key}=${value}, which is not a whole number.`;
        return { code: 'flavor.resource_amount', have: value, need: 'a whole number', sentence };
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

/** `hw:cpu_policy` dedicated or mixed asks for PCPU. */
function pinProcessors(request: ScheduleRequest, groups: Groups): void {
  const policy = flavorOrImage(request, 'cpu_policy');
  const threads = flavorOrImage(request, 'cpu_thread_policy');
  const { vcpus, extraSpecs } = request.flavor;
  if (policy === 'dedicated' || policy === 'mixed') {
    const mask = extraSpecs['hw:cpu_dedicated_mask'] ?? flavorOrImage(request, 'cpu_realtime_mask') ?? '';
    const dedicated = policy === 'dedicated' ? vcpus : maskSize(mask, vcpus);
    if (policy === 'mixed') groups.resource('VCPU', vcpus - dedicated);
    groups.resource('PCPU', dedicated + (extraSpecs['hw:emulator_threads_policy'] === 'isolate' ? 1 : 0));
  }
  if (threads === 'isolate') groups.forbid('HW_CPU_HYPERTHREADING');
  if (threads === 'require') groups.require('HW_CPU_HYPERTHREADING');
}

/** How many of the processors 0…count−1 a mask such as `0-3,^2` names; one that begins with `^` starts from all. */
function maskSize(mask: string, count: number): number {
  const parts = mask
    .split(',')
    .map((p) => p.trim())
    .filter((p) => p !== '');
  const named = new Set<number>();
  if (parts[0]?.startsWith('^')) for (let i = 0; i < count; i++) named.add(i);
  for (const part of parts) {
    const [, not, from, to] = /^(\^?)(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    if (from === undefined) continue;
    for (let i = Number(from); i <= Number(to ?? from) && i < count; i++)
      if (not) named.delete(i);
      else named.add(i);
  }
  return named.size;
}

function addDefaults({ flavor, bootFromVolume }: ScheduleRequest, groups: Groups): void {
  if (!groups.names('VCPU') && !groups.names('PCPU')) groups.resource('VCPU', flavor.vcpus);
  if (!groups.names('MEMORY_MB')) groups.resource('MEMORY_MB', flavor.memoryMb);
  if (!groups.names('DISK_GB')) {
    const disk = flavor.ephemeralGb + Math.ceil(flavor.swapMb / 1024) + (bootFromVolume ? 0 : flavor.rootGb);
    if (disk > 0) groups.resource('DISK_GB', disk);
  }
}

function addFeatures(request: ScheduleRequest, groups: Groups): void {
  if (asksFor(request, 'mem_encryption')) {
    groups.resource('MEM_ENCRYPTION_CONTEXT', 1);
    const es = flavorOrImage(request, 'mem_encryption_model') === 'amd-sev-es';
    groups.require(es ? 'HW_CPU_X86_AMD_SEV_ES' : 'HW_CPU_X86_AMD_SEV');
  }
  for (const label of (request.flavor.extraSpecs['hw:pmem'] ?? '').split(',').map((l) => l.trim())) {
    if (label) groups.resource(`CUSTOM_PMEM_NAMESPACE_${label.toUpperCase().replace(/[^A-Z0-9_]/g, '_')}`, 1);
  }
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
  if (isTrue(request.image?.properties['hw_firmware_stateless'])) groups.require('COMPUTE_SECURITY_STATELESS_FIRMWARE');
}
