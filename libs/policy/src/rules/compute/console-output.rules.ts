import type { RuleDefault } from '../../rule-default';

export const consoleOutputRules = [
  {
    name: 'os_compute_api:os-console-output',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (os-getConsoleOutput)' }],
  },
] as const satisfies readonly RuleDefault[];
