import type { RuleDefault } from '../../rule-default';

export const quotaSetsRules = [
  {
    name: 'os_compute_api:os-quota-sets:update',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'PUT', path: '/os-quota-sets/{tenant_id}' }],
  },
  {
    name: 'os_compute_api:os-quota-sets:defaults',
    check: '@',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-quota-sets/{tenant_id}/defaults' }],
  },
  {
    name: 'os_compute_api:os-quota-sets:show',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-quota-sets/{tenant_id}' }],
  },
  {
    name: 'os_compute_api:os-quota-sets:delete',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/os-quota-sets/{tenant_id}' }],
  },
  {
    name: 'os_compute_api:os-quota-sets:detail',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-quota-sets/{tenant_id}/detail' }],
  },
] as const satisfies readonly RuleDefault[];
