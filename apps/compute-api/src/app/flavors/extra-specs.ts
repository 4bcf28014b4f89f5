import { invalid } from '@fractus/objects';
import { isCustomTrait, isStandardTrait } from '@fractus/os-traits';
import { STANDARD_RESOURCE_CLASSES } from '@fractus/os-resource-classes';

/**
 * What extra specs may say (2.86; upstream nova/api/validation/extra_specs). A spec of a namespace that is known must
 * be one of its specs and have a value of its kind; other namespaces are the operator's own and pass.
 */
interface Kind {
  readonly must: string;
  readonly check: (value: string) => boolean;
}

const anything: Kind = { must: 'be any text', check: () => true };
const oneOf = (...values: string[]): Kind => ({
  must: `be one of ${values.join(', ')}`,
  check: (v) => values.includes(v),
});
const integer = (min = -Infinity, max = Infinity): Kind => ({
  must: `be an integer${min === -Infinity ? '' : ` of ${min} or more`}${max === Infinity ? '' : `, at most ${max}`}`,
  check: (v) => /^\s*[+-]?\d+\s*$/.test(v) && Number(v) >= min && Number(v) <= max,
});
const like = (pattern: RegExp, must: string): Kind => ({ must, check: (v) => pattern.test(v) });
const bool: Kind = {
  must: 'be a boolean (true, false, 1, 0, yes, no, on, off)',
  check: (v) =>
    ['1', 't', 'true', 'on', 'y', 'yes', '0', 'f', 'false', 'off', 'n', 'no'].includes(v.trim().toLowerCase()),
};
const cpuSet = like(/^\^?\d+(-\d+)?(,\^?\d+(-\d+)?)*$/, 'be a set of CPUs like 0-3,^1');

const HW: Readonly<Record<string, Kind>> = {
  cpu_realtime: bool,
  cpu_realtime_mask: cpuSet,
  hide_hypervisor_id: bool,
  cpu_policy: oneOf('dedicated', 'shared', 'mixed'),
  cpu_thread_policy: oneOf('prefer', 'isolate', 'require'),
  emulator_threads_policy: oneOf('isolate', 'share'),
  cpu_dedicated_mask: cpuSet,
  mem_page_size: like(
    /^(large|small|any|\d+([kKMGT]i?)?(b|bit|B)?)$/,
    'be large, small, any or a size like 2048 or 1GB',
  ),
  locked_memory: bool,
  numa_nodes: integer(1),
  pci_numa_affinity_policy: oneOf('required', 'preferred', 'legacy', 'socket'),
  cpu_sockets: integer(1),
  cpu_cores: integer(1),
  cpu_threads: integer(1),
  cpu_max_sockets: integer(1),
  cpu_max_cores: integer(1),
  cpu_max_threads: integer(1),
  boot_menu: bool,
  vif_multiqueue_enabled: bool,
  mem_encryption: bool,
  mem_encryption_model: oneOf('amd-sev', 'amd-sev-es', 'amd-sev-snp'),
  pmem: like(/^\w+(,\w+)*,?$/, 'be labels with commas between them'),
  pmu: bool,
  serial_port_count: integer(0),
  tpm_model: oneOf('tpm-tis', 'tpm-crb'),
  tpm_version: oneOf('1.2', '2.0'),
  tpm_secret_security: oneOf('user', 'host', 'deployment'),
  watchdog_action: oneOf('none', 'pause', 'poweroff', 'reset', 'disabled'),
  viommu_model: oneOf('intel', 'smmuv3', 'virtio', 'auto'),
  virtio_packed_ring: bool,
  sound_model: oneOf('sb16', 'es1370', 'pcspk', 'ac97', 'ich6', 'ich9', 'usb', 'virtio'),
  usb_model: oneOf('none', 'nec-xhci', 'qemu-xhci'),
  redirected_usb_ports: integer(0, 15),
  ephemeral_encryption: bool,
  ephemeral_encryption_format: oneOf('plain', 'luks', 'luksv2'),
};

function hw(name: string): Kind | undefined {
  if (/^numa_cpus\.\d+$/.test(name)) return cpuSet;
  if (/^numa_mem\.\d+$/.test(name)) return integer(1);
  return own(HW, name);
}

const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
const exactly =
  (table: Readonly<Record<string, Kind>>) =>
  (name: string): Kind | undefined =>
    own(table, name);

