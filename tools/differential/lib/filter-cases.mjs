// For each filter that both have: hosts, requests and options that it is to judge.
import fc from 'fast-check';
import * as a from './arbitraries.mjs';

const { pick, some, sparse } = a;
const none = fc.constant({});
const nullable = (arb) => fc.option(arb, { nil: null });
/** Numbers as operators write them into metadata. */
const number = pick('0', '1', '2', '5', ' 3 ', '+4', '-1', '2.5', 'many', '');
const text = pick('ssd', 'hdd', 'ssd,hdd', ' ssd , nvme ', '10', '9.5', '');

const oneHost = (members) => a.aHost({ host: pick(...a.HOSTS), ...members });
const hinted = fc.record({ s1: pick(...a.HOSTS), s2: pick(...a.HOSTS) }, { requiredKeys: [] });
const hint = (name) =>
  a.aRequest({
    hintedServers: hinted,
    schedulerHints: sparse({ [name]: fc.subarray(['s1', 's2', 's3'], { minLength: 1 }) }),
  });
const grouped = (...policies) =>
  a.aRequest({ serverGroup: a.serverGroup(...policies), currentHost: fc.option(pick(...a.HOSTS), { nil: undefined }) });
const ALL_POLICIES = ['affinity', 'anti-affinity', 'soft-affinity', 'soft-anti-affinity'];

const platform = sparse({
  hw_architecture: pick('x86_64', 'amd64', 'AMD64', 'i686', 'i386', 'aarch64'),
  architecture: pick('x86_64', 'aarch64'),
  img_hv_type: pick('kvm', 'KVM', 'qemu', 'xen', 'xapi', 'baremetal'),
  hypervisor_type: pick('kvm', 'qemu'),
  hw_vm_mode: pick('hvm', 'hv', 'xen', 'pv', 'exe'),
  vm_mode: pick('hvm', 'xen'),
  img_hv_requested_version: pick(
    ...['>=8.2', '>8.2.1', '<9.0', '==8.2.1', '!=8.2.1', '>=6.0,<8.0', '<=8.2.1, >8.0', '>=10.0'],
  ),
  hypervisor_version_requires: pick('>=6.0', '<6.0'),
});
const supported = fc.array(
  fc.tuple(pick('x86_64', 'i686', 'aarch64'), pick('kvm', 'qemu', 'xen'), pick('hvm', 'xen', 'exe')),
  { maxLength: 3 },
);

const CAPABILITY_VALUES = [
  'QEMU',
  '8002001',
  '16',
  '2',
  'x86_64',
  'EPYC',
  'aes',
  'avx2',
  'True',
  'False',
  'None',
  '1e3',
];
const capabilityKey = pick(
  'capabilities:hypervisor_type',
  'hypervisor_type',
  'capabilities:hypervisor_version',
  'capabilities:vcpus_total',
  'vcpus_used',
  'capabilities:free_ram_mb',
  'capabilities:free_disk_mb',
  'capabilities:total_usable_ram_mb',
  'capabilities:num_io_ops',
  'num_instances',
  'capabilities:failed_builds',
  'capabilities:host_ip',
  'capabilities:cpu_info:arch',
  'capabilities:cpu_info:model',
  'capabilities:cpu_info:features',
  'capabilities:cpu_info:topology:cores',
  'capabilities:cpu_info:topology',
  'capabilities:cpu_info:none_such',
  'capabilities:cpu_info:arch:deeper',
  'capabilities:none_such',
  'capabilities:supports_multiattach',
  'supports_multiattach',
  'capabilities:supported_instances',
  'none_such',
  'hw:cpu_policy',
  'other:hypervisor_type',
);

