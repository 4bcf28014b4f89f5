/** Glance v2. Sizes are bytes (`size`), GiB (`minDisk`) and MiB (`minRam`), as the service has them. */
import type { Readable } from 'node:stream';
import { notFound, type RequestContext } from '@fractus/objects';
import { JoinedAsks } from './joined-asks';
import { segment, type QueryValue } from './rest';
import type { ServiceCall, ServiceSession } from './service-session';

export type ImageStatus =
  'queued' | 'saving' | 'uploading' | 'importing' | 'active' | 'deactivated' | 'killed' | 'deleted' | 'pending_delete';
export type ImageVisibility = 'public' | 'private' | 'shared' | 'community';

export interface Image {
  readonly id: string;
  readonly name: string | null;
  readonly status: ImageStatus;
  readonly visibility: ImageVisibility;
  readonly owner: string | null;
  readonly protected: boolean;
  readonly hidden: boolean;
  readonly diskFormat: string | null;
  readonly containerFormat: string | null;
  readonly size: number | null;
  readonly virtualSize: number | null;
  readonly minDisk: number;
  readonly minRam: number;
  readonly checksum: string | null;
  readonly hashAlgo: string | null;
  readonly hashValue: string | null;
  readonly tags: readonly string[];
  /** ISO 8601, as answered. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Everything that is not a base attribute: `hw_*`, `os_*`, `img_*`, `base_image_ref`. */
  readonly properties: Readonly<Record<string, string>>;
}

export interface NewImage {
  id?: string;
  name?: string;
  visibility?: ImageVisibility;
  owner?: string;
  diskFormat?: string;
  containerFormat?: string;
  minDisk?: number;
  minRam?: number;
  protected?: boolean;
  tags?: readonly string[];
  properties?: Readonly<Record<string, string>>;
}

/** Filters of the list; all that are given must hold. */
export interface ImageQuery {
  name?: string;
  status?: string;
  visibility?: ImageVisibility | 'all';
  owner?: string;
  limit?: number;
  marker?: string;
  sort?: string;
  /** Equality on extra properties. */
  properties?: Readonly<Record<string, string>>;
}

/** With `token` a call is the user's own; without, the service user makes it and the client checks what `ctx` may see. */
export interface ActingOptions {
  token?: string;
}

export interface ImageClientOptions {
  session: ServiceSession;
  timeoutMs?: number;
}

/** JSON-patch document of Glance's own media type. */
export type ImagePatch = readonly (
  { op: 'add' | 'replace'; path: string; value: unknown } | { op: 'remove'; path: string }
)[];

const PATCH_TYPE = 'application/openstack-images-v2.1-json-patch';
/** Moving an image takes as long as it takes; this bounds a transfer whose caller set no deadline. Milliseconds. */
const TRANSFER_MS = 3_600_000;

export class ImageClient {
  private readonly shows = new JoinedAsks<Image>();

  constructor(private readonly options: ImageClientOptions) {}

  /** @throws not_found where it does not exist or `ctx` may not see it. */
  async show(ctx: RequestContext, id: string, as: ActingOptions = {}): Promise<Image> {
    const ask = async (): Promise<Image> =>
      imageOfWire((await this.call(ctx, as, { method: 'GET', path: `/images/${segment(id)}` })).body);
    // what the service user sees is the same for all; a deadline is one's own
    if (as.token !== undefined || ctx.deadline !== undefined) return this.openTo(ctx, as, await ask());
    this.options.session.assertMayCall('GET', 'image');
    return this.openTo(ctx, as, await this.shows.ask(id, ask));
  }

  /** One page of images. With the service user, pass `owner` or a visibility to stay within what `ctx` may see. */
  async list(ctx: RequestContext, query: ImageQuery = {}, as: ActingOptions = {}): Promise<Image[]> {
    const { properties, ...known } = query;
    const params: Record<string, QueryValue> = { ...properties, ...known };
    const { body } = await this.call(ctx, as, { method: 'GET', path: '/images', query: params });
    const { images } = (body ?? {}) as { images?: unknown[] };
    const all = (images ?? []).map(imageOfWire);
    if (as.token !== undefined || isAdmin(ctx)) return all;
    return all.filter((i) => i.visibility !== 'private' || i.owner === ctx.projectId);
  }

  /** Registers an image; its bytes follow with `upload`. */
  async create(ctx: RequestContext, image: NewImage, as: ActingOptions = {}): Promise<Image> {
    const { body } = await this.call(ctx, as, { method: 'POST', path: '/images', json: wireOfNew(image) });
    return imageOfWire(body);
  }

  async update(ctx: RequestContext, id: string, patch: ImagePatch, as: ActingOptions = {}): Promise<Image> {
    const call = {
      method: 'PATCH',
      path: `/images/${segment(id)}`,
      json: patch,
      headers: { 'content-type': PATCH_TYPE },
    } as const;
    return imageOfWire((await this.call(ctx, as, call)).body);
  }

