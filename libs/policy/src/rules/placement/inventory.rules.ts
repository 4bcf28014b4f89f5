import type { RuleDefault } from '../../rule-default';

export const inventoryRules = [
  {
    name: 'placement:resource_providers:inventories:list',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/resource_providers/{uuid}/inventories' }],
  },
  {
    name: 'placement:resource_providers:inventories:create',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/resource_providers/{uuid}/inventories' }],
  },
  {
    name: 'placement:resource_providers:inventories:show',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/resource_providers/{uuid}/inventories/{resource_class}' }],
  },
  {
    name: 'placement:resource_providers:inventories:update',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [
      { method: 'PUT', path: '/resource_providers/{uuid}/inventories' },
      { method: 'PUT', path: '/resource_providers/{uuid}/inventories/{resource_class}' },
    ],
  },
  {
    name: 'placement:resource_providers:inventories:delete',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [
      { method: 'DELETE', path: '/resource_providers/{uuid}/inventories' },
      { method: 'DELETE', path: '/resource_providers/{uuid}/inventories/{resource_class}' },
    ],
  },
] as const satisfies readonly RuleDefault[];
