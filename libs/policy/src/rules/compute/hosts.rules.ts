import type { RuleDefault } from '../../rule-default';

export const hostsRules = [
  {
    name: 'os_compute_api:os-hosts:list',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-hosts' }],
    deprecated: { name: 'os_compute_api:os-hosts', check: 'rule:admin_api', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-hosts:show',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-hosts/{host_name}' }],
    deprecated: { name: 'os_compute_api:os-hosts', check: 'rule:admin_api', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-hosts:update',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'PUT', path: '/os-hosts/{host_name}' }],
    deprecated: { name: 'os_compute_api:os-hosts', check: 'rule:admin_api', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-hosts:reboot',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-hosts/{host_name}/reboot' }],
    deprecated: { name: 'os_compute_api:os-hosts', check: 'rule:admin_api', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-hosts:shutdown',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-hosts/{host_name}/shutdown' }],
    deprecated: { name: 'os_compute_api:os-hosts', check: 'rule:admin_api', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-hosts:start',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-hosts/{host_name}/startup' }],
    deprecated: { name: 'os_compute_api:os-hosts', check: 'rule:admin_api', since: '22.0.0' },
  },
] as const satisfies readonly RuleDefault[];
