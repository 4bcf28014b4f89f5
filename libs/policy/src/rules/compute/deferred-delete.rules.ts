import type { RuleDefault } from '../../rule-default';

export const deferredDeleteRules = [
  {
    name: 'os_compute_api:os-deferred-delete:restore',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (restore)' }],
    deprecated: { name: 'os_compute_api:os-deferred-delete', check: 'rule:admin_or_owner', since: '21.0.0' },
  },
  {
    name: 'os_compute_api:os-deferred-delete:force',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (forceDelete)' }],
    deprecated: { name: 'os_compute_api:os-deferred-delete', check: 'rule:admin_or_owner', since: '21.0.0' },
  },
] as const satisfies readonly RuleDefault[];
