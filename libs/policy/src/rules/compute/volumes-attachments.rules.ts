import type { RuleDefault } from '../../rule-default';

export const volumesAttachmentsRules = [
  {
    name: 'os_compute_api:os-volumes-attachments:index',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/os-volume_attachments' }],
  },
  {
    name: 'os_compute_api:os-volumes-attachments:create',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'POST', path: '/servers/{server_id}/os-volume_attachments' }],
  },
  {
    name: 'os_compute_api:os-volumes-attachments:show',
    check: 'rule:project_reader_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/servers/{server_id}/os-volume_attachments/{volume_id}' }],
  },
  {
    name: 'os_compute_api:os-volumes-attachments:update',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'PUT', path: '/servers/{server_id}/os-volume_attachments/{volume_id}' }],
  },
  {
    name: 'os_compute_api:os-volumes-attachments:swap',
    check: 'rule:service_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'PUT', path: '/servers/{server_id}/os-volume_attachments/{volume_id}' }],
  },
  {
    name: 'os_compute_api:os-volumes-attachments:delete',
    check: 'rule:project_member_or_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'DELETE', path: '/servers/{server_id}/os-volume_attachments/{volume_id}' }],
  },
] as const satisfies readonly RuleDefault[];
