import type { RuleDefault } from '../../rule-default';

export const serverSharesRules = [
  {
    name: 'os_compute_api:os-server-shares:index',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/shares' }],
  },
  {
    name: 'os_compute_api:os-server-shares:create',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/shares' }],
  },
  {
    name: 'os_compute_api:os-server-shares:show',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/shares/{share_id}' }],
  },
  {
    name: 'os_compute_api:os-server-shares:delete',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/servers/{server_id}/shares/{share_id}' }],
  },
] as const satisfies readonly RuleDefault[];
