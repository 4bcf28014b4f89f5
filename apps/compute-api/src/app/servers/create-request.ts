import type { ImageSnapshot } from '@fractus/rpc-contracts';

/** One network that a server is to be plugged into, as asked for. */
export interface RequestedNetwork {
  networkId: string | null;
  portId: string | null;
  fixedIp: string | null;
  tag: string | null;
}

/**
 * `default`: nothing was said, and the version does not insist (before 2.37); `auto` and `none` are words of 2.37.
 */
export type RequestedNetworks = 'default' | 'auto' | 'none' | RequestedNetwork[];

/** One entry of block_device_mapping_v2 (or of its predecessor, lifted). Sizes in GiB. */
export interface BlockDevice {
  sourceType: 'image' | 'volume' | 'snapshot' | 'blank';
  destinationType: 'local' | 'volume' | null;
  uuid: string | null;
  bootIndex: number | null;
  volumeSize: number | null;
  guestFormat: string | null;
  deleteOnTermination: boolean;
  tag: string | null;
}

/** The internal create request: a superset of what any microversion can say. */
export interface CreateServerRequest {
  name: string;
  description: string | null;
  /** Empty or null: boots from a block device. */
  imageRef: string | null;
  flavorRef: string;
  minCount: number;
  maxCount: number;
  networks: RequestedNetworks;
  keyName: string | null;
  /** Base64. */
  userData: string | null;
  metadata: Record<string, string>;
  adminPassword: string | null;
  /** `zone`, or `zone:host:node` for those whom policy lets force a host. */
  availabilityZone: string | null;
  configDrive: boolean;
  /** Names or uuids; null when nothing was said. */
  securityGroups: string[] | null;
  returnReservationId: boolean;
  /** Null: as the image says. */
  diskConfig: 'AUTO' | 'MANUAL' | null;
  accessIpV4: string | null;
  accessIpV6: string | null;
  tags: string[];
  trustedImageCertificates: string[] | null;
  /** 2.74. */
  host: string | null;
  hypervisorHostname: string | null;
  /** 2.90; null: made from the name. */
  hostname: string | null;
  blockDevices: BlockDevice[];
  schedulerHints: Record<string, string[]>;
  personality: { path: string; contents: string }[];
}

/** What the checks found; all I/O is behind us once this exists. */
export interface ResolvedCreate {
  image: ImageSnapshot | null;
  availabilityZone: string | null;
  requestedHost: string | null;
  requestedNode: string | null;
  networks: ResolvedNetworks;
  publicKey: string | null;
  /** By name where that tells them apart, else by id. */
  securityGroups: string[];
  diskConfig: 'AUTO' | 'MANUAL';
  /** How many servers the project's port quota leaves room for, of those asked for. */
  fitting: number;
}

/** `auto` stays a word: conductor picks the network when it makes the port. */
export type ResolvedNetworks = 'none' | ResolvedNetwork[];
export interface ResolvedNetwork {
  networkId: string;
  portId: string | null;
  fixedIp: string | null;
  tag: string | null;
}
