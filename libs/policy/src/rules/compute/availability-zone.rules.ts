import type { RuleDefault } from '../../rule-default';

export const availabilityZoneRules = [
  {
    name: 'os_compute_api:os-availability-zone:list',
    check: '@',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-availability-zone' }],
  },
  {
    name: 'os_compute_api:os-availability-zone:detail',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-availability-zone/detail' }],
  },
] as const satisfies readonly RuleDefault[];
