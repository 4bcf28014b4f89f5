import type { RuleDefault } from '../../rule-default';

export const allocationCandidateRules = [
  {
    name: 'placement:allocation_candidates:list',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/allocation_candidates' }],
  },
] as const satisfies readonly RuleDefault[];
