import type { RuleDefault } from '../../rule-default';

export const remoteConsolesRules = [
  {
    name: 'os_compute_api:os-remote-consoles',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [
      { method: 'POST', path: '/servers/{server_id}/action (os-getSerialConsole)' },
      { method: 'POST', path: '/servers/{server_id}/action (os-getSPICEConsole)' },
      { method: 'POST', path: '/servers/{server_id}/action (os-getVNCConsole)' },
      { method: 'POST', path: '/servers/{server_id}/remote-consoles' },
    ],
  },
] as const satisfies readonly RuleDefault[];
