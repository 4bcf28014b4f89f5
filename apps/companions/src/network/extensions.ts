/** The extensions that are spoken here; clients ask before they use one. */
const NAMES: Readonly<Record<string, string>> = {
  agent: 'agent',
  'allowed-address-pairs': 'Allowed Address Pairs',
  availability_zone: 'Availability Zone',
  binding: 'Port Binding',
  'external-net': 'Neutron external network',
  extra_dhcp_opt: 'Neutron Extra DHCP options',
  'fip-port-details': 'Floating IP Port Details Extension',
  'ip-substring-filtering': 'IP address substring filtering',
  'net-mtu': 'Network MTU',
  'net-mtu-writable': 'Network MTU (writable)',
  network_availability_zone: 'Network Availability Zone',
  pagination: 'Pagination support',
  'port-security': 'Port Security',
  'project-id': 'project_id field enabled',
  provider: 'Provider Network',
  quotas: 'Quota management support',
  quota_details: 'Quota details management support',
  router: 'Neutron L3 Router',
  'security-group': 'security-group',
  sorting: 'Sorting support',
  'standard-attr-description': 'standard-attr-description',
  'standard-attr-revisions': 'Resource revision numbers',
  'standard-attr-tag': 'Tag support for resources with standard attribute',
  'standard-attr-timestamp': 'Resource timestamps',
  'stateful-security-group': 'Stateful security group',
  'subnet-service-types': 'Subnet service types',
};

export interface Extension {
  alias: string;
  name: string;
  description: string;
  updated: string;
  links: never[];
}

export const EXTENSIONS: readonly Extension[] = Object.entries(NAMES).map(([alias, name]) => ({
  alias,
  name,
  description: name,
  updated: '2020-01-01T00:00:00Z',
  links: [],
}));
