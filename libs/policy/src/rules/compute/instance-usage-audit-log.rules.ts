import type { RuleDefault } from '../../rule-default';

export const instanceUsageAuditLogRules = [
  {
    name: 'os_compute_api:os-instance-usage-audit-log:list',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-instance_usage_audit_log' }],
    deprecated: { name: 'os_compute_api:os-instance-usage-audit-log', check: 'rule:admin_api', since: '21.0.0' },
  },
  {
    name: 'os_compute_api:os-instance-usage-audit-log:show',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-instance_usage_audit_log/{before_timestamp}' }],
    deprecated: { name: 'os_compute_api:os-instance-usage-audit-log', check: 'rule:admin_api', since: '21.0.0' },
  },
] as const satisfies readonly RuleDefault[];
