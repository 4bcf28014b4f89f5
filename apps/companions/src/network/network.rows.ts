/** Rows as they are read. Flags are 0 or 1, instants epoch milliseconds, JSON is text. */
export interface CommonRow {
  id: string;
  project_id: string;
  revision_number: number;
}
export interface NetworkRow extends CommonRow {
  name: string;
  shared: number;
  external: number;
  port_security_enabled: number;
  mtu: number;
}
export interface SubnetRow extends CommonRow {
  network_id: string;
  ip_version: number;
  cidr: string;
  gateway_ip: string | null;
  allocation_pools: string;
  ipv6_address_mode: string | null;
  ipam_cursor: string;
}
export interface PortRow extends CommonRow {
  network_id: string;
  mac_address: string;
  status: string;
  device_id: string;
  device_owner: string;
  binding_host_id: string;
  port_security_enabled: number;
}
export interface AllocationRow {
  port_id: string;
  subnet_id: string;
  network_id: string;
  ip_address: string;
}
export interface SecurityGroupRow extends CommonRow {
  name: string;
}
export interface SecurityGroupRuleRow extends CommonRow {
  group_id: string;
}
export interface RouterRow extends CommonRow {
  name: string;
  external_gateway_info: string | null;
}
export interface FloatingIpRow extends CommonRow {
  floating_network_id: string;
  floating_ip_address: string;
  fixed_ip_address: string | null;
  port_id: string | null;
}
