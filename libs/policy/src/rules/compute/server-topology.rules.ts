import type { RuleDefault } from '../../rule-default';

export const serverTopologyRules = [
  {
    name: 'compute:server:topology:index',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/topology' }],
  },
  {
    name: 'compute:server:topology:host:index',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/topology' }],
  },
] as const satisfies readonly RuleDefault[];
