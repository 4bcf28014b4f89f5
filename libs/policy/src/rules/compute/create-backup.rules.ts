import type { RuleDefault } from '../../rule-default';

export const createBackupRules = [
  {
    name: 'os_compute_api:os-create-backup',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/action (createBackup)' }],
  },
] as const satisfies readonly RuleDefault[];
