import type { RuleDefault } from '../../rule-default';

export const flavorManageRules = [
  {
    name: 'os_compute_api:os-flavor-manage:create',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/flavors' }],
  },
  {
    name: 'os_compute_api:os-flavor-manage:update',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'PUT', path: '/flavors/{flavor_id}' }],
  },
  {
    name: 'os_compute_api:os-flavor-manage:delete',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/flavors/{flavor_id}' }],
  },
] as const satisfies readonly RuleDefault[];
