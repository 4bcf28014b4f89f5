import type { RuleDefault } from '../../rule-default';

export const networksRules = [
  {
    name: 'os_compute_api:os-networks:list',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-networks' }],
    deprecated: { name: 'os_compute_api:os-networks:view', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-networks:show',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-networks/{network_id}' }],
    deprecated: { name: 'os_compute_api:os-networks:view', check: 'rule:admin_or_owner', since: '22.0.0' },
  },
] as const satisfies readonly RuleDefault[];
