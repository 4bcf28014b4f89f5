import type { RuleDefault } from '../../rule-default';

export const allocationRules = [
  {
    name: 'placement:allocations:manage',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/allocations' }],
  },
  {
    name: 'placement:allocations:list',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/allocations/{consumer_uuid}' }],
  },
  {
    name: 'placement:allocations:update',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'PUT', path: '/allocations/{consumer_uuid}' }],
  },
  {
    name: 'placement:allocations:delete',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/allocations/{consumer_uuid}' }],
  },
  {
    name: 'placement:resource_providers:allocations:list',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/resource_providers/{uuid}/allocations' }],
  },
] as const satisfies readonly RuleDefault[];
