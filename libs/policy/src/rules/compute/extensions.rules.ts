import type { RuleDefault } from '../../rule-default';

export const extensionsRules = [
  {
    name: 'os_compute_api:extensions',
    check: '@',
    scopeTypes: ['project'],
    operations: [
      { method: 'GET', path: '/extensions' },
      { method: 'GET', path: '/extensions/{alias}' },
    ],
  },
] as const satisfies readonly RuleDefault[];
