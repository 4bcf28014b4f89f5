import type { RuleDefault } from '../../rule-default';

export const flavorAccessRules = [
  {
    name: 'os_compute_api:os-flavor-access:add_tenant_access',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/flavors/{flavor_id}/action (addTenantAccess)' }],
  },
  {
    name: 'os_compute_api:os-flavor-access:remove_tenant_access',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/flavors/{flavor_id}/action (removeTenantAccess)' }],
  },
  {
    name: 'os_compute_api:os-flavor-access',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/flavors/{flavor_id}/os-flavor-access' }],
    deprecated: { name: 'os_compute_api:os-flavor-access', check: 'rule:admin_or_owner', since: '21.0.0' },
  },
] as const satisfies readonly RuleDefault[];
