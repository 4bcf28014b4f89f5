import type { RuleDefault } from '../../rule-default';

export const ipsRules = [
  {
    name: 'os_compute_api:ips:show',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/ips/{network_label}' }],
  },
  {
    name: 'os_compute_api:ips:index',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/ips' }],
  },
] as const satisfies readonly RuleDefault[];
