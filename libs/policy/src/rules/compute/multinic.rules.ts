import type { RuleDefault } from '../../rule-default';

export const multinicRules = [
  {
    name: 'os_compute_api:os-multinic:add',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (addFixedIp)' }],
    deprecated: { name: 'os_compute_api:os-multinic', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-multinic:remove',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (removeFixedIp)' }],
    deprecated: { name: 'os_compute_api:os-multinic', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
] as const satisfies readonly RuleDefault[];
