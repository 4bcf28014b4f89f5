/** Neutron's resources as compute uses them, and their mapping from the wire. */
export interface Network {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  readonly shared: boolean;
  readonly external: boolean;
  readonly adminStateUp: boolean;
  readonly status: string;
  readonly mtu: number | null;
  readonly subnetIds: readonly string[];
  readonly portSecurityEnabled: boolean;
  readonly physicalNetwork: string | null;
  readonly networkType: string | null;
  readonly segmentationId: number | null;
}

export interface Subnet {
  readonly id: string;
  readonly networkId: string;
  readonly projectId: string;
  readonly name: string;
  readonly cidr: string;
  readonly ipVersion: 4 | 6;
  readonly gatewayIp: string | null;
  readonly enableDhcp: boolean;
  readonly dnsNameservers: readonly string[];
  readonly hostRoutes: readonly { destination: string; nexthop: string }[];
}

export interface FixedIp {
  readonly subnetId: string;
  readonly ipAddress: string;
}

export interface Port {
  readonly id: string;
  readonly networkId: string;
  readonly projectId: string;
  readonly name: string;
  readonly macAddress: string;
  readonly fixedIps: readonly FixedIp[];
  readonly status: string;
  readonly adminStateUp: boolean;
  readonly deviceId: string;
  readonly deviceOwner: string;
  readonly securityGroupIds: readonly string[];
  readonly portSecurityEnabled: boolean;
  readonly bindingHost: string;
  readonly vnicType: string;
  readonly vifType: string;
  readonly vifDetails: Readonly<Record<string, unknown>>;
  readonly profile: Readonly<Record<string, unknown>>;
  readonly resourceRequest: unknown;
  readonly tags: readonly string[];
}

export interface SecurityGroup {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly projectId: string;
  readonly rules: readonly Readonly<Record<string, unknown>>[];
}

export interface FloatingIp {
  readonly id: string;
  readonly address: string;
  readonly fixedAddress: string | null;
  readonly portId: string | null;
  readonly projectId: string;
  readonly networkId: string;
}

/** A new port. Absent fields are the service's choice. */
export interface NewPort {
  networkId: string;
  projectId?: string;
  name?: string;
  macAddress?: string;
  /** Wanted addresses; a subnet, an address, or both. */
  fixedIps?: readonly { subnetId?: string; ipAddress?: string }[];
  deviceId?: string;
  deviceOwner?: string;
  securityGroupIds?: readonly string[];
  bindingHost?: string;
  vnicType?: string;
  profile?: Readonly<Record<string, unknown>>;
  adminStateUp?: boolean;
}

/** What may change; `bindingHost: ''` unbinds. */
export type PortChange = Partial<Omit<NewPort, 'networkId' | 'projectId'>>;

export interface PortQuery {
  deviceId?: string;
  deviceOwner?: string;
  networkId?: string;
  projectId?: string;
  name?: string;
  bindingHost?: string;
  /** Those that have this address. */
  fixedIp?: string;
  ids?: readonly string[];
}

type Dict = Record<string, unknown>;
const str = (v: unknown): string => (typeof v === 'string' ? v : '');
const strOrNull = (v: unknown): string | null => (typeof v === 'string' ? v : null);
const num = (v: unknown): number | null => (typeof v === 'number' ? v : null);
const list = <T>(v: unknown): T[] => (Array.isArray(v) ? (v as T[]) : []);
const dict = (v: unknown): Dict => (typeof v === 'object' && v !== null && !Array.isArray(v) ? (v as Dict) : {});
const owner = (w: Dict): string => str(w['project_id'] ?? w['tenant_id']);

export function networkOfWire(w: Dict): Network {
  return {
    id: str(w['id']),
    name: str(w['name']),
    projectId: owner(w),
    shared: w['shared'] === true,
    external: w['router:external'] === true,
    adminStateUp: w['admin_state_up'] !== false,
    status: str(w['status']),
    mtu: num(w['mtu']),
    subnetIds: list<string>(w['subnets']),
    portSecurityEnabled: w['port_security_enabled'] !== false,
    physicalNetwork: strOrNull(w['provider:physical_network']),
    networkType: strOrNull(w['provider:network_type']),
    segmentationId: num(w['provider:segmentation_id']),
  };
}

export function subnetOfWire(w: Dict): Subnet {
  return {
    id: str(w['id']),
    networkId: str(w['network_id']),
    projectId: owner(w),
    name: str(w['name']),
    cidr: str(w['cidr']),
    ipVersion: w['ip_version'] === 6 ? 6 : 4,
    gatewayIp: strOrNull(w['gateway_ip']),
    enableDhcp: w['enable_dhcp'] === true,
    dnsNameservers: list<string>(w['dns_nameservers']),
    hostRoutes: list<{ destination: string; nexthop: string }>(w['host_routes']),
  };
}

export function portOfWire(w: Dict): Port {
  return {
    id: str(w['id']),
    networkId: str(w['network_id']),
    projectId: owner(w),
    name: str(w['name']),
    macAddress: str(w['mac_address']),
    fixedIps: list<Dict>(w['fixed_ips']).map((f) => ({
      subnetId: str(f['subnet_id']),
      ipAddress: str(f['ip_address']),
    })),
    status: str(w['status']),
    adminStateUp: w['admin_state_up'] !== false,
    deviceId: str(w['device_id']),
    deviceOwner: str(w['device_owner']),
    securityGroupIds: list<string>(w['security_groups']),
    portSecurityEnabled: w['port_security_enabled'] !== false,
    bindingHost: str(w['binding:host_id']),
    vnicType: str(w['binding:vnic_type']) || 'normal',
    vifType: str(w['binding:vif_type']),
    vifDetails: dict(w['binding:vif_details']),
    profile: dict(w['binding:profile']),
    resourceRequest: w['resource_request'] ?? null,
    tags: list<string>(w['tags']),
  };
}

export function securityGroupOfWire(w: Dict): SecurityGroup {
  return {
    id: str(w['id']),
    name: str(w['name']),
    description: str(w['description']),
    projectId: owner(w),
    rules: list<Dict>(w['security_group_rules']),
  };
}

export function floatingIpOfWire(w: Dict): FloatingIp {
  return {
    id: str(w['id']),
    address: str(w['floating_ip_address']),
    fixedAddress: strOrNull(w['fixed_ip_address']),
    portId: strOrNull(w['port_id']),
    projectId: owner(w),
    networkId: str(w['floating_network_id']),
  };
}

/** Only the fields that were given. */
export function wireOfPort(p: Partial<NewPort>): Dict {
  const wire: Dict = {
    network_id: p.networkId,
    project_id: p.projectId,
    name: p.name,
    mac_address: p.macAddress,
    fixed_ips: p.fixedIps?.map((f) => ({
      ...(f.subnetId === undefined ? {} : { subnet_id: f.subnetId }),
      ...(f.ipAddress === undefined ? {} : { ip_address: f.ipAddress }),
    })),
    device_id: p.deviceId,
    device_owner: p.deviceOwner,
    security_groups: p.securityGroupIds,
    'binding:host_id': p.bindingHost,
    'binding:vnic_type': p.vnicType,
    'binding:profile': p.profile,
    admin_state_up: p.adminStateUp,
  };
  return Object.fromEntries(Object.entries(wire).filter(([, v]) => v !== undefined));
}
