/** The network service's resources and their columns. */
import { attributes, type Attribute, type ResourceTable } from '../resource-table/resource-table';

/** What every resource has beside its own. */
const COMMON: Attribute[] = attributes([
  'project_id',
  'description',
  ['created_at', 'instant'],
  ['updated_at', 'instant'],
  ['revision_number', 'int'],
]);

export const NETWORKS: ResourceTable = {
  table: 'networks',
  resource: 'network',
  collection: 'networks',
  attributes: [
    ...attributes([
      'id',
      'name',
      ['admin_state_up', 'bool'],
      ['shared', 'bool'],
      ['router:external', 'bool', 'external'],
      ['mtu', 'int'],
      'status',
      ['port_security_enabled', 'bool'],
      ['provider:network_type', 'text', 'network_type'],
      ['provider:physical_network', 'text', 'physical_network'],
      ['provider:segmentation_id', 'int', 'segmentation_id'],
      ['availability_zone_hints', 'json'],
      'dns_domain',
      ['is_default', 'bool'],
    ]),
    ...COMMON,
  ],
};

export const SUBNETS: ResourceTable = {
  table: 'subnets',
  resource: 'subnet',
  collection: 'subnets',
  attributes: [
    ...attributes([
      'id',
      'name',
      'network_id',
      ['ip_version', 'int'],
      'cidr',
      'gateway_ip',
      ['enable_dhcp', 'bool'],
      ['dns_nameservers', 'json'],
      ['host_routes', 'json'],
      ['allocation_pools', 'json'],
      ['service_types', 'json'],
      'ipv6_address_mode',
      'ipv6_ra_mode',
      '-ipam_cursor',
    ]),
    ...COMMON,
  ],
};

export const PORTS: ResourceTable = {
  table: 'ports',
  resource: 'port',
  collection: 'ports',
  attributes: [
    ...attributes([
      'id',
      'name',
      'network_id',
      'mac_address',
      ['admin_state_up', 'bool'],
      'status',
      'device_id',
      'device_owner',
      ['port_security_enabled', 'bool'],
      ['binding:host_id', 'text', 'binding_host_id'],
      ['binding:vnic_type', 'text', 'binding_vnic_type'],
      ['binding:profile', 'json', 'binding_profile'],
      ['allowed_address_pairs', 'json'],
      ['extra_dhcp_opts', 'json'],
      'dns_name',
    ]),
    ...COMMON,
  ],
};

export const SECURITY_GROUPS: ResourceTable = {
  table: 'security_groups',
  resource: 'security_group',
  collection: 'security_groups',
  attributes: [...attributes(['id', 'name', ['stateful', 'bool']]), ...COMMON],
};

export const SECURITY_GROUP_RULES: ResourceTable = {
  table: 'security_group_rules',
  resource: 'security_group_rule',
  collection: 'security_group_rules',
  attributes: [
    ...attributes([
      'id',
      ['security_group_id', 'text', 'group_id'],
      'direction',
      'ethertype',
      'protocol',
      ['port_range_min', 'int'],
      ['port_range_max', 'int'],
      'remote_ip_prefix',
      'remote_group_id',
    ]),
    ...COMMON,
  ],
};

export const ROUTERS: ResourceTable = {
  table: 'routers',
  resource: 'router',
  collection: 'routers',
  attributes: [
    ...attributes([
      'id',
      'name',
      ['admin_state_up', 'bool'],
      'status',
      ['external_gateway_info', 'json'],
      ['routes', 'json'],
      ['availability_zone_hints', 'json'],
    ]),
    ...COMMON,
  ],
};

export const FLOATING_IPS: ResourceTable = {
  table: 'floating_ips',
  resource: 'floatingip',
  collection: 'floatingips',
  attributes: [
    ...attributes([
      'id',
      'floating_network_id',
      'floating_ip_address',
      'fixed_ip_address',
      'port_id',
      'router_id',
      'status',
      'dns_name',
      'dns_domain',
    ]),
    ...COMMON,
  ],
};
