import type { RuleDefault } from '../../rule-default';

export const serverMetadataRules = [
  {
    name: 'os_compute_api:server-metadata:index',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/metadata' }],
  },
  {
    name: 'os_compute_api:server-metadata:show',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/metadata/{key}' }],
  },
  {
    name: 'os_compute_api:server-metadata:create',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/metadata' }],
  },
  {
    name: 'os_compute_api:server-metadata:update_all',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'PUT', path: '/servers/{server_id}/metadata' }],
  },
  {
    name: 'os_compute_api:server-metadata:update',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'PUT', path: '/servers/{server_id}/metadata/{key}' }],
  },
  {
    name: 'os_compute_api:server-metadata:delete',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/servers/{server_id}/metadata/{key}' }],
  },
] as const satisfies readonly RuleDefault[];
