import type { RuleDefault } from '../../rule-default';

export const baseRules = [
  { name: 'admin_api', check: 'role:admin', scopeTypes: ['project'] },
  {
    name: 'service_api',
    check: 'role:service',
    scopeTypes: ['project'],
    deprecated: { name: 'rule:admin_api', check: 'role:admin', since: 'W' },
  },
  {
    name: 'admin_or_service_api',
    check: 'role:admin or role:service',
    scopeTypes: ['project'],
    deprecated: { name: 'rule:admin_api', check: 'role:admin', since: 'W' },
  },
  {
    name: 'project_reader_api',
    check: 'role:reader and project_id:%(project_id)s',
    deprecated: { name: 'rule:admin_api', check: 'role:admin', since: 'W' },
  },
  {
    name: 'admin_or_project_reader_or_service_api',
    check: 'role:admin or rule:project_reader_api or role:service',
    scopeTypes: ['project'],
    deprecated: { name: 'rule:admin_api', check: 'role:admin', since: 'W' },
  },
] as const satisfies readonly RuleDefault[];
