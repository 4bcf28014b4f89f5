import type { RuleDefault } from '../../rule-default';

/** Of operations that upstream has not. */
export const capabilitiesRules = [
  {
    name: 'os_compute_api:servers:capabilities',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/capabilities' }],
  },
  {
    name: 'os_compute_api:os-hypervisors:capabilities',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [
      { method: 'GET', path: '/os-hypervisors/capabilities' },
      { method: 'GET', path: '/os-hypervisors/{hypervisor_id}/capabilities' },
    ],
  },
] as const satisfies readonly RuleDefault[];
