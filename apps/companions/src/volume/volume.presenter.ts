/** Wire shapes of Cinder v3. `minor` is the minor number of the microversion. */
import { isoTimeMicros } from '@fractus/http';
import { textsOf, type AttachmentRow, type FullVolume, type TypeRow } from './volume.rows';

type Wire = Record<string, unknown>;

/** Whoever looks, as far as answers differ. */
export interface Viewer {
  origin: string;
  projectId: string | null;
  admin: boolean;
  minor: number;
}

const linksOf = ({ origin, projectId }: Viewer, path: string): Wire[] => {
  const project = projectId ? `/${projectId}` : '';
  return [
    { rel: 'self', href: `${origin}/v3${project}/${path}` },
    { rel: 'bookmark', href: `${origin}${project}/${path}` },
  ];
};

export const presentSummary = (viewer: Viewer, { id, name }: FullVolume): Wire => ({
  id,
  name,
  links: linksOf(viewer, `volumes/${id}`),
});

export function presentVolume(viewer: Viewer, v: FullVolume): Wire {
  const image = textsOf(v.image_metadata);
  const { admin, minor } = viewer;
  return {
    ...presentSummary(viewer, v),
    status: v.status,
    size: Number(v.size),
    availability_zone: v.availability_zone,
    created_at: isoTimeMicros(Number(v.created_at)),
    updated_at: isoTimeMicros(Number(v.updated_at)),
    description: v.description,
    volume_type: v.typeName,
    snapshot_id: null,
    source_volid: v.source_volid,
    metadata: textsOf(v.metadata),
    user_id: v.user_id,
    bootable: Number(v.bootable) === 1 ? 'true' : 'false',
    encrypted: false,
    replication_status: null,
    consistencygroup_id: null,
    multiattach: Number(v.multiattach) === 1,
    attachments: v.attachments.filter((a) => a.status === 'attached').map((a) => attachmentOfVolume(a)),
    'os-vol-tenant-attr:tenant_id': v.project_id,
    ...(Object.keys(image).length ? { volume_image_metadata: image } : {}),
    ...(admin
      ? {
          'os-vol-host-attr:host': 'simulated@volumes#volumes',
          'os-vol-mig-status-attr:migstat': null,
          'os-vol-mig-status-attr:name_id': null,
        }
      : {}),
    ...(minor >= 13 ? { group_id: null } : {}),
    ...(minor >= 21 && admin ? { provider_id: null } : {}),
    ...(minor >= 48 ? { shared_targets: minor >= 69 ? null : false, service_uuid: null } : {}),
    ...(minor >= 61 && admin ? { cluster_name: null } : {}),
    ...(minor >= 63 ? { volume_type_id: v.type_id } : {}),
    ...(minor >= 65 ? { consumes_quota: true } : {}),
  };
}

const attachmentOfVolume = (a: AttachmentRow): Wire => ({
  id: a.volume_id,
  attachment_id: a.id,
  volume_id: a.volume_id,
  server_id: a.server_id,
  host_name: hostOf(a),
  device: a.mountpoint,
  attached_at: isoTimeMicros(a.attached_at === null ? null : Number(a.attached_at)),
});

function hostOf({ connector }: AttachmentRow): string | null {
  const host = connector === null ? undefined : (JSON.parse(connector) as Wire)['host'];
  return typeof host === 'string' ? host : null;
}

export const presentAttachmentSummary = (a: AttachmentRow): Wire => ({
  id: a.id,
  status: a.status,
  instance: a.server_id,
  volume_id: a.volume_id,
});

export const presentAttachment = (a: AttachmentRow): Wire => ({
  ...presentAttachmentSummary(a),
  attached_at: isoTimeMicros(a.attached_at === null ? null : Number(a.attached_at)),
  detached_at: null,
  attach_mode: a.mode,
  // nothing is stored, so there is nothing to reach: only what tells one attachment from another
  connection_info:
    a.connector === null
      ? {}
      : {
          driver_volume_type: 'simulated',
          attachment_id: a.id,
          volume_id: a.volume_id,
          access_mode: a.mode,
          encrypted: false,
        },
});

/** Extra specs that every user is shown: those that say how a volume may be used. */
const SHOWN = new Set(['multiattach', 'replication_enabled', 'RESKEY:availability_zones']);

export function presentType(viewer: Viewer, t: TypeRow): Wire {
  const specs = Object.entries(textsOf(t.extra_specs)).filter(([name]) => viewer.admin || SHOWN.has(name));
  return {
    id: t.id,
    name: t.name,
    description: t.description,
    is_public: Number(t.is_public) === 1,
    'os-volume-type-access:is_public': Number(t.is_public) === 1,
    extra_specs: Object.fromEntries(specs),
    ...(viewer.admin ? { qos_specs_id: null } : {}),
  };
}
