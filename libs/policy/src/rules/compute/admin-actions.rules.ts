import type { RuleDefault } from '../../rule-default';

export const adminActionsRules = [
  {
    name: 'os_compute_api:os-admin-actions:reset_state',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (os-resetState)' }],
  },
  {
    name: 'os_compute_api:os-admin-actions:inject_network_info',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (injectNetworkInfo)' }],
  },
] as const satisfies readonly RuleDefault[];
