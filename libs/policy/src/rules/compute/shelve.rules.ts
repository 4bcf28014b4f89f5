import type { RuleDefault } from '../../rule-default';

export const shelveRules = [
  {
    name: 'os_compute_api:os-shelve:shelve',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (shelve)' }],
  },
  {
    name: 'os_compute_api:os-shelve:unshelve',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (unshelve)' }],
  },
  {
    name: 'os_compute_api:os-shelve:unshelve_to_host',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (unshelve)' }],
  },
  {
    name: 'os_compute_api:os-shelve:shelve_offload',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (shelveOffload)' }],
  },
] as const satisfies readonly RuleDefault[];
