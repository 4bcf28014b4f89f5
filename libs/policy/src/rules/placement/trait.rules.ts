import type { RuleDefault } from '../../rule-default';

export const traitRules = [
  {
    name: 'placement:traits:list',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/traits' }],
  },
  {
    name: 'placement:traits:show',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/traits/{name}' }],
  },
  {
    name: 'placement:traits:update',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'PUT', path: '/traits/{name}' }],
  },
  {
    name: 'placement:traits:delete',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/traits/{name}' }],
  },
  {
    name: 'placement:resource_providers:traits:list',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/resource_providers/{uuid}/traits' }],
  },
  {
    name: 'placement:resource_providers:traits:update',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'PUT', path: '/resource_providers/{uuid}/traits' }],
  },
  {
    name: 'placement:resource_providers:traits:delete',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/resource_providers/{uuid}/traits' }],
  },
] as const satisfies readonly RuleDefault[];
