import type { RuleDefault } from '../../rule-default';

export const pauseServerRules = [
  {
    name: 'os_compute_api:os-pause-server:pause',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (pause)' }],
  },
  {
    name: 'os_compute_api:os-pause-server:unpause',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (unpause)' }],
  },
] as const satisfies readonly RuleDefault[];
