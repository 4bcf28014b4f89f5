import type { RuleDefault } from '../../rule-default';

export const usageRules = [
  {
    name: 'placement:resource_providers:usages',
    check: 'rule:admin_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/resource_providers/{uuid}/usages' }],
  },
  {
    name: 'placement:usages',
    check: 'rule:admin_or_project_reader_or_service_api',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/usages' }],
  },
] as const satisfies readonly RuleDefault[];
