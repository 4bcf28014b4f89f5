import type { RuleDefault } from '../../rule-default';

export const quotaClassSetsRules = [
  {
    name: 'os_compute_api:os-quota-class-sets:show',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-quota-class-sets/{quota_class}' }],
  },
  {
    name: 'os_compute_api:os-quota-class-sets:update',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'PUT', path: '/os-quota-class-sets/{quota_class}' }],
  },
] as const satisfies readonly RuleDefault[];
