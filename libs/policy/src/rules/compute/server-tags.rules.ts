import type { RuleDefault } from '../../rule-default';

export const serverTagsRules = [
  {
    name: 'os_compute_api:os-server-tags:delete_all',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/servers/{server_id}/tags' }],
  },
  {
    name: 'os_compute_api:os-server-tags:index',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/tags' }],
  },
  {
    name: 'os_compute_api:os-server-tags:update_all',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'PUT', path: '/servers/{server_id}/tags' }],
  },
  {
    name: 'os_compute_api:os-server-tags:delete',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/servers/{server_id}/tags/{tag}' }],
  },
  {
    name: 'os_compute_api:os-server-tags:update',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'PUT', path: '/servers/{server_id}/tags/{tag}' }],
  },
  {
    name: 'os_compute_api:os-server-tags:show',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/tags/{tag}' }],
  },
] as const satisfies readonly RuleDefault[];
