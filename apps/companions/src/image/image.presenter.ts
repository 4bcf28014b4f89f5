/** Wire shapes of Glance v2. */
import { isoTime } from '@fractus/http';
import { wireOfRow } from '../resource-table/resource-table';
import { IMAGES, type FullImage, type MemberRow } from './image.rows';

type Wire = Record<string, unknown>;

export function presentImage(image: FullImage): Wire {
  return {
    ...image.properties,
    ...wireOfRow(IMAGES, { ...image }),
    tags: image.tags,
    self: `/v2/images/${image.id}`,
    file: `/v2/images/${image.id}/file`,
    schema: '/v2/schemas/image',
  };
}

export function presentMember(row: MemberRow): Wire {
  return {
    image_id: row.image_id,
    member_id: row.member_id,
    status: row.status,
    created_at: isoTime(Number(row.created_at)),
    updated_at: isoTime(Number(row.updated_at)),
    schema: '/v2/schemas/member',
  };
}

/** The minor versions whose calls are served here. */
const VERSIONS = ['v2.9', 'v2.7', 'v2.6', 'v2.5', 'v2.4', 'v2.3', 'v2.2', 'v2.1', 'v2.0'];

export function presentVersions(origin: string): Wire {
  return {
    versions: VERSIONS.map((id, i) => ({
      id,
      status: i === 0 ? 'CURRENT' : 'SUPPORTED',
      links: [{ rel: 'self', href: `${origin}/v2/` }],
    })),
  };
}
