import type { RuleDefault } from '../../rule-default';

export const tenantNetworksRules = [
  {
    name: 'os_compute_api:os-tenant-networks:list',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-tenant-networks' }],
    deprecated: { name: 'os_compute_api:os-tenant-networks', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-tenant-networks:show',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-tenant-networks/{network_id}' }],
    deprecated: { name: 'os_compute_api:os-tenant-networks', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
] as const satisfies readonly RuleDefault[];
