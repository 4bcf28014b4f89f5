import type { RuleDefault } from '../../rule-default';

export const assistedVolumeSnapshotsRules = [
  {
    name: 'os_compute_api:os-assisted-volume-snapshots:create',
    check: 'rule:service_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/os-assisted-volume-snapshots' }],
  },
  {
    name: 'os_compute_api:os-assisted-volume-snapshots:delete',
    check: 'rule:service_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/os-assisted-volume-snapshots/{snapshot_id}' }],
  },
] as const satisfies readonly RuleDefault[];
