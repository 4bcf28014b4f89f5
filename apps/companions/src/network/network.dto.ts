/** What the network service accepts. Unknown attributes are refused by name. */
import { IsBoolean, IsIn, IsInt, IsString, Length, Max, MaxLength, Min } from 'class-validator';
import { All, AnyOf, Closed, Json, ListOf, Nullable, Optional, Pattern } from '@fractus/dto-schema';

const Name = (): PropertyDecorator => All(Optional(), IsString(), MaxLength(255));
const Flag = (): PropertyDecorator => All(Optional(), IsBoolean());
const Id = (): PropertyDecorator => All(IsString(), Pattern('^[0-9a-fA-F-]{32,36}$'));
const Ip = (): PropertyDecorator => All(IsString(), Length(1, 64));
const Text = (): PropertyDecorator => All(Optional(), IsString(), MaxLength(255));
const NullText = (): PropertyDecorator => All(Optional(), Nullable(), IsString(), MaxLength(255));
const Dict = (): PropertyDecorator => All(Optional(), Nullable(), Json({ type: 'object', maxProperties: 200 }));
const Words = (): PropertyDecorator => All(Optional(), ListOf([IsString(), MaxLength(255)], { max: 200 }));

/** Who owns it; the older name is still sent by clients. */
class Owned {
  @Optional() @IsString() @MaxLength(64) project_id?: string;
  @Optional() @IsString() @MaxLength(64) tenant_id?: string;
}

@Closed()
export class NewNetwork extends Owned {
  @Name() name?: string;
  @Text() description?: string;
  @Flag() admin_state_up?: boolean;
  @Flag() shared?: boolean;
  @Flag() 'router:external'?: boolean;
  @Optional() @IsInt() @Min(0) @Max(65535) mtu?: number;
  @Flag() port_security_enabled?: boolean;
  @NullText() 'provider:network_type'?: string | null;
  @NullText() 'provider:physical_network'?: string | null;
  @Optional() @Nullable() @IsInt() @Min(0) @Max(16777215) 'provider:segmentation_id'?: number | null;
  @Words() availability_zone_hints?: string[];
  @Text() dns_domain?: string;
  @Flag() is_default?: boolean;
  @Flag() vlan_transparent?: boolean;
  @Optional() @Nullable() @Id() qos_policy_id?: string | null;
  @Words() tags?: string[];
}

export class HostRoute {
  @Ip() destination: string;
  @Ip() nexthop: string;
}
export class PoolRange {
  @Ip() start: string;
  @Ip() end: string;
}
class SubnetFields extends Owned {
  @Name() name?: string;
  @Text() description?: string;
  @Optional() @Nullable() @Ip() gateway_ip?: string | null;
  @Flag() enable_dhcp?: boolean;
  @Optional() @ListOf([Ip()], { max: 20 }) dns_nameservers?: string[];
  @Optional() @ListOf(() => HostRoute, { max: 100 }) host_routes?: HostRoute[];
  @Optional() @ListOf(() => PoolRange, { max: 100 }) allocation_pools?: PoolRange[];
  @Words() service_types?: string[];
}
@Closed()
export class SubnetChange extends SubnetFields {}
const MODES = ['slaac', 'dhcpv6-stateful', 'dhcpv6-stateless'];
@Closed()
export class NewSubnet extends SubnetFields {
  @Id() network_id: string;
  @Optional() @IsIn([4, 6, '4', '6']) ip_version?: 4 | 6 | '4' | '6';
  @Optional() @Nullable() @IsString() @Length(1, 64) cidr?: string | null;
  @Optional() @Nullable() @IsIn(MODES) ipv6_address_mode?: string | null;
  @Optional() @Nullable() @IsIn(MODES) ipv6_ra_mode?: string | null;
  @Optional() @Nullable() @IsString() @MaxLength(64) subnetpool_id?: string | null;
  @Flag() use_default_subnetpool?: boolean;
  @Optional() @Nullable() @IsInt() prefixlen?: number | null;
  @Optional() @Nullable() @Id() segment_id?: string | null;
  @Words() tags?: string[];
}

