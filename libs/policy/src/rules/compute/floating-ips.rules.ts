import type { RuleDefault } from '../../rule-default';

export const floatingIpsRules = [
  {
    name: 'os_compute_api:os-floating-ips:add',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (addFloatingIp)' }],
    deprecated: { name: 'os_compute_api:os-floating-ips', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-floating-ips:remove',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (removeFloatingIp)' }],
    deprecated: { name: 'os_compute_api:os-floating-ips', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-floating-ips:list',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-floating-ips' }],
    deprecated: { name: 'os_compute_api:os-floating-ips', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-floating-ips:create',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/os-floating-ips' }],
    deprecated: { name: 'os_compute_api:os-floating-ips', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-floating-ips:show',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-floating-ips/{floating_ip_id}' }],
    deprecated: { name: 'os_compute_api:os-floating-ips', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-floating-ips:delete',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/os-floating-ips/{floating_ip_id}' }],
    deprecated: { name: 'os_compute_api:os-floating-ips', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
] as const satisfies readonly RuleDefault[];