/** name → arbitrary of {host, request, options}. */
export const FILTER_CASES = {
  ComputeFilter: {
    host: oneHost({
      service: fc.record({
        up: fc.boolean(),
        disabled: fc.boolean(),
        disabledReason: nullable(fc.constant('disks')),
        forcedDown: fc.constant(false),
        silentSeconds: nullable(fc.nat(100)),
      }),
    }),
    request: a.aRequest(),
  },
  ComputeCapabilitiesFilter: {
    host: oneHost({
      hypervisorType: pick('QEMU', 'simulated'),
      vcpus: pick(2, 16),
      ioOps: fc.nat(3),
      failedBuilds: fc.nat(3),
      capabilities: sparse({ supports_multiattach: fc.boolean() }),
    }),
    request: a.aRequest({
      flavor: a.aFlavor({
        extraSpecs: fc.dictionary(capabilityKey, a.requirement(...CAPABILITY_VALUES), { maxKeys: 3 }),
      }),
    }),
  },
  ImagePropertiesFilter: {
    host: oneHost({ supportedInstances: supported, hypervisorVersion: pick(0, 6000000, 8002001, 10000000) }),
    request: a.aRequest({ image: nullable(a.anImage(platform)) }),
    options: fc.record({ imagePropertiesDefaultArchitecture: pick('', 'x86_64', 'aarch64') }),
  },
  ServerGroupAntiAffinityFilter: { host: oneHost({}), request: grouped(...ALL_POLICIES) },
  ServerGroupAffinityFilter: { host: oneHost({}), request: grouped(...ALL_POLICIES) },
  SameHostFilter: { host: oneHost({}), request: hint('same_host') },
  DifferentHostFilter: { host: oneHost({}), request: hint('different_host') },
  SimpleCIDRAffinityFilter: {
    host: oneHost({ hostIp: pick('192.0.2.10', '192.0.3.10', '198.51.100.7', '2001:db8::1', '2001:db8:1::1') }),
    request: a.aRequest({
      schedulerHints: sparse({
        build_near_host_ip: pick(['192.0.2.200'], ['198.51.100.1'], ['2001:db8::9'], ['192.0.2.0'], ['no-address']),
        cidr: pick(['/24'], ['/25'], ['/23'], ['/16'], ['/32'], ['/0'], ['/64'], ['/128'], ['/33'], ['24'], ['/x']),
      }),
    }),
  },
  NumInstancesFilter: {
    host: oneHost({ runningGuests: fc.nat(6) }),
    request: a.aRequest(),
    options: fc.record({ maxInstancesPerHost: fc.integer({ min: 1, max: 6 }) }),
  },
  AggregateNumInstancesFilter: {
    host: oneHost({ runningGuests: fc.nat(6), aggregates: a.aggregates(sparse({ max_instances_per_host: number })) }),
    request: a.aRequest(),
    options: fc.record({ maxInstancesPerHost: fc.integer({ min: 1, max: 6 }) }),
  },
  IoOpsFilter: {
    host: oneHost({ ioOps: fc.nat(6) }),
    request: a.aRequest(),
    options: fc.record({ maxIoOpsPerHost: fc.nat(6) }),
  },
  AggregateIoOpsFilter: {
    host: oneHost({ ioOps: fc.nat(6), aggregates: a.aggregates(sparse({ max_io_ops_per_host: number })) }),
    request: a.aRequest(),
    options: fc.record({ maxIoOpsPerHost: fc.nat(6) }),
  },
  IsolatedHostsFilter: {
    host: oneHost({}),
    request: a.aRequest({ image: nullable(a.anImage(none)) }),
    options: fc.record({
      isolatedHosts: some('c1', 'c2'),
      isolatedImages: a.isolatedImages,
      restrictIsolatedHostsToIsolatedImages: fc.boolean(),
    }),
  },
  AggregateInstanceExtraSpecsFilter: {
    host: oneHost({ aggregates: a.aggregates(sparse({ disk: text, size: text, 'a:b': text })) }),
    request: a.aRequest({
      flavor: a.aFlavor({
        extraSpecs: fc.dictionary(
          pick(
            'disk',
            'size',
            'aggregate_instance_extra_specs:disk',
            'aggregate_instance_extra_specs:size',
            'aggregate_instance_extra_specs:a:b',
            'hw:disk',
          ),
          a.requirement('ssd', 'hdd', 'nvme', '10', '9', '9.5', 'ss'),
          { maxKeys: 2 },
        ),
      }),
    }),
  },
  AggregateImagePropertiesIsolation: {
    host: oneHost({
      aggregates: a.aggregates(
        sparse({
          os_distro: pick('debian', 'windows', 'debian, windows', ''),
          os_type: pick('linux', 'windows'),
          hw_disk_bus: pick('virtio', 'scsi,virtio'),
          'os.distro': pick('debian'),
        }),
      ),
    }),
    request: a.aRequest({
      image: nullable(
        a.anImage(
          sparse({
            os_distro: pick('debian', 'windows'),
            os_type: pick('linux', 'windows'),
            hw_disk_bus: pick('virtio', 'scsi'),
          }),
        ),
      ),
    }),
    options: fc.record({
      aggregateImagePropertiesIsolationNamespace: pick('', 'os', 'hw'),
      aggregateImagePropertiesIsolationSeparator: pick('.', '_'),
    }),
  },
  AggregateMultiTenancyIsolation: {
    host: oneHost({
      aggregates: a.aggregates(
        sparse({ filter_tenant_id: pick('p1', 'p2', 'p2, p1', 'p2,p3'), other: pick('p1', 'p2') }),
      ),
    }),
    request: a.aRequest({ projectId: pick('p1', 'p2', 'p3') }),
  },
  AggregateTypeAffinityFilter: {
    host: oneHost({
      aggregates: a.aggregates(sparse({ instance_type: pick('m1.small', 'm1.big', 'm1.big, m1.small', 'm1', '') })),
    }),
    request: a.aRequest({ flavor: a.aFlavor({ name: pick('m1.small', 'm1.big', 'm1') }) }),
  },
  AvailabilityZoneFilter: {
    // a host is in one zone: the API lets nobody put it into two
    host: oneHost({ zone: pick(undefined, 'az1', 'az2') }).map(({ zone, ...host }) => ({
      ...host,
      availabilityZone: zone ?? 'nova',
      aggregates: zone ? [{ id: 'agg', name: 'a', metadata: { availability_zone: zone } }] : [],
    })),
    request: a.aRequest({ availabilityZone: nullable(pick('az1', 'az2', 'nova')) }),
  },
  AllHostsFilter: { host: oneHost({}), request: a.aRequest() },
};

/** Upstream's name → ours, where they differ. */
export const OUR_NAME = { AvailabilityZoneFilter: 'AvailabilityZone' };
