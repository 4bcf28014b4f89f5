import type { RuleDefault } from '../../rule-default';

export const flavorExtraSpecsRules = [
  {
    name: 'os_compute_api:os-flavor-extra-specs:show',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/flavors/{flavor_id}/os-extra_specs/{flavor_extra_spec_key}' }],
  },
  {
    name: 'os_compute_api:os-flavor-extra-specs:create',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/flavors/{flavor_id}/os-extra_specs/' }],
  },
  {
    name: 'os_compute_api:os-flavor-extra-specs:update',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'PUT', path: '/flavors/{flavor_id}/os-extra_specs/{flavor_extra_spec_key}' }],
  },
  {
    name: 'os_compute_api:os-flavor-extra-specs:delete',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/flavors/{flavor_id}/os-extra_specs/{flavor_extra_spec_key}' }],
  },
  {
    name: 'os_compute_api:os-flavor-extra-specs:index',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [
      { method: 'GET', path: '/flavors/{flavor_id}/os-extra_specs/' },
      { method: 'POST', path: '/flavors' },
      { method: 'GET', path: '/flavors/detail' },
      { method: 'GET', path: '/flavors/{flavor_id}' },
      { method: 'PUT', path: '/flavors/{flavor_id}' },
    ],
  },
] as const satisfies readonly RuleDefault[];
