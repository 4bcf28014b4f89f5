import type { RuleDefault } from '../../rule-default';

export const volumesRules = [
  {
    name: 'os_compute_api:os-volumes:list',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-volumes' }],
    deprecated: { name: 'os_compute_api:os-volumes', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-volumes:create',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/os-volumes' }],
    deprecated: { name: 'os_compute_api:os-volumes', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-volumes:detail',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-volumes/detail' }],
    deprecated: { name: 'os_compute_api:os-volumes', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-volumes:show',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-volumes/{volume_id}' }],
    deprecated: { name: 'os_compute_api:os-volumes', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-volumes:delete',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/os-volumes/{volume_id}' }],
    deprecated: { name: 'os_compute_api:os-volumes', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-volumes:snapshots:list',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-snapshots' }],
    deprecated: { name: 'os_compute_api:os-volumes', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-volumes:snapshots:create',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/os-snapshots' }],
    deprecated: { name: 'os_compute_api:os-volumes', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-volumes:snapshots:detail',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-snapshots/detail' }],
    deprecated: { name: 'os_compute_api:os-volumes', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-volumes:snapshots:show',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-snapshots/{snapshot_id}' }],
    deprecated: { name: 'os_compute_api:os-volumes', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-volumes:snapshots:delete',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/os-snapshots/{snapshot_id}' }],
    deprecated: { name: 'os_compute_api:os-volumes', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
] as const satisfies readonly RuleDefault[];