function quota(name: string): Kind | undefined {
  if (name === 'cpu_quota') return integer();
  if (/^cpu_(shares|period)$/.test(name)) return integer(0);
  const level = /^(cpu|memory|disk_io|vif)_(limit|reservation|shares_level|shares_share)$/.exec(name)?.[2];
  if (level === 'reservation') return integer();
  if (level === 'shares_level') return oneOf('custom', 'high', 'normal', 'low');
  if (level !== undefined) return integer(0);
  const rate = /^(disk_(read|write|total)_(bytes|iops)_sec|vif_(inbound|outbound)_(average|peak|burst))$/;
  return rate.test(name) ? integer(0) : undefined;
}

const CAPABILITIES = new Set(
  (
    'id uuid service_id host vcpus memory_mb local_gb vcpus_used memory_mb_used local_gb_used hypervisor_type hypervisor_version ' +
    'hypervisor_hostname free_ram_mb free_disk_gb current_workload running_vms disk_available_least host_ip mapped cpu_allocation_ratio ' +
    'ram_allocation_ratio disk_allocation_ratio total_usable_ram_mb total_usable_disk_gb disk_mb_used free_disk_mb vcpus_total ' +
    'num_instances num_io_ops failed_builds aggregates cell_uuid updated'
  ).split(' '),
);
const NESTED =
  /^(cpu_info|metrics|stats|numa_topology|supported_hv_specs|pci_device_pools|nodename|pci_stats|supported_instances|limits|instances)(:\w+)*$/;

const isResourceClass = (name: string): boolean =>
  /^CUSTOM_[A-Z0-9_]+$/.test(name) || STANDARD_RESOURCE_CLASSES.some((c) => c === name);
const isTrait = (name: string): boolean => isStandardTrait(name) || isCustomTrait(name);

/** Namespace → kind of a spec in it; a pattern where the namespace carries a group (`resources_DISK`). */
const NAMESPACES: readonly (readonly [RegExp, (name: string) => Kind | undefined])[] = [
  [/^hw$/, hw],
  [/^quota$/, quota],
  [/^resources[a-zA-Z0-9_-]{0,64}$/, (name) => (isResourceClass(name) ? integer() : undefined)],
  [/^trait[a-zA-Z0-9_-]{0,64}$/, (name) => (isTrait(name) ? oneOf('required', 'forbidden') : undefined)],
  [/^capabilities$/, (name) => (CAPABILITIES.has(name) || NESTED.test(name) ? anything : undefined)],
  [/^aggregate_instance_extra_specs$/, () => anything],
  [/^accel$/, exactly({ device_profile: anything })],
  [/^hw_rng$/, exactly({ allowed: bool, rate_bytes: integer(0), rate_period: integer(0) })],
  [/^hw_video$/, exactly({ ram_max_mb: integer(0) })],
  [/^os$/, exactly({ secure_boot: oneOf('disabled', 'required') })],
  [
    /^pci_passthrough$/,
    exactly({ alias: like(/^[^:]+:\d+(?:\s*,\s*[^:]+:\d+)*$/, 'be aliases with counts like a1:2,a2:1') }),
  ],
  [/^fractus$/, exactly({ local_disk: oneOf('forbidden', 'allowed') })],
  [/^vmware$/, exactly({ hw_version: anything, storage_policy: anything })],
];

/** Specs without a namespace that mean something. */
const BARE: Readonly<Record<string, Kind>> = { hide_hypervisor_id: bool, group_policy: oneOf('isolate', 'none') };

/** Throws `invalid` (code `flavor.spec_value` or `flavor.spec_name`) for the first spec that says something it may not. */
export function checkExtraSpecs(specs: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(specs)) {
    const kind = kindOf(name);
    if (kind === 'unknown')
      throw invalid(`Validation failed; extra spec '${name}' does not appear to be a valid extra spec.`, {
        code: 'flavor.spec_name',
      });
    if (kind && !kind.check(value)) {
      throw invalid(`Validation failed; '${value}' is not a value of extra spec '${name}': it must ${kind.must}.`, {
        code: 'flavor.spec_value',
      });
    }
  }
}

function kindOf(name: string): Kind | 'unknown' | undefined {
  const at = name.indexOf(':');
  if (at < 0) return own(BARE, name);
  const found = NAMESPACES.find(([namespace]) => namespace.test(name.slice(0, at)));
  return found ? (found[1](name.slice(at + 1)) ?? 'unknown') : undefined;
}
