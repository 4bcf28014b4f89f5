import type { RuleDefault } from '../../rule-default';

/** Of operations that upstream has not. */
export const scheduleInfoRules = [
  {
    name: 'os_compute_api:os-schedule-info:show',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/os-schedule-info' }],
  },
  {
    name: 'os_compute_api:os-schedule-info:hosts',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/os-schedule-info' }],
  },
  {
    name: 'os_compute_api:os-schedule-dry-run',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/os-schedule-dry-run' }],
  },
  {
    name: 'os_compute_api:os-schedule-dry-run:hosts',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/os-schedule-dry-run' }],
  },
] as const satisfies readonly RuleDefault[];