  /** Sends the bytes. Not repeated on failure: the image stays `queued` and may be uploaded again. */
  async upload(ctx: RequestContext, id: string, data: Readable | Uint8Array, as: ActingOptions = {}): Promise<void> {
    const headers = { 'content-type': 'application/octet-stream' };
    await this.call(ctx, as, {
      method: 'PUT',
      path: `/images/${segment(id)}/file`,
      stream: data,
      headers,
      timeoutMs: TRANSFER_MS,
    });
  }

  /** The bytes as a stream; null for an image without data. */
  async download(ctx: RequestContext, id: string, as: ActingOptions = {}): Promise<ReadableStream<Uint8Array> | null> {
    if (as.token === undefined) await this.show(ctx, id);
    const call = {
      method: 'GET',
      path: `/images/${segment(id)}/file`,
      asStream: true,
      timeoutMs: TRANSFER_MS,
    } as const;
    return (await this.call(ctx, as, call)).stream ?? null;
  }

  /** Deletes; an image that is already gone is fine. */
  async delete(ctx: RequestContext, id: string, as: ActingOptions = {}): Promise<void> {
    await this.call(ctx, as, { method: 'DELETE', path: `/images/${segment(id)}`, accept: [404] });
  }

  private call(ctx: RequestContext, as: ActingOptions, call: Omit<ServiceCall, 'type' | 'version' | 'token'>) {
    const { timeoutMs } = this.options;
    return this.options.session.request(ctx, {
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...call,
      type: 'image',
      version: 'v2',
      ...(as.token === undefined ? {} : { token: as.token }),
    });
  }

  private async openTo(ctx: RequestContext, as: ActingOptions, image: Image): Promise<Image> {
    if (as.token === undefined && !(await this.visible(ctx, image))) throw unknownImage(image.id);
    return image;
  }

  private async visible(ctx: RequestContext, image: Image): Promise<boolean> {
    if (isAdmin(ctx) || image.visibility === 'public' || image.visibility === 'community') return true;
    if (image.owner !== null && image.owner === ctx.projectId) return true;
    if (image.visibility !== 'shared' || !ctx.projectId) return false;
    const path = `/images/${segment(image.id)}/members/${segment(ctx.projectId)}`;
    const { status } = await this.call(ctx, {}, { method: 'GET', path, accept: [403, 404] });
    return status === 200;
  }
}

const isAdmin = (ctx: RequestContext): boolean => ctx.roles.includes('admin');
const unknownImage = (id: string) =>
  notFound(`Image ${id} could not be found.`, { code: 'image.not_found', details: { service: 'image', id } });

const BASE = new Set(
  `id name status visibility owner protected os_hidden disk_format container_format size virtual_size min_disk min_ram checksum
   os_hash_algo os_hash_value tags created_at updated_at self file schema locations direct_url stores`.split(/\s+/),
);

interface WireImage {
  id: string;
  name?: string | null;
  status: ImageStatus;
  visibility?: ImageVisibility;
  owner?: string | null;
  protected?: boolean;
  os_hidden?: boolean;
  disk_format?: string | null;
  container_format?: string | null;
  size?: number | null;
  virtual_size?: number | null;
  min_disk?: number;
  min_ram?: number;
  checksum?: string | null;
  os_hash_algo?: string | null;
  os_hash_value?: string | null;
  tags?: string[];
  created_at: string;
  updated_at: string;
}

function imageOfWire(body: unknown): Image {
  const w = body as WireImage;
  const extra = Object.entries(body as Record<string, unknown>).filter(
    ([key, value]) => !BASE.has(key) && value !== null,
  );
  return {
    id: w.id,
    name: w.name ?? null,
    status: w.status,
    visibility: w.visibility ?? 'private',
    owner: w.owner ?? null,
    protected: w.protected ?? false,
    hidden: w.os_hidden ?? false,
    diskFormat: w.disk_format ?? null,
    containerFormat: w.container_format ?? null,
    size: w.size ?? null,
    virtualSize: w.virtual_size ?? null,
    minDisk: w.min_disk ?? 0,
    minRam: w.min_ram ?? 0,
    checksum: w.checksum ?? null,
    hashAlgo: w.os_hash_algo ?? null,
    hashValue: w.os_hash_value ?? null,
    tags: w.tags ?? [],
    createdAt: w.created_at,
    updatedAt: w.updated_at,
    properties: Object.fromEntries(extra.map(([key, value]) => [key, String(value)])),
  };
}

const wireOfNew = (i: NewImage): Record<string, unknown> => ({
  ...i.properties,
  id: i.id,
  name: i.name,
  visibility: i.visibility,
  owner: i.owner,
  disk_format: i.diskFormat,
  container_format: i.containerFormat,
  min_disk: i.minDisk,
  min_ram: i.minRam,
  protected: i.protected,
  tags: i.tags,
});
