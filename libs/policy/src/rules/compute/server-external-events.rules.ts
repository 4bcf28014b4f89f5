import type { RuleDefault } from '../../rule-default';

export const serverExternalEventsRules = [
  {
    name: 'os_compute_api:os-server-external-events:create',
    check: 'rule:service_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/os-server-external-events' }],
  },
] as const satisfies readonly RuleDefault[];
