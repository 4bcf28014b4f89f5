import type { RuleDefault } from '../../rule-default';

export const serverGroupsRules = [
  {
    name: 'os_compute_api:os-server-groups:create',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/os-server-groups' }],
  },
  {
    name: 'os_compute_api:os-server-groups:delete',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/os-server-groups/{server_group_id}' }],
  },
  {
    name: 'os_compute_api:os-server-groups:index',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-server-groups' }],
  },
  {
    name: 'os_compute_api:os-server-groups:index:all_projects',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-server-groups' }],
  },
  {
    name: 'os_compute_api:os-server-groups:show',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-server-groups/{server_group_id}' }],
  },
] as const satisfies readonly RuleDefault[];
