import type { RuleDefault } from '../../rule-default';

export const suspendServerRules = [
  {
    name: 'os_compute_api:os-suspend-server:resume',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (resume)' }],
  },
  {
    name: 'os_compute_api:os-suspend-server:suspend',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (suspend)' }],
  },
] as const satisfies readonly RuleDefault[];
