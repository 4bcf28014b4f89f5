import type { RuleDefault } from '../../rule-default';

export const evacuateRules = [
  {
    name: 'os_compute_api:os-evacuate',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (evacuate)' }],
  },
] as const satisfies readonly RuleDefault[];
