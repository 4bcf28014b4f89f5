import type { RuleDefault } from '../../rule-default';

export const migrateServerRules = [
  {
    name: 'os_compute_api:os-migrate-server:migrate',
    check: 'rule:project_manager_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (migrate)' }],
  },
  {
    name: 'os_compute_api:os-migrate-server:migrate:host',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (migrate)' }],
  },
  {
    name: 'os_compute_api:os-migrate-server:migrate_live',
    check: 'rule:project_manager_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (os-migrateLive)' }],
  },
  {
    name: 'os_compute_api:os-migrate-server:migrate_live:host',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (os-migrateLive)' }],
    deprecated: {
      name: 'os_compute_api:os-migrate-server:migrate_live',
      check: 'rule:context_is_admin',
      since: '32.0.0',
    },
  },
] as const satisfies readonly RuleDefault[];
