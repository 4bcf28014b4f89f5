import {
  AddHostBody,
  AggregateQuery,
  CacheImagesBody,
  CreateAggregateBody,
  RemoveHostBody,
  SetMetadataBody,
  UpdateAggregateBody,
} from '../../src/api/aggregates/aggregates.dto';
import { ListAvailabilityZonesQuery } from '../../src/api/availability-zones/availability-zones.dto';
import { ListHypervisorsQuery, ShowHypervisorQuery } from '../../src/api/hypervisors/hypervisors.dto';
import { ListInstanceActionsQuery, ShowInstanceActionQuery } from '../../src/api/instance-actions/instance-actions.dto';
import { ListServicesQuery, UpdateServiceBody } from '../../src/api/services/services.dto';
import { withContract } from './contract';
import { describeConformance } from './request-conformance';

withContract('requests about hosts', () => {
  describeConformance('POST /os-aggregates', CreateAggregateBody, 'request_body', {
    base: { aggregate: { name: 'a', availability_zone: 'z' } },
  });
  describeConformance('PUT /os-aggregates/{id}', UpdateAggregateBody, 'request_body', {
    base: { aggregate: { name: 'a', availability_zone: null } },
  });
  describeConformance('POST /os-aggregates/{id}/action add_host', AddHostBody, 'request_body', {
    base: { add_host: { host: 'h' } },
  });
  describeConformance('POST /os-aggregates/{id}/action remove_host', RemoveHostBody, 'request_body', {
    base: { remove_host: { host: 'h' } },
  });
  describeConformance('POST /os-aggregates/{id}/action set_metadata', SetMetadataBody, 'request_body', {
    base: { set_metadata: { metadata: { a: 'b', c: null } } },
  });
  describeConformance('POST /os-aggregates/{id}/images', CacheImagesBody, 'request_body', {
    base: { cache: [{ id: '8f7c0d51-2a66-4b4c-8f39-0d2f6e1c3b5a' }] },
  });
  describeConformance('GET /os-aggregates', AggregateQuery, 'request_query', { base: {} });
  describeConformance('GET /os-availability-zone', ListAvailabilityZonesQuery, 'request_query', { base: {} });
  describeConformance('GET /os-hypervisors', ListHypervisorsQuery, 'request_query', { base: {} });
  describeConformance('GET /os-hypervisors/detail', ListHypervisorsQuery, 'request_query', { base: {} });
  describeConformance('GET /os-hypervisors/{id}', ShowHypervisorQuery, 'request_query', { base: {} });
  describeConformance('PUT /os-services/{id}', UpdateServiceBody, 'request_body', {
    base: (version: string) => (Number(version.slice(2)) < 53 ? { host: 'h', binary: 'b' } : { status: 'disabled' }),
  });
  describeConformance('GET /os-services', ListServicesQuery, 'request_query', { base: { host: ['h'], binary: ['b'] } });
  describeConformance('GET /servers/{server_id}/os-instance-actions', ListInstanceActionsQuery, 'request_query', {
    base: {},
  });
  describeConformance('GET /servers/{server_id}/os-instance-actions/{id}', ShowInstanceActionQuery, 'request_query', {
    base: {},
  });
});
