import type { RuleDefault } from '../../rule-default';

export const hypervisorsRules = [
  {
    name: 'os_compute_api:os-hypervisors:list',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-hypervisors' }],
    deprecated: { name: 'os_compute_api:os-hypervisors', check: 'rule:admin_api', since: '21.0.0' },
  },
  {
    name: 'os_compute_api:os-hypervisors:list-detail',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-hypervisors/details' }],
    deprecated: { name: 'os_compute_api:os-hypervisors', check: 'rule:admin_api', since: '21.0.0' },
  },
  {
    name: 'os_compute_api:os-hypervisors:statistics',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-hypervisors/statistics' }],
    deprecated: { name: 'os_compute_api:os-hypervisors', check: 'rule:admin_api', since: '21.0.0' },
  },
  {
    name: 'os_compute_api:os-hypervisors:show',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-hypervisors/{hypervisor_id}' }],
    deprecated: { name: 'os_compute_api:os-hypervisors', check: 'rule:admin_api', since: '21.0.0' },
  },
  {
    name: 'os_compute_api:os-hypervisors:uptime',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-hypervisors/{hypervisor_id}/uptime' }],
    deprecated: { name: 'os_compute_api:os-hypervisors', check: 'rule:admin_api', since: '21.0.0' },
  },
  {
    name: 'os_compute_api:os-hypervisors:search',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-hypervisors/{hypervisor_hostname_pattern}/search' }],
    deprecated: { name: 'os_compute_api:os-hypervisors', check: 'rule:admin_api', since: '21.0.0' },
  },
  {
    name: 'os_compute_api:os-hypervisors:servers',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-hypervisors/{hypervisor_hostname_pattern}/servers' }],
    deprecated: { name: 'os_compute_api:os-hypervisors', check: 'rule:admin_api', since: '21.0.0' },
  },
] as const satisfies readonly RuleDefault[];
