import type { RuleDefault } from '../../rule-default';

export const adminPasswordRules = [
  {
    name: 'os_compute_api:os-admin-password',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (changePassword)' }],
  },
] as const satisfies readonly RuleDefault[];
