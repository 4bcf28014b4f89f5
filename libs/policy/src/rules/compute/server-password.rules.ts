import type { RuleDefault } from '../../rule-default';

export const serverPasswordRules = [
  {
    name: 'os_compute_api:os-server-password:show',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/os-server-password' }],
    deprecated: { name: 'os_compute_api:os-server-password', check: 'rule:admin_or_owner', since: '21.0.0' },
  },
  {
    name: 'os_compute_api:os-server-password:clear',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/servers/{server_id}/os-server-password' }],
    deprecated: { name: 'os_compute_api:os-server-password', check: 'rule:admin_or_owner', since: '21.0.0' },
  },
] as const satisfies readonly RuleDefault[];
