import type { RuleDefault } from '../../rule-default';

export const resourceProviderRules = [
  {
    name: 'placement:resource_providers:list',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/resource_providers' }],
  },
  {
    name: 'placement:resource_providers:create',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/resource_providers' }],
  },
  {
    name: 'placement:resource_providers:show',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/resource_providers/{uuid}' }],
  },
  {
    name: 'placement:resource_providers:update',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'PUT', path: '/resource_providers/{uuid}' }],
  },
  {
    name: 'placement:resource_providers:delete',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/resource_providers/{uuid}' }],
  },
] as const satisfies readonly RuleDefault[];
