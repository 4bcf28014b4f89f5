import type { RuleDefault } from '../../rule-default';

export const baremetalNodesRules = [
  {
    name: 'os_compute_api:os-baremetal-nodes:list',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-baremetal-nodes' }],
    deprecated: { name: 'os_compute_api:os-baremetal-nodes', check: 'rule:admin_api', since: '22.0.0' },
  },
  {
    name: 'os_compute_api:os-baremetal-nodes:show',
    check: 'rule:context_is_admin',
    scopeTypes: ['project'],
    operations: [{ method: 'GET', path: '/os-baremetal-nodes/{node_id}' }],
    deprecated: { name: 'os_compute_api:os-baremetal-nodes', check: 'rule:admin_api', since: '22.0.0' },
  },
] as const satisfies readonly RuleDefault[];
