/**
 * The registry of filters. They run in this order, cheap and telling ones first; a host is reported with the first
 * filter that rejects it. To add one: one file here, one line below; the compiler then asks for its examples
 * (`test/filter-examples.ts`). See docs/checklists/add-a-filter.md.
 */
import { aggregateImagePropertiesIsolation } from './aggregate-image-properties-isolation.filter';
import { aggregateInstanceExtraSpecsFilter } from './aggregate-instance-extra-specs.filter';
import { aggregateMultiTenancyIsolation } from './aggregate-multi-tenancy-isolation.filter';
import { aggregateTypeAffinityFilter } from './aggregate-type-affinity.filter';
import { allHostsFilter } from './all-hosts.filter';
import { availabilityZoneFilter } from './availability-zone.filter';
import { computeCapabilitiesFilter } from './compute-capabilities.filter';
import { computeFilter } from './compute.filter';
import { differentHostFilter } from './different-host.filter';
import { excludedHostsFilter } from './excluded-hosts.filter';
import type { HostFilter } from './filter';
import { imagePropertiesFilter } from './image-properties.filter';
import { aggregateIoOpsFilter, ioOpsFilter } from './io-ops.filter';
import { isolatedHostsFilter } from './isolated-hosts.filter';
import { aggregateNumInstancesFilter, numInstancesFilter } from './num-instances.filter';
import { requestedDestinationFilter } from './requested-destination.filter';
import { sameHostFilter } from './same-host.filter';
import { serverGroupAffinityFilter } from './server-group-affinity.filter';
import { serverGroupAntiAffinityFilter } from './server-group-anti-affinity.filter';
import { simpleCidrAffinityFilter } from './simple-cidr-affinity.filter';

export const FILTERS = [
  requestedDestinationFilter,
  excludedHostsFilter,
  availabilityZoneFilter,
  computeFilter,
  computeCapabilitiesFilter,
  imagePropertiesFilter,
  serverGroupAntiAffinityFilter,
  serverGroupAffinityFilter,
  sameHostFilter,
  differentHostFilter,
  simpleCidrAffinityFilter,
  numInstancesFilter,
  aggregateNumInstancesFilter,
  ioOpsFilter,
  aggregateIoOpsFilter,
  isolatedHostsFilter,
  aggregateInstanceExtraSpecsFilter,
  aggregateImagePropertiesIsolation,
  aggregateMultiTenancyIsolation,
  aggregateTypeAffinityFilter,
  allHostsFilter,
] as const satisfies readonly HostFilter[];

type Registered = (typeof FILTERS)[number];
export type FilterName = Registered['name'];
/** Code of a filter's rejection, by filter. */
export type FilterCode<N extends FilterName = FilterName> = keyof Extract<Registered, { name: N }>['codes'] & string;

/** The filters that options ask for, with those that always run. Throws a RangeError naming a filter that does not exist. */
export function enabledFilters(names: readonly string[]): readonly HostFilter[] {
  const unknown = names.filter((n) => !FILTERS.some((f) => f.name === n));
  if (unknown.length > 0) {
    throw new RangeError(`unknown filter ${unknown.join(', ')}; there are ${FILTERS.map((f) => f.name).join(', ')}`);
  }
  return FILTERS.filter((f) => f.always || names.includes(f.name));
}

export type { HostFilter } from './filter';
