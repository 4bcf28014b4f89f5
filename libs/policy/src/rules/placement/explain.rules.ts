import type { RuleDefault } from '../../rule-default';

/** Of operations that upstream has not. */
export const explainRules = [
  {
    name: 'placement:allocation_candidates:explain',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/allocation_candidates/explain' }],
  },
] as const satisfies readonly RuleDefault[];
