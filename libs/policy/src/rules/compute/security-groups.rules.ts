import type { RuleDefault } from '../../rule-default';

export const securityGroupsRules = [
  {
    name: 'os_compute_api:os-security-groups:get',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-security-groups' }],
    deprecated: { name: 'os_compute_api:os-security-groups', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-security-groups:show',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-security-groups/{security_group_id}' }],
    deprecated: { name: 'os_compute_api:os-security-groups', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-security-groups:create',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/os-security-groups' }],
    deprecated: { name: 'os_compute_api:os-security-groups', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-security-groups:update',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'PUT', path: '/os-security-groups/{security_group_id}' }],
    deprecated: { name: 'os_compute_api:os-security-groups', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-security-groups:delete',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/os-security-groups/{security_group_id}' }],
    deprecated: { name: 'os_compute_api:os-security-groups', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-security-groups:rule:create',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/os-security-group-rules' }],
    deprecated: { name: 'os_compute_api:os-security-groups', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-security-groups:rule:delete',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/os-security-group-rules/{security_group_id}' }],
    deprecated: { name: 'os_compute_api:os-security-groups', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-security-groups:list',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/os-security-groups' }],
    deprecated: { name: 'os_compute_api:os-security-groups', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-security-groups:add',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (addSecurityGroup)' }],
    deprecated: { name: 'os_compute_api:os-security-groups', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-security-groups:remove',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (removeSecurityGroup)' }],
    deprecated: { name: 'os_compute_api:os-security-groups', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
] as const satisfies readonly RuleDefault[];
