import type { RuleDefault } from '../../rule-default';

export const aggregateRules = [
  {
    name: 'placement:resource_providers:aggregates:list',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/resource_providers/{uuid}/aggregates' }],
  },
  {
    name: 'placement:resource_providers:aggregates:update',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'PUT', path: '/resource_providers/{uuid}/aggregates' }],
  },
] as const satisfies readonly RuleDefault[];
