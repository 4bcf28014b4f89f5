/**
 * Cinder v3: volumes and their attachments, at the microversion that has attachments with a mode (3.54). Sizes are GiB.
 * A volume is reserved by an attachment, connected by its host's connector, and in use once that is complete.
 */
import { notFound, type RequestContext } from '@fractus/objects';
import type { ActingOptions } from './image-client';
import { segment, type QueryValue } from './rest';
import type { ServiceCall, ServiceSession } from './service-session';

export interface Volume {
  readonly id: string;
  readonly name: string | null;
  /** `available`, `reserved`, `attaching`, `in-use`, `detaching`, `error`, … */
  readonly status: string;
  readonly size: number;
  readonly projectId: string;
  readonly typeName: string | null;
  readonly availabilityZone: string | null;
  readonly bootable: boolean;
  /** Whether several servers may have it at once. */
  readonly multiattach: boolean;
  /** Of the image it was made from: `image_id`, `min_disk`, `min_ram` and the image's properties, all text. */
  readonly imageMetadata: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly attachments: readonly { readonly id: string; readonly serverId: string | null }[];
}

export interface VolumeAttachment {
  readonly id: string;
  readonly volumeId: string;
  readonly serverId: string | null;
  /** `reserved`, `attaching`, `attached`, … */
  readonly status: string;
  /** How the host reaches it; null until there is a connector, and in lists. */
  readonly connectionInfo: Readonly<Record<string, unknown>> | null;
}

export interface NewVolume {
  name?: string;
  size: number;
  type?: string;
  imageId?: string;
}

export interface NewVolumeAttachment {
  readonly volumeId: string;
  readonly serverId: string;
  /** Of the host that connects; without it the volume is only reserved. */
  readonly connector?: Readonly<Record<string, unknown>>;
  readonly mode?: 'rw' | 'ro';
}

export interface VolumeClientOptions {
  session: ServiceSession;
  timeoutMs?: number;
}

const MICROVERSION = 'volume 3.54';

export class VolumeClient {
  constructor(private readonly options: VolumeClientOptions) {}

  /** @throws not_found where it does not exist or `ctx` may not see it */
  async show(ctx: RequestContext, id: string, as: ActingOptions = {}): Promise<Volume> {
    const { body } = await this.call(ctx, as, { method: 'GET', path: `/volumes/${segment(id)}` });
    const volume = volumeOfWire((body as { volume: unknown }).volume);
    if (as.token === undefined && !ctx.roles.includes('admin') && volume.projectId !== ctx.projectId)
      throw notFound(`Volume ${id} could not be found.`, { code: 'volume.not_found', details: { id } });
    return volume;
  }

  /** Makes a volume in the project of whoever acts: the user by `token`, else the service user. */
  async create(ctx: RequestContext, volume: NewVolume, as: ActingOptions = {}): Promise<Volume> {
    const { name, size, type, imageId } = volume;
    const json = { volume: { name, size, volume_type: type, imageRef: imageId } };
    const { body } = await this.call(ctx, as, { method: 'POST', path: '/volumes', json });
    return volumeOfWire((body as { volume: unknown }).volume);
  }

  /** Deletes; a volume that is already gone is fine. @throws invalid while it has attachments */
  async delete(ctx: RequestContext, id: string, as: ActingOptions = {}): Promise<void> {
    await this.call(ctx, as, { method: 'DELETE', path: `/volumes/${segment(id)}`, accept: [404] });
  }

  /** @throws invalid where the volume's state does not allow it, not_found where there is none */
  async createAttachment(
    ctx: RequestContext,
    { volumeId, serverId, connector, mode }: NewVolumeAttachment,
    as: ActingOptions = {},
  ): Promise<VolumeAttachment> {
    const attachment = { volume_uuid: volumeId, instance_uuid: serverId, connector: connector ?? null, mode };
    const { body } = await this.call(ctx, as, { method: 'POST', path: '/attachments', json: { attachment } });
    return attachmentOfWire((body as { attachment: unknown }).attachment);
  }

