import type { RuleDefault } from '../../rule-default';

export const simpleTenantUsageRules = [
  {
    name: 'os_compute_api:os-simple-tenant-usage:show',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-simple-tenant-usage/{tenant_id}' }],
  },
  {
    name: 'os_compute_api:os-simple-tenant-usage:list',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-simple-tenant-usage' }],
  },
] as const satisfies readonly RuleDefault[];
