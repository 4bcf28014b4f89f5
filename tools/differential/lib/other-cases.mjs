// Cases beside filters: weights, the request groups of flavor and image, and request filters that ask nobody.
import fc from 'fast-check';
import * as a from './arbitraries.mjs';

const { pick, sparse } = a;
const nullable = (arb) => fc.option(arb, { nil: null });

const multiplier = pick('0', '1', '-1', '2.5', '-0.5', 'much');
const WEIGHED = ['ram', 'cpu', 'disk', 'pci', 'io_ops', 'soft_affinity', 'soft_anti_affinity', 'build_failure'];

/** Those that upstream takes as an option only from 0 on; an aggregate may say what it likes. */
const NOT_NEGATIVE = new Set(['pci', 'soft_affinity', 'soft_anti_affinity', 'build_failure']);

export const WEIGHT_CASES = fc.record({
  hosts: fc.integer({ min: 1, max: 5 }).chain((count) =>
    fc.tuple(
      ...Array.from({ length: count }, (_, i) =>
        a.aHost({
          host: fc.constant(`c${i + 1}`),
          free: fc.record({
            vcpus: fc.integer({ min: -2, max: 64 }),
            memoryMb: fc.integer({ min: -100, max: 9000 }),
            diskGb: fc.integer({ min: -1, max: 500 }),
          }),
          ioOps: fc.nat(4),
          failedBuilds: fc.nat(3),
          freePciDevices: pick(0, 1, 40, 99, 100, 200),
          aggregates: a.aggregates(
            sparse(Object.fromEntries(WEIGHED.map((w) => [`${w}_weight_multiplier`, multiplier]))),
          ),
        }),
      ),
    ),
  ),
  request: a.aRequest({
    serverGroup: fc.option(a.serverGroup('soft-affinity', 'soft-anti-affinity', 'affinity'), { nil: undefined }),
  }),
  multipliers: fc.record(
    Object.fromEntries(WEIGHED.map((w) => [w, NOT_NEGATIVE.has(w) ? pick(0, 0.5, 1, 3) : pick(-2, -1, 0, 0.5, 1)])),
  ),
});

const amount = pick('0', '1', '2', '8');
const presence = pick('required', 'forbidden');
const extraSpecs = sparse({
  'resources:VCPU': amount,
  'resources:MEMORY_MB': amount,
  'resources:DISK_GB': amount,
  'resources:CUSTOM_GOLD': amount,
  'resources:PCPU': amount,
  'resources:MEM_ENCRYPTION_CONTEXT': amount,
  'resources1:VGPU': amount,
  'resources_NET:CUSTOM_BW': amount,
  'resources_NET:DISK_GB': amount,
  'trait:HW_CPU_X86_AVX2': presence,
  'trait:HW_CPU_HYPERTHREADING': presence,
  'trait1:CUSTOM_FAST': presence,
  'trait_A:CUSTOM_FAST': presence,
  group_policy: pick('none', 'isolate', 'other'),
  'hw:cpu_policy': pick('shared', 'dedicated', 'mixed'),
  'hw:cpu_thread_policy': pick('prefer', 'isolate', 'require'),
  'hw:emulator_threads_policy': pick('share', 'isolate'),
  'hw:cpu_dedicated_mask': pick('0', '^0', '0-1', '1-2,^2', '^1,0'),
  'hw:cpu_realtime': pick('true', 'no', '1'),
  'hw:cpu_realtime_mask': pick('^0', '1', '^0-1'),
  'hw:mem_encryption': pick('true', 'False'),
  'hw:pmem': pick('4GB', '4GB,4GB', '4GB, SMALL ,,4gb', 'a-b'),
  'hw:tpm_version': pick('1.2', '2.0'),
  'hw:tpm_model': pick('tpm-tis', 'tpm-crb'),
  'hw:pci_numa_affinity_policy': pick('required', 'preferred', 'socket', 'legacy'),
  'os:secure_boot': pick('required', 'disabled'),
  other: pick('x'),
});
const properties = sparse({
  'trait:CUSTOM_LICENSED': pick('required', 'no'),
  'trait:HW_CPU_X86_AVX2': pick('required'),
  hw_cpu_policy: pick('shared', 'dedicated'),
  hw_cpu_thread_policy: pick('prefer', 'isolate', 'require'),
  hw_cpu_realtime_mask: pick('^0', '^1-2'),
  hw_mem_encryption: pick('true', 'false'),
  hw_firmware_type: pick('uefi', 'uefi', 'bios'),
  hw_machine_type: pick('q35'),
  hw_tpm_version: pick('1.2', '2.0'),
  hw_tpm_model: pick('tpm-tis', 'tpm-crb'),
  hw_pci_numa_affinity_policy: pick('required', 'socket'),
  os_secure_boot: pick('required', 'disabled', 'optional'),
});
/** Three or four of many members: with more of them nearly every request contradicts itself. */
const few = (arb, most) =>
  fc.tuple(arb, fc.array(fc.nat(1000), { minLength: most, maxLength: most })).map(([all, picks]) => {
    const entries = Object.entries(all);
    return Object.fromEntries(entries.length === 0 ? [] : picks.map((p) => entries[p % entries.length]));
  });

