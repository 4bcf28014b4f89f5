/**
 * A server on the wire, in its newest form plus what newer versions took away (`flavor_link`). Older forms are cut from
 * it by the version list. Wire names with odd history live here and nowhere else.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Server, ServerFault } from '@fractus/compute-db';
import { isoTime, isoTimeMicros, type Link } from '@fractus/http';
import type { FlavorSnapshot, ImageSnapshot } from '@fractus/rpc-contracts';
import { shownProgress, showsFault, showsProgress, statusOf } from '@fractus/server-lifecycle';
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

/** How a page points at things; `serverLinks` makes it once for a request. */
export interface ServerLinks {
  server(id: string): Link[];
  /** A flavor as a mere link, of before 2.47. */
  flavor(flavor: FlavorSnapshot): object;
  image(image: ImageSnapshot): object;
}

/** `self`: of the endpoint as the client addressed it. `bookmark`: the same without a version. */
export function serverLinks(self: string, bookmark: string): ServerLinks {
  const mark = (collection: string, id: string): Link => ({ rel: 'bookmark', href: `${bookmark}/${collection}/${id}` });
  const image = ({ imageId, properties }: ImageSnapshot): object => ({
    id: imageId,
    links: [mark('images', imageId)],
    properties: knownProperties(properties),
  });
  const flavor = ({ flavorId }: FlavorSnapshot): object => ({ id: flavorId, links: [mark('flavors', flavorId)] });
  return {
    server: (id) => [{ rel: 'self', href: `${self}/servers/${id}` }, mark('servers', id)],
    flavor: oncePer(flavor),
    image: oncePer(image),
  };
}

/** Servers of a page that are made of the same object share what is told of it. */
function oncePer<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>();
  return (key) => {
    let value = made.get(key);
    if (value === undefined) made.set(key, (value = make(key)));
    return value;
  };
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

/**
 * Fields that do not apply are undefined, and so not written: an object whose fields are always the same is far cheaper
 * to make and to write than one that is put together of pieces.
 */
export function detailedServer({
  server,
  around,
  rights,
  links,
  serverGroups = false,
}: ServerViewInput): Record<string, unknown> {
  const status = statusOf(server.vmState, server.taskState);
  const extended = rights.extendedAttributes;
  return {
    id: server.id,
    name: server.name,
    status,
    tenant_id: server.projectId,
    user_id: server.userId,
    metadata: server.metadata,
    hostId: hostIdOf(server),
    image: server.image ? links.image(server.image) : '',
    flavor: embeddedFlavor(server, rights),
    flavor_link: links.flavor(server.flavor),
    created: isoTime(server.createdAt),
    updated: isoTime(server.updatedAt ?? server.createdAt),
    // upstream hides the addresses of a server that is not there yet
    addresses: server.vmState === 'building' ? {} : addressesOf(server),
    accessIPv4: server.accessIpV4 ?? '',
    accessIPv6: server.accessIpV6 ?? '',
    links: links.server(server.id),
    'OS-DCF:diskConfig': server.diskConfig,
    progress: showsProgress(status) ? shownProgress(status, server.progress) : undefined,
    'OS-EXT-AZ:availability_zone': around.hostZone ?? server.availabilityZone ?? '',
    config_drive: server.configDrive ? 'True' : '',
    key_name: server.keyName,
    'OS-SRV-USG:launched_at': isoTimeMicros(server.launchedAt),
    'OS-SRV-USG:terminated_at': isoTimeMicros(server.terminatedAt),
    'OS-EXT-SRV-ATTR:host': extended ? server.host : undefined,
    'OS-EXT-SRV-ATTR:hypervisor_hostname': extended ? server.node : undefined,
    'OS-EXT-SRV-ATTR:instance_name': extended ? `instance-${server.rowId.toString(16).padStart(8, '0')}` : undefined,
    'OS-EXT-SRV-ATTR:reservation_id': extended ? server.reservationId : undefined,
    'OS-EXT-SRV-ATTR:launch_index': extended ? server.launchIndex : undefined,
    'OS-EXT-SRV-ATTR:hostname': extended || rights.hostname ? server.hostname : undefined,
    'OS-EXT-SRV-ATTR:kernel_id': extended ? (server.image?.properties['kernel_id'] ?? '') : undefined,
    'OS-EXT-SRV-ATTR:ramdisk_id': extended ? (server.image?.properties['ramdisk_id'] ?? '') : undefined,
    'OS-EXT-SRV-ATTR:root_device_name': extended ? server.rootDeviceName : undefined,
    'OS-EXT-SRV-ATTR:user_data': extended ? server.userData : undefined,
    'OS-EXT-STS:task_state': server.taskState,
    'OS-EXT-STS:vm_state': wireVmState(server),
    'OS-EXT-STS:power_state': server.powerState,
    'os-extended-volumes:volumes_attached': [],
    // they are the ports'
    security_groups: server.nics.length > 0 ? server.securityGroups.map((name) => ({ name })) : undefined,
    locked: server.lockedBy !== null,
    host_status: around.hostStatus ?? undefined,
    description: server.description,
    tags: server.tags,
    trusted_image_certificates: server.trustedImageCertificates,
    server_groups: serverGroups ? [] : undefined,
    locked_reason: server.lockedReason,
    pinned_availability_zone: server.availabilityZone,
    scheduler_hints: around.schedulerHints,
    fault: around.fault && showsFault(status) ? faultView(around.fault, rights) : undefined,
  };
}

/** Of the hosts of projects, as they are asked for again and again. */
const hostIds = new LRUCache<string, string>({ max: 10_000 });

/** Tells hosts apart without naming them; differs from project to project. */
export function hostIdOf({ host, projectId }: Pick<Server, 'host' | 'projectId'>): string {
  if (host === null) return '';
  const whole = `${projectId}${host}`;
  let id = hostIds.get(whole);
  if (id === undefined) hostIds.set(whole, (id = createHash('sha224').update(whole).digest('hex')));
  return id;
}

const wireVmState = (server: Server): string => server.vmState;

function embeddedFlavor({ flavor }: Server, rights: ServerViewRights): Record<string, unknown> {
  return {
    vcpus: flavor.vcpus,
    ram: flavor.memoryMb,
    disk: flavor.rootGb,
    ephemeral: flavor.ephemeralGb,
    swap: flavor.swapMb,
    original_name: flavor.name,
    extra_specs: rights.flavorExtraSpecs ? flavor.extraSpecs : undefined,
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
