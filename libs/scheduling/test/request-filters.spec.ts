import { isStandardTrait } from '@fractus/os-traits';
import {
  type CloudFacts,
  DEFAULT_OPTIONS,
  REQUEST_FILTERS,
  type RequestFilterCode,
  type RequestFilterName,
  type SchedulingOptions,
  type ScheduleRequest,
} from '../src';
import { anAggregate, anImage, aRequest, someFacts, withSpecs } from './fixtures';

interface Example {
  request?: Partial<ScheduleRequest>;
  facts?: Partial<CloudFacts>;
  options?: Partial<SchedulingOptions>;
}

const zone = anAggregate({ availability_zone: 'az1' }, 'agg-az1');
const tenant = anAggregate({ filter_tenant_id_2: 'p1' }, 'agg-p1');
const gold = anAggregate({ 'trait:CUSTOM_GOLD': 'required' }, 'agg-gold');

/** What each adds to the query when it is asked for. The compiler asks for an example of every request filter. */
const ADDS: { [N in RequestFilterName]: Example & { adds: object } } = {
  requested_destination: { request: { requestedHost: 'c1' }, adds: { inTree: '00000000-0000-4000-8000-000000000001' } },
  require_tenant_aggregate: {
    facts: { aggregates: [tenant, zone] },
    options: { limitTenantsToPlacementAggregate: true },
    adds: { memberOf: [['agg-p1']] },
  },
  map_az_to_placement_aggregate: {
    request: { availabilityZone: 'az1' },
    facts: { aggregates: [zone, tenant] },
    adds: { memberOf: [['agg-az1']] },
  },
  require_image_type_support: {
    request: { image: anImage({}, 'raw') },
    options: { queryPlacementForImageTypeSupport: true },
    adds: { rootRequired: ['COMPUTE_IMAGE_TYPE_RAW'] },
  },
  compute_status_filter: { adds: { rootForbidden: ['COMPUTE_STATUS_DISABLED'] } },
  isolate_aggregates: {
    facts: { aggregates: [gold, zone] },
    options: { enableIsolatedAggregateFiltering: true },
    adds: { notMemberOf: ['agg-gold'] },
  },
  transform_image_metadata: {
    request: { image: anImage({ hw_disk_bus: 'virtio', hw_viommu_model: 'intel', hw_vif_model: 'no-such' }) },
    options: { imageMetadataPrefilter: true },
    adds: { rootRequired: ['COMPUTE_STORAGE_BUS_VIRTIO', 'COMPUTE_VIOMMU_MODEL_INTEL'] },
  },
  accelerators_filter: {
    request: withSpecs({ 'accel:device_profile': 'fpga' }),
    adds: { rootRequired: ['COMPUTE_ACCELERATORS'] },
  },
  packed_virtqueue_filter: {
    request: { image: anImage({ hw_virtio_packed_ring: 'True' }) },
    adds: { rootRequired: ['COMPUTE_NET_VIRTIO_PACKED'] },
  },
  routed_networks_filter: {
    request: { networkAggregates: [['a', 'b'], [], ['c']] },
    options: { queryPlacementForRoutedNetworkAggregates: true },
    adds: { memberOf: [['a', 'b'], ['c']] },
  },
  remote_managed_ports_filter: {
    request: { remoteManagedPorts: true },
    adds: { rootRequired: ['COMPUTE_REMOTE_MANAGED_PORTS'] },
  },
  ephemeral_encryption_filter: {
    request: withSpecs({ 'hw:ephemeral_encryption': 'true', 'hw:ephemeral_encryption_format': 'luks' }),
    adds: { rootRequired: ['COMPUTE_EPHEMERAL_ENCRYPTION', 'COMPUTE_EPHEMERAL_ENCRYPTION_LUKS'] },
  },
  virtio_sound_filter: {
    request: withSpecs({ 'hw:sound_model': 'virtio' }),
    adds: { rootRequired: ['COMPUTE_SOUND_MODEL_VIRTIO'] },
  },
  tpm_secret_security_filter: {
    request: withSpecs({ 'hw:tpm_version': '2.0' }),
    adds: { rootRequired: ['COMPUTE_SECURITY_TPM_SECRET_SECURITY_USER'] },
  },
  multiattach_filter: {
    request: { multiattachVolumes: true },
    adds: { rootRequired: ['COMPUTE_VOLUME_MULTI_ATTACH'] },
  },
  unlimited_for_hints: { request: { schedulerHints: { group: ['g'] } }, adds: { unlimited: true } },
  owner_nova_filter: { facts: { everyHostOwned: true }, adds: { rootRequired: ['OWNER_NOVA'] } },
};