export const RESOURCE_CASES = fc.record({
  request: a.aRequest({
    flavor: a.aFlavor({
      vcpus: fc.integer({ min: 1, max: 4 }),
      rootGb: fc.nat(3),
      ephemeralGb: fc.nat(2),
      swapMb: pick(0, 1, 1024, 1025),
      extraSpecs: few(extraSpecs, 4),
    }),
    image: nullable(a.anImage(few(properties, 3))),
    bootFromVolume: fc.boolean(),
    sharedProcessors: fc.boolean(),
  }),
});

const plain = a.aRequest();
export const REQUEST_FILTER_CASES = {
  require_tenant_aggregate: {
    request: a.aRequest({ projectId: pick('p1', 'p2') }),
    aggregates: a.aggregates(
      sparse({ filter_tenant_id: pick('p1', 'p2'), filter_tenant_id_2: pick('p1', 'p3'), owner: pick('p1', 'p4') }),
    ),
    options: fc.record({
      limitTenantsToPlacementAggregate: fc.boolean(),
      placementAggregateRequiredForTenants: fc.boolean(),
    }),
  },
  map_az_to_placement_aggregate: {
    request: a.aRequest({ availabilityZone: nullable(pick('az1', 'az2', 'nova')) }),
    aggregates: a.aggregates(sparse({ availability_zone: pick('az1', 'az2'), other: pick('az1') })),
  },
  isolate_aggregates: {
    request: a.aRequest({
      flavor: a.aFlavor({
        extraSpecs: sparse({
          'trait:CUSTOM_GOLD': presence,
          'trait_A:CUSTOM_GOLD': presence,
          'trait1:HW_CPU_X86_AVX2': presence,
          'os:secure_boot': pick('required'),
        }),
      }),
      image: nullable(a.anImage(sparse({ 'trait:HW_CPU_X86_AVX2': pick('required') }))),
    }),
    aggregates: a.aggregates(
      sparse({
        'trait:CUSTOM_GOLD': pick('required', 'no'),
        'trait:HW_CPU_X86_AVX2': pick('required'),
        'trait:COMPUTE_SECURITY_UEFI_SECURE_BOOT': pick('required'),
        other: pick('required'),
      }),
    ),
    options: fc.record({ enableIsolatedAggregateFiltering: fc.boolean() }),
  },
  require_image_type_support: {
    request: a.aRequest({
      image: a.anImage(fc.constant({}), ['qcow2', 'raw', 'vmdk', 'iso', 'ami']),
      bootFromVolume: fc.boolean(),
    }),
    options: fc.record({ queryPlacementForImageTypeSupport: fc.boolean() }),
  },
  transform_image_metadata: {
    request: a.aRequest({
      image: a.anImage(
        sparse({
          hw_cdrom_bus: pick('ide', 'sata', 'scsi', 'virtio', 'usb', 'fdc'),
          hw_disk_bus: pick('ide', 'sata', 'scsi', 'virtio', 'usb', 'lxc', 'uml', 'xen'),
          vmware_adaptertype: pick('ide', 'lsiLogic'),
          hw_video_model: pick('vga', 'cirrus', 'qxl', 'virtio', 'none', 'bochs', 'gop'),
          hw_vif_model: pick('e1000', 'virtio', 'ne2k_pci', 'rtl8139', 'lan9118', 'spapr-vlan', 'pcnet'),
          hw_architecture: pick('x86_64', 'amd64', 'aarch64', 'i686', 'ppc64le'),
          hw_emulation_architecture: pick('x86_64', 'aarch64', 'i686'),
          architecture: pick('x86_64', 'aarch64'),
        }),
      ),
    }),
    options: fc.record({ imageMetadataPrefilter: fc.boolean() }),
  },
  compute_status_filter: { request: plain },
  accelerators_filter: {
    request: a.aRequest({ flavor: a.aFlavor({ extraSpecs: sparse({ 'accel:device_profile': pick('fpga', '') }) }) }),
  },
  ephemeral_encryption_filter: {
    request: a.aRequest({
      flavor: a.aFlavor({
        extraSpecs: sparse({
          'hw:ephemeral_encryption': pick('true', 'no', '1'),
          'hw:ephemeral_encryption_format': pick('luks', 'plain'),
        }),
      }),
      image: a.anImage(
        sparse({
          hw_ephemeral_encryption: pick('true', 'false'),
          hw_ephemeral_encryption_format: pick('luks', 'plain'),
        }),
      ),
    }),
  },
};
