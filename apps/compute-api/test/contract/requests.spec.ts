import { CreateKeyPairDto, KeyPairQuery, ListKeyPairsQuery } from '../../src/api/key-pairs/key-pairs.dto';
import {
  AddTenantAccessDto,
  CreateExtraSpecsDto,
  CreateFlavorDto,
  ListFlavorsQuery,
  NoFlavorQuery,
  RemoveTenantAccessDto,
  UpdateExtraSpecDto,
  UpdateFlavorDto,
} from '../../src/api/flavors/flavors.dto';
import { LimitsQuery } from '../../src/api/limits/limits.dto';
import { ShowQuotaClassQuery, UpdateQuotaClassSetDto } from '../../src/api/quota-class-sets/quota-class-sets.dto';
import { ListServersQuery } from '../../src/api/servers/list-servers.dto';
import { QuotaDefaultsQuery, QuotaSetQuery, UpdateQuotaSetDto } from '../../src/api/quota-sets/quota-sets.dto';
import { withContract } from './contract';
import { describeConformance } from './request-conformance';

withContract('bodies and queries of flavors', () => {
  describeConformance('GET /flavors', ListFlavorsQuery, 'request_query', { base: {} });
  describeConformance('GET /flavors/detail', ListFlavorsQuery, 'request_query', { base: { limit: ['1'] } });
  describeConformance('GET /flavors/{id}', NoFlavorQuery, 'request_query', { base: {} });
  describeConformance('POST /flavors', CreateFlavorDto, 'request_body', {
    base: { flavor: { name: 'a', ram: 1, vcpus: 1, disk: 0 } },
  });
  describeConformance('PUT /flavors/{id}', UpdateFlavorDto, 'request_body', { base: { flavor: { description: 'a' } } });
  describeConformance('POST /flavors/{id}/action addTenantAccess', AddTenantAccessDto, 'request_body', {
    base: { addTenantAccess: { tenant: 'a' } },
  });
  describeConformance('POST /flavors/{id}/action removeTenantAccess', RemoveTenantAccessDto, 'request_body', {
    base: { removeTenantAccess: { tenant: 'a' } },
  });
  describeConformance('GET /flavors/{flavor_id}/os-extra_specs', NoFlavorQuery, 'request_query', { base: {} });
  describeConformance('POST /flavors/{flavor_id}/os-extra_specs', CreateExtraSpecsDto, 'request_body', {
    base: { extra_specs: { a: 'b' } },
  });
  describeConformance('PUT /flavors/{flavor_id}/os-extra_specs/{id}', UpdateExtraSpecDto, 'request_body', {
    base: { a: 'b' },
  });
  describeConformance('GET /flavors/{flavor_id}/os-flavor-access', NoFlavorQuery, 'request_query', { base: {} });
});

withContract('bodies and queries of key pairs', () => {
  describeConformance('GET /os-keypairs', ListKeyPairsQuery, 'request_query', { base: {} });
  describeConformance('GET /os-keypairs/{id}', KeyPairQuery, 'request_query', { base: {} });
  describeConformance('DELETE /os-keypairs/{id}', KeyPairQuery, 'request_query', { base: {} });
  describeConformance('POST /os-keypairs', CreateKeyPairDto, 'request_body', {
    base: { keypair: { name: 'a', public_key: 'k' } },
  });
});

withContract('bodies and queries of limits and quotas', () => {
  describeConformance('GET /limits', LimitsQuery, 'request_query', { base: {} });
  describeConformance('GET /os-quota-sets/{id}', QuotaSetQuery, 'request_query', { base: {} });
  describeConformance('GET /os-quota-sets/{id}/detail', QuotaSetQuery, 'request_query', { base: {} });
  describeConformance('GET /os-quota-sets/{id}/defaults', QuotaDefaultsQuery, 'request_query', { base: {} });
  describeConformance('DELETE /os-quota-sets/{id}', QuotaSetQuery, 'request_query', { base: {} });
  describeConformance('PUT /os-quota-sets/{id}', UpdateQuotaSetDto, 'request_body', {
    base: { quota_set: { cores: 1 } },
  });
  describeConformance('PUT /os-quota-sets/{id}', QuotaSetQuery, 'request_query', { base: {} });
  describeConformance('GET /os-quota-class-sets/{id}', ShowQuotaClassQuery, 'request_query', { base: {} });
  describeConformance('PUT /os-quota-class-sets/{id}', UpdateQuotaClassSetDto, 'request_body', {
    base: { quota_class_set: {} },
  });
});

withContract('queries of servers', () => {
  describeConformance('GET /servers', ListServersQuery, 'request_query', { base: {} });
  describeConformance('GET /servers/detail', ListServersQuery, 'request_query', { base: { sort_key: ['locked'] } });
});
