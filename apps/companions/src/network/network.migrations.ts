import { runDdl } from '@fractus/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const ID = 'CHAR(36)';
const PROJECT = 'VARCHAR(64)';
const COMMON = `project_id ${PROJECT} NOT NULL, description VARCHAR(255) NOT NULL, created_at {instant} NOT NULL, updated_at {instant} NOT NULL,
  revision_number {int} NOT NULL`;

export class CreateNetworks1764460800002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runDdl(runner, [...LAYER_2, ...SECURITY, ...LAYER_3]);
  }

  async down(runner: QueryRunner): Promise<void> {
    const tables = [
      'network_tags',
      'network_quotas',
      'floating_ips',
      'routers',
      'port_security_groups',
      'default_security_groups',
    ];
    tables.push('security_group_rules', 'security_groups', 'ip_allocations', 'ports', 'subnets', 'networks');
    for (const table of tables) await runner.query(`DROP TABLE ${table}`);
  }
}

const LAYER_2 = [
  `CREATE TABLE networks (id ${ID} PRIMARY KEY, name VARCHAR(255) NOT NULL, admin_state_up {int} NOT NULL, shared {int} NOT NULL,
    external {int} NOT NULL, mtu {int} NOT NULL, status VARCHAR(16) NOT NULL, port_security_enabled {int} NOT NULL,
    network_type VARCHAR(32) NOT NULL, physical_network VARCHAR(64), segmentation_id {int}, availability_zone_hints {json} NOT NULL,
    dns_domain VARCHAR(255) NOT NULL, is_default {int} NOT NULL, ${COMMON}) {options}`,
  'CREATE INDEX networks_project ON networks (project_id)',
  `CREATE TABLE subnets (id ${ID} PRIMARY KEY, name VARCHAR(255) NOT NULL, network_id ${ID} NOT NULL, ip_version {int} NOT NULL,
    cidr VARCHAR(64) NOT NULL, gateway_ip VARCHAR(64), enable_dhcp {int} NOT NULL, dns_nameservers {json} NOT NULL, host_routes {json} NOT NULL,
    allocation_pools {json} NOT NULL, service_types {json} NOT NULL, ipv6_address_mode VARCHAR(32), ipv6_ra_mode VARCHAR(32),
    ipam_cursor VARCHAR(40) NOT NULL, ${COMMON}) {options}`,
  'CREATE INDEX subnets_network ON subnets (network_id)',
  `CREATE TABLE ports (id ${ID} PRIMARY KEY, name VARCHAR(255) NOT NULL, network_id ${ID} NOT NULL, mac_address CHAR(17) NOT NULL,
    admin_state_up {int} NOT NULL, status VARCHAR(16) NOT NULL, device_id VARCHAR(255) NOT NULL, device_owner VARCHAR(255) NOT NULL,
    port_security_enabled {int} NOT NULL, binding_host_id VARCHAR(255) NOT NULL, binding_vnic_type VARCHAR(64) NOT NULL,
    binding_profile {json} NOT NULL, allowed_address_pairs {json} NOT NULL, extra_dhcp_opts {json} NOT NULL, dns_name VARCHAR(255) NOT NULL, ${COMMON},
    UNIQUE (network_id, mac_address)) {options}`,
  'CREATE INDEX ports_device ON ports (device_id)',
  'CREATE INDEX ports_project ON ports (project_id)',
  // the primary key is what keeps an address from being given twice
  `CREATE TABLE ip_allocations (subnet_id ${ID} NOT NULL, ip_address VARCHAR(64) NOT NULL, port_id ${ID} NOT NULL, network_id ${ID} NOT NULL,
    PRIMARY KEY (subnet_id, ip_address)) {options}`,
  'CREATE INDEX ip_allocations_port ON ip_allocations (port_id)',
  `CREATE TABLE network_tags (resource_id ${ID} NOT NULL, tag VARCHAR(255) NOT NULL, PRIMARY KEY (resource_id, tag)) {options}`,
  `CREATE TABLE network_quotas (project_id ${PROJECT} NOT NULL, resource VARCHAR(32) NOT NULL, max_count {int} NOT NULL,
    PRIMARY KEY (project_id, resource)) {options}`,
];

const SECURITY = [
  `CREATE TABLE security_groups (id ${ID} PRIMARY KEY, name VARCHAR(255) NOT NULL, stateful {int} NOT NULL, ${COMMON}) {options}`,
  'CREATE INDEX security_groups_project ON security_groups (project_id)',
  `CREATE TABLE default_security_groups (project_id ${PROJECT} PRIMARY KEY, group_id ${ID} NOT NULL) {options}`,
  `CREATE TABLE security_group_rules (id ${ID} PRIMARY KEY, group_id ${ID} NOT NULL, direction VARCHAR(8) NOT NULL, ethertype VARCHAR(8) NOT NULL,
    protocol VARCHAR(40), port_range_min {int}, port_range_max {int}, remote_ip_prefix VARCHAR(64), remote_group_id ${ID}, ${COMMON}) {options}`,
  'CREATE INDEX security_group_rules_group ON security_group_rules (group_id)',
  `CREATE TABLE port_security_groups (port_id ${ID} NOT NULL, group_id ${ID} NOT NULL, PRIMARY KEY (port_id, group_id)) {options}`,
  'CREATE INDEX port_security_groups_group ON port_security_groups (group_id)',
];

const LAYER_3 = [
  `CREATE TABLE routers (id ${ID} PRIMARY KEY, name VARCHAR(255) NOT NULL, admin_state_up {int} NOT NULL, status VARCHAR(16) NOT NULL,
    external_gateway_info {json}, routes {json} NOT NULL, availability_zone_hints {json} NOT NULL, ${COMMON}) {options}`,
  `CREATE TABLE floating_ips (id ${ID} PRIMARY KEY, floating_network_id ${ID} NOT NULL, floating_ip_address VARCHAR(64) NOT NULL,
    fixed_ip_address VARCHAR(64), port_id ${ID}, router_id ${ID}, status VARCHAR(16) NOT NULL, dns_name VARCHAR(255) NOT NULL,
    dns_domain VARCHAR(255) NOT NULL, ${COMMON}, UNIQUE (floating_network_id, floating_ip_address)) {options}`,
  'CREATE INDEX floating_ips_port ON floating_ips (port_id)',
];

export const NETWORK_MIGRATIONS = [CreateNetworks1764460800002];
