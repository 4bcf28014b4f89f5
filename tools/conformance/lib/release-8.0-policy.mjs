// Placement's rules as release 8.0 had them by default, as policy files. Its suites for roles were written for these: what
// reads was for readers of the system and what writes for its administrators. Facts from the release's documentation.

const READ = [
  'resource_providers:list',
  'resource_providers:show',
  'resource_classes:list',
  'resource_classes:show',
  'resource_providers:inventories:list',
  'resource_providers:inventories:show',
  'resource_providers:aggregates:list',
  'resource_providers:usages',
  'traits:list',
  'traits:show',
  'resource_providers:traits:list',
  'allocations:list',
  'resource_providers:allocations:list',
  'allocation_candidates:list',
];
const WRITE = [
  'resource_providers:create',
  'resource_providers:update',
  'resource_providers:delete',
  'resource_classes:create',
  'resource_classes:update',
  'resource_classes:delete',
  'resource_providers:inventories:create',
  'resource_providers:inventories:update',
  'resource_providers:inventories:delete',
  'resource_providers:aggregates:update',
  'traits:update',
  'traits:delete',
  'resource_providers:traits:update',
  'resource_providers:traits:delete',
  'allocations:manage',
  'allocations:update',
  'allocations:delete',
  'reshaper:reshape',
];
const USAGES = 'usages';

const rules = (names, check) => Object.fromEntries(names.map((name) => [`placement:${name}`, check]));

/**
 * The rules of 8.0. Until an operator asked for the new defaults alone (`enforce_new_defaults`), the former check, role
 * admin of whatever scope, held beside each of them.
 */
export function release8Policy({ newDefaultsAlone }) {
  const former = newDefaultsAlone ? '' : ' or rule:admin_api';
  return {
    admin_api: 'role:admin',
    system_admin_api: `(role:admin and system_scope:all)${former}`,
    system_reader_api: `(role:reader and system_scope:all)${former}`,
    project_reader_api: `(role:reader and project_id:%(project_id)s)${former}`,
    system_or_project_reader: `rule:system_reader_api or rule:project_reader_api`,
    ...rules(READ, 'rule:system_reader_api'),
    ...rules(WRITE, 'rule:system_admin_api'),
    ...rules([USAGES], 'rule:system_or_project_reader'),
  };
}

/** Everyone may do everything. */
export const openPolicy = () => rules([...READ, ...WRITE, USAGES], '@');