  /** Tells the host's connector; the answer says how the host reaches the volume. */
  async updateAttachment(
    ctx: RequestContext,
    id: string,
    connector: Readonly<Record<string, unknown>>,
    as: ActingOptions = {},
  ): Promise<VolumeAttachment> {
    const call = { method: 'PUT', path: `/attachments/${segment(id)}`, json: { attachment: { connector } } } as const;
    return attachmentOfWire(((await this.call(ctx, as, call)).body as { attachment: unknown }).attachment);
  }

  /** The host has it: the volume is in use. */
  async completeAttachment(ctx: RequestContext, id: string, as: ActingOptions = {}): Promise<void> {
    const path = `/attachments/${segment(id)}/action`;
    await this.call(ctx, as, { method: 'POST', path, json: { 'os-complete': {} } });
  }

  /** Gives the volume back; an attachment that is already gone is fine. */
  async deleteAttachment(ctx: RequestContext, id: string, as: ActingOptions = {}): Promise<void> {
    await this.call(ctx, as, { method: 'DELETE', path: `/attachments/${segment(id)}`, accept: [404] });
  }

  /** The attachments of a server, or of a volume; with the service user, of every project. */
  async listAttachments(
    ctx: RequestContext,
    { serverId, volumeId }: { serverId?: string; volumeId?: string },
    as: ActingOptions = {},
  ): Promise<VolumeAttachment[]> {
    const all = as.token === undefined ? { all_tenants: 1 } : {};
    const query: Record<string, QueryValue> = { instance_id: serverId, volume_id: volumeId, ...all };
    const { body } = await this.call(ctx, as, { method: 'GET', path: '/attachments', query });
    return ((body as { attachments?: unknown[] }).attachments ?? []).map(attachmentOfWire);
  }

  private async call(ctx: RequestContext, as: ActingOptions, call: Omit<ServiceCall, 'type' | 'version' | 'token'>) {
    const { session, timeoutMs } = this.options;
    const endpoint = await session.endpoint(ctx, 'block-storage');
    return session.request(ctx, {
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...call,
      headers: { 'openstack-api-version': MICROVERSION },
      type: 'block-storage',
      base: as.token === undefined ? endpoint : endpointOf(endpoint, ctx.projectId),
      ...(as.token === undefined ? {} : { token: as.token }),
    });
  }
}

/** Catalogs of old carry the project in the URL: the service user's own, where the user's token needs the user's. */
const endpointOf = (url: string, projectId: string | null): string =>
  projectId === null ? url : url.replace(/\/v3\/[0-9a-f-]{32,36}$/, `/v3/${projectId}`);

interface WireVolume {
  id: string;
  name?: string | null;
  status: string;
  size: number;
  volume_type?: string | null;
  availability_zone?: string | null;
  bootable?: string | boolean;
  multiattach?: boolean;
  metadata?: Record<string, string>;
  volume_image_metadata?: Record<string, string>;
  attachments?: { attachment_id: string; server_id?: string | null }[];
  'os-vol-tenant-attr:tenant_id'?: string;
}

function volumeOfWire(body: unknown): Volume {
  const w = body as WireVolume;
  return {
    id: w.id,
    name: w.name ?? null,
    status: w.status,
    size: w.size,
    projectId: w['os-vol-tenant-attr:tenant_id'] ?? '',
    typeName: w.volume_type ?? null,
    availabilityZone: w.availability_zone ?? null,
    bootable: String(w.bootable) === 'true',
    multiattach: w.multiattach ?? false,
    imageMetadata: w.volume_image_metadata ?? {},
    metadata: w.metadata ?? {},
    attachments: (w.attachments ?? []).map((a) => ({ id: a.attachment_id, serverId: a.server_id ?? null })),
  };
}

interface WireAttachment {
  id: string;
  volume_id: string;
  instance?: string | null;
  status: string;
  connection_info?: Record<string, unknown>;
}

function attachmentOfWire(body: unknown): VolumeAttachment {
  const w = body as WireAttachment;
  const info = w.connection_info;
  return {
    id: w.id,
    volumeId: w.volume_id,
    serverId: w.instance ?? null,
    status: w.status,
    connectionInfo: info && Object.keys(info).length > 0 ? info : null,
  };
}
