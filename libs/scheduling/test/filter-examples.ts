/**
 * For every code of every filter, a host and a request that it rejects with that code. The type makes the compiler ask
 * for an example as soon as a filter or a code is added.
 */
import {
  DEFAULT_OPTIONS,
  type FilterCode,
  type FilterName,
  type HostView,
  type SchedulingOptions,
  type ScheduleRequest,
} from '../src';
import { aFlavor, anAggregate, anImage, aHost, withSpecs } from './fixtures';

export interface FilterExample {
  readonly host: Partial<HostView>;
  readonly request: Partial<ScheduleRequest>;
  readonly options?: Partial<SchedulingOptions>;
}

const group = (over: Partial<NonNullable<ScheduleRequest['serverGroup']>>): Partial<ScheduleRequest> => ({
  serverGroup: { groupId: 'g', policy: 'affinity', maxServerPerHost: 1, membersByHost: {}, ...over },
});
const service = aHost().service;
const inAggregate = (metadata: Record<string, string>): Partial<HostView> => ({ aggregates: [anAggregate(metadata)] });

export const FILTER_EXAMPLES: { [N in FilterName]: { [C in FilterCode<N>]: FilterExample } } = {
  RequestedDestination: {
    'target.other_host': { host: {}, request: { requestedHost: 'c2' } },
    'target.other_node': { host: {}, request: { requestedNode: 'c2' } },
  },
  ExcludedHosts: { 'host.already_tried': { host: {}, request: { excludeHosts: ['C1'] } } },
  AvailabilityZone: { 'zone.other': { host: {}, request: { availabilityZone: 'az1' } } },
  ComputeFilter: {
    'host.disabled': { host: { service: { ...service, disabled: true, disabledReason: 'new disks' } }, request: {} },
    'host.forced_down': { host: { service: { ...service, up: false, forcedDown: true } }, request: {} },
    'host.down': { host: { service: { ...service, up: false, silentSeconds: 99 } }, request: {} },
  },
  ComputeCapabilitiesFilter: {
    'capabilities.missing': { host: {}, request: withSpecs({ 'capabilities:gpu': '1' }) },
    'capabilities.mismatch': { host: {}, request: withSpecs({ 'capabilities:vcpus_total': '>= 32' }) },
  },
  ImagePropertiesFilter: {
    'image.platform': { host: {}, request: { image: anImage({ hw_architecture: 'aarch64' }) } },
    'image.hypervisor_version': {
      host: {},
      request: { image: anImage({ img_hv_type: 'kvm', img_hv_requested_version: '>=9.0' }) },
    },
    'image.address_bits': {
      host: {},
      request: { image: anImage({ hw_architecture: 'amd64', hw_maxphysaddr_bits: '46' }) },
    },
  },
  ServerGroupAntiAffinityFilter: {
    'group.anti_affinity': { host: {}, request: group({ policy: 'anti-affinity', membersByHost: { c1: 1 } }) },
  },
  ServerGroupAffinityFilter: { 'group.affinity': { host: {}, request: group({ membersByHost: { c2: 1 } }) } },
  SameHostFilter: {
    'hint.same_host': { host: {}, request: { schedulerHints: { same_host: ['s1'] }, hintedServers: { s1: 'c2' } } },
  },
  DifferentHostFilter: {
    'hint.different_host': {
      host: {},
      request: { schedulerHints: { different_host: ['s1'] }, hintedServers: { s1: 'c1' } },
    },
  },
  SimpleCIDRAffinityFilter: {
    'hint.cidr': { host: {}, request: { schedulerHints: { build_near_host_ip: ['198.51.100.7'], cidr: ['/24'] } } },
  },
  NumInstancesFilter: { 'host.servers': { host: { runningGuests: 50 }, request: {} } },
  AggregateNumInstancesFilter: {
    'host.servers': { host: { runningGuests: 3, ...inAggregate({ max_instances_per_host: '3' }) }, request: {} },
  },
  IoOpsFilter: { 'host.io_ops': { host: { ioOps: 8 }, request: {} } },
  AggregateIoOpsFilter: {
    'host.io_ops': { host: { ioOps: 1, ...inAggregate({ max_io_ops_per_host: '1' }) }, request: {} },
  },
  IsolatedHostsFilter: {
    'host.isolated': { host: {}, request: {}, options: { isolatedHosts: ['c1'] } },
    'host.not_isolated': {
      host: {},
      request: { image: anImage({}) },
      options: { isolatedImages: ['00000000-0000-4000-8000-0000000000ff'], isolatedHosts: ['c2'] },
    },
  },
  AggregateInstanceExtraSpecsFilter: {
    'aggregate.extra_spec_missing': { host: {}, request: withSpecs({ 'aggregate_instance_extra_specs:ssd': 'true' }) },
    'aggregate.extra_spec_mismatch': { host: inAggregate({ ssd: 'false' }), request: withSpecs({ ssd: 'true' }) },
  },
  AggregateImagePropertiesIsolation: {
    'aggregate.image_property': {
      host: inAggregate({ os_distro: 'windows' }),
      request: { image: anImage({ os_distro: 'debian' }) },
    },
  },
  AggregateMultiTenancyIsolation: {
    'aggregate.tenant': { host: inAggregate({ filter_tenant_id: 'p2,p3' }), request: {} },
  },
  AggregateTypeAffinityFilter: {
    'aggregate.flavor': { host: inAggregate({ instance_type: 'm1.big, m1.huge' }), request: { flavor: aFlavor() } },
  },
  AllHostsFilter: {},
};

export const optionsOf = (example: FilterExample): SchedulingOptions => ({ ...DEFAULT_OPTIONS, ...example.options });
