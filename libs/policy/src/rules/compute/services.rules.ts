import type { RuleDefault } from '../../rule-default';

export const servicesRules = [
  {
    name: 'os_compute_api:os-services:list',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-services' }],
    deprecated: { name: 'os_compute_api:os-services', check: 'rule:admin_api', since: '21.0.0' },
  },
  {
    name: 'os_compute_api:os-services:update',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'PUT', path: '/os-services/{service_id}' }],
    deprecated: { name: 'os_compute_api:os-services', check: 'rule:admin_api', since: '21.0.0' },
  },
  {
    name: 'os_compute_api:os-services:delete',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/os-services/{service_id}' }],
    deprecated: { name: 'os_compute_api:os-services', check: 'rule:admin_api', since: '21.0.0' },
  },
] as const satisfies readonly RuleDefault[];
