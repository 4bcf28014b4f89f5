import type { SqlRow } from '@fractus/database';
import type { HostName, PowerState, ProjectId, ServerId, TaskState, UserId, VmState } from '@fractus/objects';
import type { FlavorSnapshot, GuestNic, ImageSnapshot } from '@fractus/rpc-contracts';
import type { ServerRow } from './rows';
import { parseShared } from './shared-json';

/** One network the user asked for: a network (with or without a fixed address), or a port of their own. */
export interface RequestedNetwork {
  readonly networkId?: string;
  readonly portId?: string;
  readonly fixedIp?: string;
  readonly tag?: string;
}
/** `none`: no NIC. `auto`: one NIC on the project's only network, or none where it has none. */
export type RequestedNetworks = 'none' | 'auto' | readonly RequestedNetwork[];

/** A server as use cases see it. Memory in MiB, disks in GiB, instants in epoch milliseconds. */
export interface Server {
  readonly id: ServerId;
  readonly rowId: number;
  readonly projectId: ProjectId;
  readonly userId: UserId;
  readonly name: string;
  readonly hostname: string;
  readonly description: string | null;
  readonly vmState: VmState;
  readonly taskState: TaskState | null;
  readonly powerState: PowerState;
  /** Per cent. */
  readonly progress: number;
  readonly fence: number;
  readonly host: HostName | null;
  readonly node: string | null;
  readonly nodeId: string | null;
  readonly availabilityZone: string | null;
  readonly flavor: FlavorSnapshot;
  /** Null for a server that boots from a volume. */
  readonly image: ImageSnapshot | null;
  readonly keyName: string | null;
  /** The public key at the time of creation. */
  readonly keyData: string | null;
  /** Base64. */
  readonly userData: string | null;
  readonly configDrive: boolean;
  readonly accessIpV4: string | null;
  readonly accessIpV6: string | null;
  readonly lockedBy: 'owner' | 'admin' | null;
  readonly lockedReason: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly systemMetadata: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly securityGroups: readonly string[];
  readonly requestedNetworks: RequestedNetworks;
  readonly nics: readonly GuestNic[];
  readonly rootDeviceName: string | null;
  readonly launchIndex: number;
  readonly reservationId: string;
  readonly diskConfig: 'AUTO' | 'MANUAL';
  readonly trustedImageCertificates: readonly string[] | null;
  readonly createdAt: number;
  readonly updatedAt: number | null;
  readonly launchedAt: number | null;
  readonly terminatedAt: number | null;
  readonly deletedAt: number | null;
  readonly deleted: boolean;
}

/** What a creator decides; everything else starts at its beginning. */
export type NewServer = Pick<
  Server,
  'id' | 'projectId' | 'userId' | 'name' | 'hostname' | 'flavor' | 'image' | 'requestedNetworks' | 'reservationId'
> &
  Partial<
    Pick<
      Server,
      | 'description'
      | 'availabilityZone'
      | 'keyName'
      | 'keyData'
      | 'userData'
      | 'configDrive'
      | 'accessIpV4'
      | 'accessIpV6'
      | 'metadata'
      | 'systemMetadata'
      | 'tags'
      | 'securityGroups'
      | 'rootDeviceName'
      | 'launchIndex'
      | 'diskConfig'
      | 'trustedImageCertificates'
    >
  >;

/** Fields that writers may change after creation; `undefined` leaves a field alone. */
export type ServerPatch = Partial<
  Omit<
    Server,
    | 'id'
    | 'rowId'
    | 'projectId'
    | 'userId'
    | 'fence'
    | 'createdAt'
    | 'updatedAt'
    | 'deleted'
    | 'launchIndex'
    | 'reservationId'
  >
>;

export const serverOf = (row: ServerRow): Server => readRow(row, JSON.parse);

/** For reading alone: parts that servers have in common are the same objects, and frozen. */
export const sharedServerOf = (row: ServerRow): Server => readRow(row, parseShared);

function readRow(row: ServerRow, parseJson: (text: string) => unknown): Server {
  const parse = <T>(text: string): T => parseJson(text) as T;
  const orNull = <T>(text: string | null): T | null => (text === null ? null : parse<T>(text));
  return {
    id: row.uuid,
    rowId: row.id,
    projectId: row.project_id,
    userId: row.user_id,
    name: row.name,
    hostname: row.hostname,
    description: row.description,
    vmState: row.vm_state as VmState,
    taskState: row.task_state as TaskState | null,
    powerState: row.power_state as PowerState,
    progress: row.progress,
    fence: row.fence,
    host: row.host,
    node: row.node,
    nodeId: row.node_id,
    availabilityZone: row.availability_zone,
    flavor: parse<FlavorSnapshot>(row.flavor),
    image: orNull<ImageSnapshot>(row.image),
    keyName: row.key_name,
    keyData: row.key_data,
    userData: row.user_data,
    configDrive: row.config_drive === 1,
    accessIpV4: row.access_ip_v4,
    accessIpV6: row.access_ip_v6,
    lockedBy: row.locked_by as Server['lockedBy'],
    lockedReason: row.locked_reason,
    metadata: parse<Record<string, string>>(row.metadata),
    systemMetadata: parse<Record<string, string>>(row.system_metadata),
    tags: parse<string[]>(row.tags),
    securityGroups: parse<string[]>(row.security_groups),
    requestedNetworks: parse<RequestedNetworks>(row.requested_networks),
    nics: JSON.parse(row.nics) as GuestNic[],
    rootDeviceName: row.root_device_name,
    launchIndex: row.launch_index,
    reservationId: row.reservation_id,
    diskConfig: row.disk_config as Server['diskConfig'],
    trustedImageCertificates: orNull<string[]>(row.trusted_image_certificates),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    launchedAt: row.launched_at,
    terminatedAt: row.terminated_at,
    deletedAt: row.deleted_at,
    deleted: row.deleted !== 0,
  };
}

