import type { RuleDefault } from '../../rule-default';

export const baseRules = [
  {
    name: 'context_is_admin',
    check: 'role:admin',
    deprecated: { name: 'rule:admin_api', check: 'is_admin:True', since: '21.0.0' },
  },
  {
    name: 'admin_or_owner',
    check: 'is_admin:True or project_id:%(project_id)s',
    deprecatedForRemoval: { since: '21.0.0' },
  },
  { name: 'admin_api', check: 'is_admin:True', deprecatedForRemoval: { since: '21.0.0' } },
  {
    name: 'project_manager_api',
    check: 'role:manager and project_id:%(project_id)s',
    deprecated: { name: 'rule:admin_api', check: 'is_admin:True', since: '21.0.0' },
  },
  {
    name: 'project_member_api',
    check: 'role:member and project_id:%(project_id)s',
    deprecated: { name: 'rule:admin_or_owner', check: 'is_admin:True or project_id:%(project_id)s', since: '21.0.0' },
  },
  {
    name: 'project_reader_api',
    check: 'role:reader and project_id:%(project_id)s',
    deprecated: { name: 'rule:admin_or_owner', check: 'is_admin:True or project_id:%(project_id)s', since: '21.0.0' },
  },
  {
    name: 'service_api',
    check: 'role:service',
    deprecated: { name: 'rule:admin_api', check: 'is_admin:True', since: '21.0.0' },
  },
  {
    name: 'project_manager_or_admin',
    check: 'rule:project_manager_api or rule:context_is_admin',
    deprecated: { name: 'rule:admin_api', check: 'is_admin:True', since: '21.0.0' },
  },
  {
    name: 'project_member_or_admin',
    check: 'rule:project_member_api or rule:context_is_admin',
    deprecated: { name: 'rule:admin_or_owner', check: 'is_admin:True or project_id:%(project_id)s', since: '21.0.0' },
  },
  {
    name: 'project_reader_or_admin',
    check: 'rule:project_reader_api or rule:context_is_admin',
    deprecated: { name: 'rule:admin_or_owner', check: 'is_admin:True or project_id:%(project_id)s', since: '21.0.0' },
  },
  {
    name: 'service_or_admin',
    check: 'rule:service_api or rule:context_is_admin',
    deprecated: { name: 'rule:admin_api', check: 'is_admin:True', since: '21.0.0' },
  },
] as const satisfies readonly RuleDefault[];
