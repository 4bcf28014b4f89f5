import { FORMATS, toBoolean } from '@fractus/dto-schema';
import { invalid } from '@fractus/objects';
import { canonicalAddress } from '../../app/servers/addresses';
import type { BlockDevice, CreateServerRequest, RequestedNetworks } from '../../app/servers/create-request';
import type {
  BlockDeviceMapping,
  CreateServerDto,
  LegacyBlockDeviceMapping,
  NewServer,
  SchedulerHints,
  ServerNetwork,
} from './create-server.dto';

/** The body of POST /servers, valid in whatever version, as the internal request. */
export function createRequestOf(dto: CreateServerDto): CreateServerRequest {
  const { server } = dto;
  const minCount = countOf(server.min_count) ?? 1;
  return {
    name: server.name.trim(),
    description: server.description ?? null,
    imageRef: server.imageRef || null,
    flavorRef: String(server.flavorRef),
    minCount,
    maxCount: countOf(server.max_count) ?? minCount,
    networks: networksOf(server.networks),
    keyName: server.key_name ?? null,
    userData: server.user_data ?? null,
    metadata: server.metadata ?? {},
    adminPassword: server.adminPass ?? null,
    availabilityZone: server.availability_zone?.trim() || null,
    configDrive: toBoolean(server.config_drive) ?? false,
    securityGroups: server.security_groups?.map((g) => g.name ?? '').filter((name) => name !== '') ?? null,
    returnReservationId: toBoolean(server.return_reservation_id) ?? false,
    diskConfig: (server['OS-DCF:diskConfig'] as CreateServerRequest['diskConfig'] | undefined) ?? null,
    accessIpV4: server.accessIPv4 ?? null,
    accessIpV6: server.accessIPv6 === undefined ? null : canonicalAddress(server.accessIPv6),
    tags: server.tags ?? [],
    trustedImageCertificates: server.trusted_image_certificates ?? null,
    host: server.host ?? null,
    hypervisorHostname: server.hypervisor_hostname ?? null,
    hostname: server.hostname ?? null,
    blockDevices: blockDevicesOf(server),
    schedulerHints: hintsOf(dto['os:scheduler_hints'] ?? dto['OS-SCH-HNT:scheduler_hints']),
    personality: (server.personality ?? []).map(({ path = '', contents = '' }) => ({ path, contents })),
  };
}

const countOf = (value: number | string | undefined): number | undefined =>
  value === undefined || value === '' ? undefined : Number(value);

function networksOf(networks: NewServer['networks']): RequestedNetworks {
  if (networks === undefined) return 'default';
  if (!Array.isArray(networks)) return networks;
  const seen = new Set<string>();
  return networks.map((network) => requestedNetwork(network, seen));
}

function requestedNetwork(
  { uuid, port, fixed_ip, tag }: ServerNetwork,
  seen: Set<string>,
): Exclude<RequestedNetworks, string>[number] {
  if (!port && !uuid) throw invalid("Bad network format: missing 'uuid'", { code: 'network.missing' });
  if (port && seen.has(port))
    throw invalid(`Port ID '${port}' was specified twice: you cannot attach a port multiple times.`, {
      code: 'port.duplicate',
    });
  if (port && fixed_ip)
    throw invalid(
      `Specified Fixed IP '${fixed_ip}' cannot be used with port '${port}': the two cannot be specified together.`,
      { code: 'port.fixed_ip' },
    );
  if (port) seen.add(port);
  // before 2.37 the schema takes any text
  else if (uuid && !FORMATS.uuid.check(uuid))
    throw invalid(`Bad networks format: network uuid is not in proper format (${uuid.slice(0, 100)})`, {
      code: 'network.id',
    });
  return {
    networkId: port ? null : (uuid ?? null),
    portId: port ?? null,
    fixedIp: fixed_ip ?? null,
    tag: tag ?? null,
  };
}

function blockDevicesOf(server: NewServer): BlockDevice[] {
  const { block_device_mapping: legacy, block_device_mapping_v2: current } = server;
  if (legacy?.length && current?.length)
    throw invalid('Using different block_device_mapping syntaxes is not allowed in the same request.', {
      code: 'bdm.two_syntaxes',
    });
  if (legacy?.length) return legacy.filter((d) => !isPresent(d.no_device)).map(fromLegacy);
  return (current ?? []).filter((d) => !isPresent(d.no_device)).map(fromCurrent);
}

const isPresent = (value: unknown): boolean =>
  value === true || (typeof value === 'string' && value !== '' && !/^(0|f|false|off|n|no)$/i.test(value));

function fromLegacy(device: LegacyBlockDeviceMapping): BlockDevice {
  const boot = device.device_name === undefined || /^(\/dev\/)?[shv]da$/.test(device.device_name);
  return {
    sourceType: device.snapshot_id ? 'snapshot' : 'volume',
    destinationType: 'volume',
    uuid: device.snapshot_id ?? device.volume_id ?? null,
    bootIndex: boot ? 0 : null,
    volumeSize: sizeOf(device.volume_size),
    guestFormat: null,
    deleteOnTermination: toBoolean(device.delete_on_termination) ?? false,
    tag: null,
  };
}

function fromCurrent(device: BlockDeviceMapping): BlockDevice {
  const index =
    device.boot_index === undefined || device.boot_index === null || device.boot_index === ''
      ? null
      : Number(device.boot_index);
  if (device.source_type === undefined)
    throw invalid('Block Device Mapping is Invalid: source_type is missing.', { code: 'bdm.source_type' });
  return {
    sourceType: device.source_type as BlockDevice['sourceType'],
    destinationType: (device.destination_type as BlockDevice['destinationType']) ?? null,
    uuid: device.uuid ?? device.image_id ?? device.volume_id ?? device.snapshot_id ?? null,
    bootIndex: index !== null && index >= 0 ? index : null,
    volumeSize: sizeOf(device.volume_size),
    guestFormat: device.guest_format ?? null,
    deleteOnTermination: toBoolean(device.delete_on_termination) ?? false,
    tag: device.tag ?? null,
  };
}

const sizeOf = (value: number | string | undefined): number | null =>
  value === undefined || value === '' ? null : Number(value);

/** Every hint as a list of texts; an object (a query in JSON) becomes its text. */
function hintsOf(hints: SchedulerHints | undefined): Record<string, string[]> {
  const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  return Object.fromEntries(
    Object.entries(hints ?? {})
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([key, value]: [string, unknown]) => [key, Array.isArray(value) ? value.map(text) : [text(value)]]),
  );
}