/** The row of a new server: building, scheduling, nowhere. */
export function newServerRow(server: NewServer, now: number): SqlRow {
  return {
    uuid: server.id,
    project_id: server.projectId,
    user_id: server.userId,
    reservation_id: server.reservationId,
    launch_index: server.launchIndex ?? 0,
    fence: 0,
    created_at: now,
    updated_at: now,
    deleted: 0,
    ...patchColumns({ ...DEFAULTS, ...server }),
  };
}

const DEFAULTS = {
  description: null,
  vmState: 'building',
  taskState: 'scheduling',
  powerState: 0,
  progress: 0,
  host: null,
  node: null,
  nodeId: null,
  availabilityZone: null,
  keyName: null,
  keyData: null,
  userData: null,
  configDrive: false,
  accessIpV4: null,
  accessIpV6: null,
  lockedBy: null,
  lockedReason: null,
  metadata: {},
  systemMetadata: {},
  tags: [],
  securityGroups: [],
  nics: [],
  rootDeviceName: null,
  diskConfig: 'MANUAL',
  trustedImageCertificates: null,
  launchedAt: null,
  terminatedAt: null,
  deletedAt: null,
} as const satisfies ServerPatch;

type Writer<K extends keyof ServerPatch> = (value: NonNullable<ServerPatch[K]> | null) => SqlRow;

const plain =
  <K extends keyof ServerPatch>(column: string): Writer<K> =>
  (value) => ({ [column]: value as string | number | boolean | null });
const json =
  <K extends keyof ServerPatch>(column: string): Writer<K> =>
  (value) => ({ [column]: value === null ? null : JSON.stringify(value) });

/** Field → columns; the flavor and the image also fill the columns that lists are filtered by. */
const WRITERS: { [K in keyof ServerPatch]-?: Writer<K> } = {
  name: plain('name'),
  hostname: plain('hostname'),
  description: plain('description'),
  vmState: plain('vm_state'),
  taskState: plain('task_state'),
  powerState: plain('power_state'),
  progress: plain('progress'),
  host: plain('host'),
  node: plain('node'),
  nodeId: plain('node_id'),
  availabilityZone: plain('availability_zone'),
  flavor: (flavor) => ({
    flavor: JSON.stringify(flavor),
    flavor_id: flavor?.flavorId ?? '',
    vcpus: flavor?.vcpus ?? 0,
    memory_mb: flavor?.memoryMb ?? 0,
    root_gb: flavor?.rootGb ?? 0,
    ephemeral_gb: flavor?.ephemeralGb ?? 0,
  }),
  image: (image) => ({ image: image === null ? null : JSON.stringify(image), image_ref: image?.imageId ?? '' }),
  keyName: plain('key_name'),
  keyData: plain('key_data'),
  userData: plain('user_data'),
  configDrive: (value) => ({ config_drive: value ? 1 : 0 }),
  accessIpV4: plain('access_ip_v4'),
  accessIpV6: plain('access_ip_v6'),
  lockedBy: plain('locked_by'),
  lockedReason: plain('locked_reason'),
  metadata: json('metadata'),
  systemMetadata: json('system_metadata'),
  tags: json('tags'),
  securityGroups: json('security_groups'),
  requestedNetworks: json('requested_networks'),
  nics: json('nics'),
  rootDeviceName: plain('root_device_name'),
  diskConfig: plain('disk_config'),
  trustedImageCertificates: json('trusted_image_certificates'),
  launchedAt: plain('launched_at'),
  terminatedAt: plain('terminated_at'),
  deletedAt: plain('deleted_at'),
};

/** The columns that a patch writes. */
export function patchColumns(patch: ServerPatch): SqlRow {
  const columns: SqlRow = {};
  for (const key of Object.keys(WRITERS) as (keyof ServerPatch)[]) {
    const value = patch[key];
    if (value !== undefined) Object.assign(columns, (WRITERS[key] as (v: unknown) => SqlRow)(value));
  }
  return columns;
}