@Closed()
export class WantedIp {
  @Optional() @Id() subnet_id?: string;
  @Optional() @Ip() ip_address?: string;
}
export class AddressPair {
  @Ip() ip_address: string;
  @Optional() @IsString() @MaxLength(17) mac_address?: string;
}
const VNIC_TYPES = [
  'normal',
  'direct',
  'macvtap',
  'baremetal',
  'direct-physical',
  'virtio-forwarder',
  'smart-nic',
  'vdpa',
  'accelerator-direct',
  'accelerator-direct-physical',
  'remote-managed',
];
class PortFields extends Owned {
  @Name() name?: string;
  @Text() description?: string;
  @Flag() admin_state_up?: boolean;
  @Optional() @Pattern('^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$') mac_address?: string;
  @Optional() @Nullable() @ListOf(() => WantedIp, { max: 50 }) fixed_ips?: WantedIp[] | null;
  @Optional() @Nullable() @IsString() @MaxLength(255) device_id?: string | null;
  @Optional() @Nullable() @IsString() @MaxLength(255) device_owner?: string | null;
  @Optional() @Nullable() @ListOf([Id()], { max: 500 }) security_groups?: string[] | null;
  @Flag() port_security_enabled?: boolean;
  @Optional() @Nullable() @IsString() @MaxLength(255) 'binding:host_id'?: string | null;
  @Optional() @IsIn(VNIC_TYPES) 'binding:vnic_type'?: string;
  @Dict() 'binding:profile'?: Record<string, unknown> | null;
  @Optional() @Nullable() @ListOf(() => AddressPair, { max: 100 }) allowed_address_pairs?: AddressPair[] | null;
  @Optional() @Nullable() @ListOf([Json({ type: 'object', maxProperties: 10 })], { max: 100 }) extra_dhcp_opts?:
    object[] | null;
  @Text() dns_name?: string;
  @Optional() @Nullable() @Id() qos_policy_id?: string | null;
  @Optional() @Nullable() @IsIn(['required', 'preferred', 'legacy']) numa_affinity_policy?: string | null;
}
@Closed()
export class PortChange extends PortFields {}
@Closed()
export class NewPort extends PortFields {
  @Id() network_id: string;
  @Flag() propagate_uplink_status?: boolean;
  @Words() tags?: string[];
}

@Closed()
export class NewSecurityGroup extends Owned {
  @Name() name?: string;
  @Text() description?: string;
  @Flag() stateful?: boolean;
}

const Port = (): PropertyDecorator => All(Optional(), Nullable(), IsInt(), Min(-1), Max(65535));
@Closed()
export class NewSecurityGroupRule extends Owned {
  @Id() security_group_id: string;
  @IsIn(['ingress', 'egress']) direction: 'ingress' | 'egress';
  @Optional() @IsIn(['IPv4', 'IPv6', 'ipv4', 'ipv6']) ethertype?: string;
  @Optional() @Nullable() @AnyOf([IsInt(), Min(0), Max(255)], [IsString(), MaxLength(40)]) protocol?:
    number | string | null;
  @Port() port_range_min?: number | null;
  @Port() port_range_max?: number | null;
  @Optional() @Nullable() @Ip() remote_ip_prefix?: string | null;
  @Optional() @Nullable() @Id() remote_group_id?: string | null;
  @Optional() @Nullable() @Id() remote_address_group_id?: string | null;
  @Text() description?: string;
}

export class GatewayInfo {
  @Id() network_id: string;
  @Flag() enable_snat?: boolean;
  @Optional() @ListOf(() => WantedIp, { max: 10 }) external_fixed_ips?: WantedIp[];
}
@Closed()
export class NewRouter extends Owned {
  @Name() name?: string;
  @Text() description?: string;
  @Flag() admin_state_up?: boolean;
  @Flag() distributed?: boolean;
  @Flag() ha?: boolean;
  @Optional()
  @Nullable()
  @AnyOf(() => GatewayInfo, Json({ type: 'object', maxProperties: 0 }))
  external_gateway_info?: GatewayInfo | null;
  @Optional() @Nullable() @ListOf(() => HostRoute, { max: 100 }) routes?: HostRoute[] | null;
  @Words() availability_zone_hints?: string[];
  @Optional() @Nullable() @Id() flavor_id?: string | null;
}
export class RouterInterface {
  @Optional() @Id() subnet_id?: string;
  @Optional() @Id() port_id?: string;
}

class FloatingIpFields extends Owned {
  @Optional() @Nullable() @Id() port_id?: string | null;
  @Optional() @Nullable() @Ip() fixed_ip_address?: string | null;
  @Text() description?: string;
}
@Closed()
export class FloatingIpChange extends FloatingIpFields {}
@Closed()
export class NewFloatingIp extends FloatingIpFields {
  @Id() floating_network_id: string;
  @Optional() @Nullable() @Ip() floating_ip_address?: string | null;
  @Optional() @Nullable() @Id() subnet_id?: string | null;
  @Text() dns_name?: string;
  @Text() dns_domain?: string;
  @Optional() @Nullable() @Id() qos_policy_id?: string | null;
  @Words() tags?: string[];
}

export class TagList {
  @ListOf([IsString(), Length(1, 255)], { max: 50, unique: true }) tags: string[];
}
