/** The registry of request filters, in the order they run. To add one: one file here, one line below, one example in the test. */
import { acceleratorsFilter } from './accelerators.request-filter';
import { computeStatusFilter } from './compute-status.request-filter';
import { ephemeralEncryptionFilter } from './ephemeral-encryption.request-filter';
import { isolateAggregates } from './isolate-aggregates.request-filter';
import { mapAzToPlacementAggregate } from './map-az-to-placement-aggregate.request-filter';
import { multiattachFilter } from './multiattach.request-filter';
import { ownerNovaFilter } from './owner-nova.request-filter';
import { packedVirtqueueFilter } from './packed-virtqueue.request-filter';
import { remoteManagedPortsFilter } from './remote-managed-ports.request-filter';
import type { RequestFilter } from './request-filter';
import { requestedDestination } from './requested-destination.request-filter';
import { requireImageTypeSupport } from './require-image-type-support.request-filter';
import { requireTenantAggregate } from './require-tenant-aggregate.request-filter';
import { routedNetworksFilter } from './routed-networks.request-filter';
import { tpmSecretSecurityFilter } from './tpm-secret-security.request-filter';
import { transformImageMetadata } from './transform-image-metadata.request-filter';
import { unlimitedForHints } from './unlimited-for-hints.request-filter';
import { virtioSoundFilter } from './virtio-sound.request-filter';

export const REQUEST_FILTERS = [
  requestedDestination,
  requireTenantAggregate,
  mapAzToPlacementAggregate,
  requireImageTypeSupport,
  computeStatusFilter,
  isolateAggregates,
  transformImageMetadata,
  acceleratorsFilter,
  packedVirtqueueFilter,
  routedNetworksFilter,
  remoteManagedPortsFilter,
  ephemeralEncryptionFilter,
  virtioSoundFilter,
  tpmSecretSecurityFilter,
  multiattachFilter,
  unlimitedForHints,
  ownerNovaFilter,
] as const satisfies readonly RequestFilter[];

type Registered = (typeof REQUEST_FILTERS)[number];
export type RequestFilterName = Registered['name'];
export type RequestFilterCode<N extends RequestFilterName = RequestFilterName> = keyof Extract<
  Registered,
  { name: N }
>['codes'] &
  string;
export type { Constraints, RequestFilter, RequestFilterResult } from './request-filter';
