import type { RuleDefault } from '../../rule-default';

export const rescueRules = [
  {
    name: 'os_compute_api:os-rescue',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (rescue)' }],
  },
  {
    name: 'os_compute_api:os-unrescue',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (unrescue)' }],
    deprecated: { name: 'os_compute_api:os-rescue', check: 'rule:admin_or_owner', since: '21.0.0' },
  },
] as const satisfies readonly RuleDefault[];
