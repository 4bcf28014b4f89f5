/** With which projects a shared image is shared. */
import { isDuplicateKey, type Database } from '@fractus/database';
import { conflict, forbidden, notFound, type RequestContext } from '@fractus/objects';
import { isAdmin, requireWriter } from './image-access';
import { notYours } from './image-errors';
import type { Images } from './images';
import type { FullImage, MemberRow } from './image.rows';

export class ImageMembers {
  constructor(
    private readonly db: Database,
    private readonly images: Images,
  ) {}

  /** The owner sees all; a member only itself. */
  async list(ctx: RequestContext, imageId: string): Promise<MemberRow[]> {
    const image = await this.shared(ctx, imageId);
    const rows = await this.db.query<MemberRow>('SELECT * FROM image_members WHERE image_id = ? ORDER BY member_id', [
      imageId,
    ]);
    return owns(ctx, image) ? rows : rows.filter((r) => r.member_id === ctx.projectId);
  }

  async get(ctx: RequestContext, imageId: string, memberId: string): Promise<MemberRow> {
    const found = (await this.list(ctx, imageId)).find((r) => r.member_id === memberId);
    if (!found) throw notFound(`${memberId} is not a member of image ${imageId}.`, { code: 'image.member_not_found' });
    return found;
  }

  async add(ctx: RequestContext, imageId: string, memberId: string): Promise<MemberRow> {
    requireWriter(ctx, 'share this image', await this.shared(ctx, imageId));
    const now = Date.now();
    const row: MemberRow = {
      image_id: imageId,
      member_id: memberId,
      status: 'pending',
      created_at: now,
      updated_at: now,
    };
    try {
      await this.db.transaction((tx) => tx.insert('image_members', { ...row }));
    } catch (e) {
      if (isDuplicateKey(e))
        throw conflict(`${memberId} is already a member of image ${imageId}.`, { code: 'image.member_exists' });
      throw e;
    }
    return row;
  }

  /** Whether to take an image is the member's own choice. */
  async setStatus(
    ctx: RequestContext,
    imageId: string,
    memberId: string,
    status: MemberRow['status'],
  ): Promise<MemberRow> {
    await this.get(ctx, imageId, memberId);
    if (!isAdmin(ctx) && memberId !== ctx.projectId) throw notYours(`answer for ${memberId}`);
    const sql = 'UPDATE image_members SET status = ?, updated_at = ? WHERE image_id = ? AND member_id = ?';
    await this.db.transaction((tx) => tx.execute(sql, [status, Date.now(), imageId, memberId]));
    return this.get(ctx, imageId, memberId);
  }

  async remove(ctx: RequestContext, imageId: string, memberId: string): Promise<void> {
    requireWriter(ctx, 'change the members of this image', await this.shared(ctx, imageId));
    await this.get(ctx, imageId, memberId);
    await this.db.transaction((tx) =>
      tx.execute('DELETE FROM image_members WHERE image_id = ? AND member_id = ?', [imageId, memberId]),
    );
  }

  private async shared(ctx: RequestContext, imageId: string): Promise<FullImage> {
    const image = await this.images.show(ctx, imageId);
    if (image.visibility !== 'shared')
      throw forbidden('Only shared images have members.', { code: 'image.not_shared' });
    return image;
  }
}

const owns = (ctx: RequestContext, image: FullImage): boolean =>
  isAdmin(ctx) || (image.owner !== null && image.owner === ctx.projectId);
