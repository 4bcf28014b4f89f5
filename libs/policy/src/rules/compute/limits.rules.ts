import type { RuleDefault } from '../../rule-default';

export const limitsRules = [
  {
    name: 'os_compute_api:limits',
    check: '@',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/limits' }],
  },
  {
    name: 'os_compute_api:limits:other_project',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/limits' }],
    deprecated: { name: 'os_compute_api:os-used-limits', check: 'rule:admin_api', since: '21.0.0' },
  },
] as const satisfies readonly RuleDefault[];
