import type { RuleDefault } from '../../rule-default';

export const allocationCandidateRules = [
  {
    name: 'placement:allocation_candidates:list',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/allocation_candidates' }],
  },
  {
    name: 'placement:allocation_candidates:explain',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/allocation_candidates/explain' }],
  },
] as const satisfies readonly RuleDefault[];
