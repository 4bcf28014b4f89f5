import type { RuleDefault } from '../../rule-default';

export const serversMigrationsRules = [
  {
    name: 'os_compute_api:servers:migrations:show',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/migrations/{migration_id}' }],
  },
  {
    name: 'os_compute_api:servers:migrations:force_complete',
    check: 'rule:project_manager_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/migrations/{migration_id}/action (force_complete)' }],
  },
  {
    name: 'os_compute_api:servers:migrations:delete',
    check: 'rule:project_manager_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/servers/{server_id}/migrations/{migration_id}' }],
  },
  {
    name: 'os_compute_api:servers:migrations:index',
    check: 'rule:project_manager_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/migrations' }],
  },
  {
    name: 'os_compute_api:servers:migrations:index:host',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/migrations' }],
    deprecated: { name: 'os_compute_api:servers:migrations:index', check: 'rule:context_is_admin', since: '32.0.0' },
  },
] as const satisfies readonly RuleDefault[];
