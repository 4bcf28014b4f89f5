import type { RuleDefault } from '../../rule-default';

export const aggregatesRules = [
  {
    name: 'os_compute_api:os-aggregates:set_metadata',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/os-aggregates/{aggregate_id}/action (set_metadata)' }],
  },
  {
    name: 'os_compute_api:os-aggregates:add_host',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/os-aggregates/{aggregate_id}/action (add_host)' }],
  },
  {
    name: 'os_compute_api:os-aggregates:create',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/os-aggregates' }],
  },
  {
    name: 'os_compute_api:os-aggregates:remove_host',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/os-aggregates/{aggregate_id}/action (remove_host)' }],
  },
  {
    name: 'os_compute_api:os-aggregates:update',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'PUT', path: '/os-aggregates/{aggregate_id}' }],
  },
  {
    name: 'os_compute_api:os-aggregates:index',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-aggregates' }],
  },
  {
    name: 'os_compute_api:os-aggregates:delete',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/os-aggregates/{aggregate_id}' }],
  },
  {
    name: 'os_compute_api:os-aggregates:show',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-aggregates/{aggregate_id}' }],
  },
  {
    name: 'compute:aggregates:images',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/os-aggregates/{aggregate_id}/images' }],
  },
] as const satisfies readonly RuleDefault[];
