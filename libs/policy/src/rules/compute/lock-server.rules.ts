import type { RuleDefault } from '../../rule-default';

export const lockServerRules = [
  {
    name: 'os_compute_api:os-lock-server:lock',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (lock)' }],
  },
  {
    name: 'os_compute_api:os-lock-server:unlock',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (unlock)' }],
  },
  {
    name: 'os_compute_api:os-lock-server:unlock:unlock_override',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (unlock)' }],
  },
] as const satisfies readonly RuleDefault[];
