/**
 * A server on the wire, in its newest form plus what newer versions took away (`flavor_link`). Older forms are cut from
 * it by the version list. Wire names with odd history live here and nowhere else.
 */
import { createHash } from 'node:crypto';
import type { Server, ServerFault } from '@fractus/compute-db';
import { isoTime, isoTimeMicros, type Link } from '@fractus/http';
import { showsFault, showsProgress, statusOf } from '@fractus/server-lifecycle';
import { knownProperties } from './image-properties';

/** What a view needs beside the server itself; gathered for a whole page at once. */
export interface ServerSurroundings {
  readonly fault: ServerFault | null;
  /** Zone of the host it is on; null where it is on none. */
  readonly hostZone: string | null;
  /** `UP`, `DOWN`, `MAINTENANCE`, `UNKNOWN`, or '' without a host; null: the asker may not know. */
  readonly hostStatus: string | null;
  readonly schedulerHints: Readonly<Record<string, readonly string[]>>;
}

/** Which fields the asker's roles open. */
export interface ServerViewRights {
  /** os-extended-server-attributes. */
  readonly extendedAttributes: boolean;
  /** 2.90: everybody sees the host name. */
  readonly hostname: boolean;
  /** Flavor extra specs inside the server (2.47). */
  readonly flavorExtraSpecs: boolean;
  /** Details of a fault: an operator's. */
  readonly faultDetails: boolean;
}

export interface ServerLinks {
  server(id: string): Link[];
  flavor(id: string): Link[];
  image(id: string): Link[];
}

export interface ServerViewInput {
  readonly server: Server;
  readonly around: ServerSurroundings;
  readonly rights: ServerViewRights;
  readonly links: ServerLinks;
  /** Extended attributes and network fields that the brief answers leave out. */
  readonly serverGroups?: boolean;
}

/** id, name and links: an item of the brief list. */
export function briefServer(server: Server, links: ServerLinks): Record<string, unknown> {
  return { id: server.id, name: server.name, links: links.server(server.id) };
}

export function detailedServer({
  server,
  around,
  rights,
  links,
  serverGroups = false,
}: ServerViewInput): Record<string, unknown> {
  const status = statusOf(server.vmState, server.taskState);
  return {
    id: server.id,
    name: server.name,
    status,
    tenant_id: server.projectId,
    user_id: server.userId,
    metadata: server.metadata,
    hostId: hostIdOf(server),
    image: imageView(server, links),
    flavor: embeddedFlavor(server, rights),
    flavor_link: { id: server.flavor.flavorId, links: links.flavor(server.flavor.flavorId) },
    created: isoTime(server.createdAt),
    updated: isoTime(server.updatedAt ?? server.createdAt),
    // upstream hides the addresses of a server that is not there yet
    addresses: server.vmState === 'building' ? {} : addressesOf(server),
    accessIPv4: server.accessIpV4 ?? '',
    accessIPv6: server.accessIpV6 ?? '',
    links: links.server(server.id),
    'OS-DCF:diskConfig': server.diskConfig,
    ...(showsProgress(status) ? { progress: server.progress } : {}),
    'OS-EXT-AZ:availability_zone': around.hostZone ?? server.availabilityZone ?? '',
    config_drive: server.configDrive ? 'True' : '',
    key_name: server.keyName,
    'OS-SRV-USG:launched_at': isoTimeMicros(server.launchedAt),
    'OS-SRV-USG:terminated_at': isoTimeMicros(server.terminatedAt),
    ...(rights.extendedAttributes
      ? extendedAttributes(server)
      : rights.hostname
        ? { 'OS-EXT-SRV-ATTR:hostname': server.hostname }
        : {}),
    'OS-EXT-STS:task_state': server.taskState,
    'OS-EXT-STS:vm_state': wireVmState(server),
    'OS-EXT-STS:power_state': server.powerState,
    'os-extended-volumes:volumes_attached': [],
    // they are the ports'
    ...(server.nics.length > 0 ? { security_groups: server.securityGroups.map((name) => ({ name })) } : {}),
    locked: server.lockedBy !== null,
    ...(around.hostStatus === null ? {} : { host_status: around.hostStatus }),
    description: server.description,
    tags: server.tags,
    trusted_image_certificates: server.trustedImageCertificates,
    ...(serverGroups ? { server_groups: [] } : {}),
    locked_reason: server.lockedReason,
    pinned_availability_zone: server.availabilityZone,
    scheduler_hints: around.schedulerHints,
    ...(around.fault && showsFault(status) ? { fault: faultView(around.fault, rights) } : {}),
  };
}

/** Tells hosts apart without naming them; differs from project to project. */
export function hostIdOf({ host, projectId }: Pick<Server, 'host' | 'projectId'>): string {
  return host === null ? '' : createHash('sha224').update(`${projectId}${host}`).digest('hex');
}

const wireVmState = (server: Server): string => server.vmState;

function imageView(server: Server, links: ServerLinks): unknown {
  if (!server.image) return '';
  const { imageId, properties } = server.image;
  return { id: imageId, links: links.image(imageId), properties: knownProperties(properties) };
}

function embeddedFlavor({ flavor }: Server, rights: ServerViewRights): Record<string, unknown> {
  return {
    vcpus: flavor.vcpus,
    ram: flavor.memoryMb,
    disk: flavor.rootGb,
    ephemeral: flavor.ephemeralGb,
    swap: flavor.swapMb,
    original_name: flavor.name,
    ...(rights.flavorExtraSpecs ? { extra_specs: flavor.extraSpecs } : {}),
  };
}

function addressesOf(server: Server): Record<string, object[]> {
  const byNetwork: Record<string, object[]> = {};
  for (const nic of server.nics) {
    const list = (byNetwork[nic.networkName ?? nic.networkId] ??= []);
    for (const ip of nic.fixedIps) {
      list.push({
        version: ip.ipAddress.includes(':') ? 6 : 4,
        addr: ip.ipAddress,
        'OS-EXT-IPS:type': 'fixed',
        'OS-EXT-IPS-MAC:mac_addr': nic.macAddress,
      });
    }
  }
  return byNetwork;
}

function extendedAttributes(server: Server): Record<string, unknown> {
  return {
    'OS-EXT-SRV-ATTR:host': server.host,
    'OS-EXT-SRV-ATTR:hypervisor_hostname': server.node,
    'OS-EXT-SRV-ATTR:instance_name': `instance-${server.rowId.toString(16).padStart(8, '0')}`,
    'OS-EXT-SRV-ATTR:reservation_id': server.reservationId,
    'OS-EXT-SRV-ATTR:launch_index': server.launchIndex,
    'OS-EXT-SRV-ATTR:hostname': server.hostname,
    'OS-EXT-SRV-ATTR:kernel_id': server.image?.properties['kernel_id'] ?? '',
    'OS-EXT-SRV-ATTR:ramdisk_id': server.image?.properties['ramdisk_id'] ?? '',
    'OS-EXT-SRV-ATTR:root_device_name': server.rootDeviceName,
    'OS-EXT-SRV-ATTR:user_data': server.userData,
  };
}

/** Users read the message; the story with hosts in it is for operators, as is every fault of the cloud's own (500). */
function faultView(fault: ServerFault, rights: ServerViewRights): Record<string, unknown> {
  const details = fault.details !== null && (rights.faultDetails || fault.code !== 500);
  return {
    code: fault.code,
    created: isoTime(fault.createdAt),
    message: fault.message,
    ...(details ? { details: fault.details } : {}),
  };
}
