import type { RuleDefault } from '../../rule-default';

export const extendedServerAttributesRules = [
  {
    name: 'os_compute_api:os-extended-server-attributes',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [
      { method: 'GET', path: '/servers/{id}' },
      { method: 'GET', path: '/servers/detail' },
      { method: 'PUT', path: '/servers/{server_id}' },
      { method: 'POST', path: '/servers/{server_id}/action (rebuild)' },
    ],
  },
] as const satisfies readonly RuleDefault[];
