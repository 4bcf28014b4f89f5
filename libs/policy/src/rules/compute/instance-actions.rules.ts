import type { RuleDefault } from '../../rule-default';

export const instanceActionsRules = [
  {
    name: 'os_compute_api:os-instance-actions:events:details',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/os-instance-actions/{request_id}' }],
  },
  {
    name: 'os_compute_api:os-instance-actions:events',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/os-instance-actions/{request_id}' }],
  },
  {
    name: 'os_compute_api:os-instance-actions:list',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/os-instance-actions' }],
    deprecated: { name: 'os_compute_api:os-instance-actions', check: 'rule:admin_or_owner', since: '21.0.0' },
  },
  {
    name: 'os_compute_api:os-instance-actions:show',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/os-instance-actions/{request_id}' }],
    deprecated: { name: 'os_compute_api:os-instance-actions', check: 'rule:admin_or_owner', since: '21.0.0' },
  },
] as const satisfies readonly RuleDefault[];