const REFUSES: { [N in RequestFilterName]: Record<RequestFilterCode<N>, Example> } = {
  requested_destination: { 'target.unknown': { request: { requestedHost: 'c9' } } },
  require_tenant_aggregate: {
    'tenant.no_aggregate': {
      options: { limitTenantsToPlacementAggregate: true, placementAggregateRequiredForTenants: true },
    },
  },
  map_az_to_placement_aggregate: {},
  require_image_type_support: {},
  compute_status_filter: {},
  isolate_aggregates: {},
  transform_image_metadata: {},
  accelerators_filter: {},
  packed_virtqueue_filter: {},
  routed_networks_filter: {},
  remote_managed_ports_filter: {},
  ephemeral_encryption_filter: {},
  virtio_sound_filter: {},
  tpm_secret_security_filter: {
    'tpm.secret_security': { request: withSpecs({ 'hw:tpm_version': '2.0', 'hw:tpm_secret_security': 'nobody' }) },
  },
  multiattach_filter: {},
  unlimited_for_hints: {},
  owner_nova_filter: {},
};

const apply = (name: RequestFilterName, { request, facts, options }: Example) =>
  REQUEST_FILTERS.find((f) => f.name === name)!.apply(aRequest(request), someFacts(facts), {
    ...DEFAULT_OPTIONS,
    ...options,
  });

describe('request filters', () => {
  it.each(REQUEST_FILTERS.map(({ name }) => ({ name })))('$name adds what it should', ({ name }) => {
    const result = apply(name, ADDS[name]);
    expect(result).toEqual({ constraints: ADDS[name].adds });
    const { rootRequired = [], rootForbidden = [] } = ADDS[name].adds as {
      rootRequired?: string[];
      rootForbidden?: string[];
    };
    for (const trait of [...rootRequired, ...rootForbidden]) expect(isStandardTrait(trait)).toBe(true);
  });

  it.each(REQUEST_FILTERS.filter((f) => f.name !== 'compute_status_filter').map(({ name }) => ({ name })))(
    '$name adds nothing to a plain request',
    ({ name }) => expect(apply(name, {})).toBeNull(),
  );

  it.each(REQUEST_FILTERS.flatMap((f) => Object.keys(f.codes).map((code) => ({ name: f.name, code }))))(
    '$name refuses with $code',
    ({ name, code }) => {
      const result = apply(name, (REFUSES[name] as Record<string, Example>)[code]!);
      expect(result).toMatchObject({ rejected: { code, sentence: expect.stringMatching(/^[A-Z].*\.$/) as string } });
      if (result === null || !('rejected' in result)) return;
      expect(Object.keys(result.rejected).sort()).toEqual(['code', 'have', 'need', 'sentence']);
      expect([result.rejected.have, result.rejected.need]).not.toContain(undefined);
      expect(result.rejected.sentence).not.toMatch(/undefined|null|NaN|\[object/);
    },
  );

  it('knows an isolated aggregate by any required trait, wherever the request names it', () => {
    const options = { enableIsolatedAggregateFiltering: true };
    const facts = { aggregates: [gold] };
    expect(
      apply('isolate_aggregates', { facts, options, request: withSpecs({ 'trait_A:CUSTOM_GOLD': 'required' }) }),
    ).toBeNull();
    expect(
      apply('isolate_aggregates', { facts, options, request: { image: anImage({ 'trait:CUSTOM_GOLD': 'required' }) } }),
    ).toBeNull();
    expect(
      apply('isolate_aggregates', { facts, options, request: withSpecs({ 'trait:CUSTOM_GOLD': 'forbidden' }) }),
    ).not.toBeNull();
    const sev = { aggregates: [anAggregate({ 'trait:HW_CPU_X86_AMD_SEV': 'required' })] };
    const encrypted = withSpecs({ 'hw:mem_encryption': 'true' });
    expect(apply('isolate_aggregates', { facts: sev, options, request: encrypted })).toBeNull();
    expect(apply('isolate_aggregates', { facts: sev, options })).not.toBeNull();
  });

  it('reads images by the names they had before', () => {
    const image = anImage({ architecture: 'AMD64', vmware_adaptertype: 'lsiLogic' });
    expect(
      apply('transform_image_metadata', { request: { image }, options: { imageMetadataPrefilter: true } }),
    ).toEqual({ constraints: { rootRequired: ['COMPUTE_STORAGE_BUS_SCSI', 'HW_ARCH_X86_64'] } });
  });

  it('asks without a limit where a host has several nodes', () => {
    const hosts = ['n1', 'n2'].map((node) => ({ host: 'bm', node, nodeId: node }));
    expect(apply('requested_destination', { request: { requestedHost: 'bm' }, facts: { hosts } })).toEqual({
      constraints: { unlimited: true },
    });
    expect(apply('requested_destination', { request: { requestedNode: 'n2' }, facts: { hosts } })).toEqual({
      constraints: { inTree: 'n2' },
    });
  });
});
