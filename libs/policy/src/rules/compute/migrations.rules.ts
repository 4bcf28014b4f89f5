import type { RuleDefault } from '../../rule-default';

export const migrationsRules = [
  {
    name: 'os_compute_api:os-migrations:index',
    check: 'rule:project_manager_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-migrations' }],
  },
  {
    name: 'os_compute_api:os-migrations:index:all_projects',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-migrations' }],
    deprecated: { name: 'os_compute_api:os-migrations:index', check: 'rule:context_is_admin', since: '32.0.0' },
  },
  {
    name: 'os_compute_api:os-migrations:index:host',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-migrations' }],
    deprecated: { name: 'os_compute_api:os-migrations:index', check: 'rule:context_is_admin', since: '32.0.0' },
  },
] as const satisfies readonly RuleDefault[];
