import type { RuleDefault } from '../../rule-default';

export const floatingIpPoolsRules = [
  {
    name: 'os_compute_api:os-floating-ip-pools',
    check: '@',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-floating-ip-pools' }],
  },
] as const satisfies readonly RuleDefault[];
