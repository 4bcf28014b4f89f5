import type { RuleDefault } from '../../rule-default';

export const resourceClassRules = [
  {
    name: 'placement:resource_classes:list',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/resource_classes' }],
  },
  {
    name: 'placement:resource_classes:create',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/resource_classes' }],
  },
  {
    name: 'placement:resource_classes:show',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/resource_classes/{name}' }],
  },
  {
    name: 'placement:resource_classes:update',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'PUT', path: '/resource_classes/{name}' }],
  },
  {
    name: 'placement:resource_classes:delete',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/resource_classes/{name}' }],
  },
] as const satisfies readonly RuleDefault[];
