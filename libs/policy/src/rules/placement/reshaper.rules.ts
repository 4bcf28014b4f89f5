import type { RuleDefault } from '../../rule-default';

export const reshaperRules = [
  {
    name: 'placement:reshaper:reshape',
    check: 'rule:service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/reshaper' }],
  },
] as const satisfies readonly RuleDefault[];
