import { attributes, type ResourceTable } from '../resource-table/resource-table';

export type VolumeStatus =
  'available' | 'reserved' | 'attaching' | 'in-use' | 'detaching' | 'error' | 'error_deleting' | 'maintenance';
export type AttachStatus = 'reserved' | 'attaching' | 'attached' | 'detached' | 'error_attaching';

/** `size` is GiB, `*_at` epoch milliseconds, flags 0 or 1, `metadata` and `image_metadata` JSON. */
export interface VolumeRow {
  id: string;
  project_id: string;
  user_id: string;
  name: string | null;
  description: string | null;
  status: VolumeStatus;
  size: number;
  type_id: string;
  availability_zone: string;
  bootable: number;
  multiattach: number;
  source_volid: string | null;
  metadata: string;
  image_metadata: string;
  created_at: number;
  updated_at: number;
}

export interface AttachmentRow {
  id: string;
  volume_id: string;
  project_id: string;
  server_id: string | null;
  status: AttachStatus;
  mode: 'rw' | 'ro';
  /** JSON of the host that connects; null while only reserved. */
  connector: string | null;
  mountpoint: string | null;
  attached_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface TypeRow {
  id: string;
  name: string;
  description: string | null;
  is_public: number;
  is_default: number;
  extra_specs: string;
}

/** A volume with what a client is shown beside its row. */
export interface FullVolume extends VolumeRow {
  typeName: string;
  attachments: AttachmentRow[];
}

/** What a list of volumes can be filtered and sorted by. */
export const VOLUMES: ResourceTable = {
  table: 'volumes',
  resource: 'volume',
  collection: 'volumes',
  attributes: attributes([
    'id',
    'name',
    'status',
    ['size', 'int'],
    'project_id',
    'user_id',
    'availability_zone',
    ['bootable', 'bool'],
    ['multiattach', 'bool'],
    ['created_at', 'instant'],
    ['updated_at', 'instant'],
  ]),
};

/** The texts of a JSON column. */
export const textsOf = (json: string): Record<string, string> => JSON.parse(json) as Record<string, string>;
