import { attributes, type ResourceTable } from '../resource-table/resource-table';

export type ImageStatus = 'queued' | 'saving' | 'active' | 'deactivated';
export type Visibility = 'public' | 'private' | 'shared' | 'community';

/** Sizes are bytes, `min_disk` GiB, `min_ram` MiB, `*_at` epoch milliseconds, flags 0 or 1. */
export interface ImageRow {
  id: string;
  name: string | null;
  status: ImageStatus;
  visibility: Visibility;
  owner: string | null;
  protected: number;
  os_hidden: number;
  disk_format: string | null;
  container_format: string | null;
  size: number | null;
  virtual_size: number | null;
  min_disk: number;
  min_ram: number;
  checksum: string | null;
  os_hash_algo: string | null;
  os_hash_value: string | null;
  /** Name of the file in the store; null without data. */
  data_file: string | null;
  created_at: number;
  updated_at: number;
}

export interface MemberRow {
  image_id: string;
  member_id: string;
  status: 'pending' | 'accepted' | 'rejected';
  created_at: number;
  updated_at: number;
}

/** An image with what hangs on it. */
export interface FullImage extends ImageRow {
  tags: string[];
  properties: Record<string, string>;
}

export const IMAGES: ResourceTable = {
  table: 'images',
  resource: 'image',
  collection: 'images',
  attributes: attributes([
    'id',
    'name',
    'status',
    'visibility',
    'owner',
    ['protected', 'bool'],
    ['os_hidden', 'bool'],
    'disk_format',
    'container_format',
    ['size', 'int'],
    ['virtual_size', 'int'],
    ['min_disk', 'int'],
    ['min_ram', 'int'],
    'checksum',
    'os_hash_algo',
    'os_hash_value',
    ['created_at', 'instant'],
    ['updated_at', 'instant'],
  ]),
};
