import type { RuleDefault } from '../../rule-default';

export const keypairsRules = [
  {
    name: 'os_compute_api:os-keypairs:index',
    check: '(rule:context_is_admin) or user_id:%(user_id)s',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-keypairs' }],
  },
  {
    name: 'os_compute_api:os-keypairs:create',
    check: '(rule:context_is_admin) or user_id:%(user_id)s',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/os-keypairs' }],
  },
  {
    name: 'os_compute_api:os-keypairs:delete',
    check: '(rule:context_is_admin) or user_id:%(user_id)s',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/os-keypairs/{keypair_name}' }],
  },
  {
    name: 'os_compute_api:os-keypairs:show',
    check: '(rule:context_is_admin) or user_id:%(user_id)s',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-keypairs/{keypair_name}' }],
  },
] as const satisfies readonly RuleDefault[];
