import type { RuleDefault } from '../../rule-default';

export const consoleAuthTokensRules = [
  {
    name: 'os_compute_api:os-console-auth-tokens',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-console-auth-tokens/{console_token}' }],
  },
] as const satisfies readonly RuleDefault[];
