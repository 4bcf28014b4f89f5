import type { RuleDefault } from '../../rule-default';

export const serverDiagnosticsRules = [
  {
    name: 'os_compute_api:os-server-diagnostics',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/diagnostics' }],
  },
] as const satisfies readonly RuleDefault[];
