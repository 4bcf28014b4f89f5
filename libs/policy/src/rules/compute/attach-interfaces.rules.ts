import type { RuleDefault } from '../../rule-default';

export const attachInterfacesRules = [
  {
    name: 'os_compute_api:os-attach-interfaces:list',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/os-interface' }],
    deprecated: { name: 'os_compute_api:os-attach-interfaces', check: 'rule:admin_or_owner', since: '21.0.0' },
  },
  {
    name: 'os_compute_api:os-attach-interfaces:show',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/os-interface/{port_id}' }],
    deprecated: { name: 'os_compute_api:os-attach-interfaces', check: 'rule:admin_or_owner', since: '21.0.0' },
  },
  {
    name: 'os_compute_api:os-attach-interfaces:create',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/os-interface' }],
    deprecated: { name: 'os_compute_api:os-attach-interfaces', check: 'rule:admin_or_owner', since: '21.0.0' },
  },
  {
    name: 'os_compute_api:os-attach-interfaces:delete',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/servers/{server_id}/os-interface/{port_id}' }],
    deprecated: { name: 'os_compute_api:os-attach-interfaces', check: 'rule:admin_or_owner', since: '21.0.0' },
  },
] as const satisfies readonly RuleDefault[];
