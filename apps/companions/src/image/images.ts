/** Images: what may be done with them, over their rows and their bytes. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { placeholders, isDuplicateKey, type Database, type SqlRow, type SqlValue, type Tx } from '@fractus/database';
import { compileDto } from '@fractus/dto-schema';
import { parseCount, type Query } from '@fractus/http';
import { conflict, forbidden, type RequestContext } from '@fractus/objects';
import { selectPage } from '../resource-table/resource-table';
import { isAdmin, isOpenTo, requireOwnership, requirePublisher, requireWriter } from './image-access';
import { ImageCache } from './image-cache';
import { badImage, notYours, unknownImage, wrongStatus } from './image-errors';
import { conditionsOf, sortOf } from './image-list';
import { applyPatch, BASE, READ_ONLY, type PatchOp } from './image-patch';
import type { ImageStore } from './image-store';
import { NewImage } from './image.dto';
import { IMAGES, type FullImage, type ImageRow } from './image.rows';

const PAGE = 25;
const MAX_PAGE = 1000;
const MAX_PROPERTIES = 128;

export class Images {
  private readonly cache = new ImageCache();

  constructor(
    private readonly db: Database,
    private readonly store: ImageStore,
  ) {}

  /** Puts right what a crash left: unfinished uploads may start again, files without an image go. */
  async recover(): Promise<void> {
    await this.db.transaction((tx) => tx.execute("UPDATE images SET status = 'queued' WHERE status = 'saving'"));
    const rows = await this.db.query<{ data_file: string }>('SELECT data_file FROM images WHERE data_file IS NOT NULL');
    await this.store.sweep(new Set(rows.map((r) => r.data_file)));
  }

  /** A page, and whether another may follow. */
  async list(ctx: RequestContext, query: Query): Promise<{ images: FullImage[]; more: boolean }> {
    const asked = parseCount(query, 'limit');
    const limit = Math.min(asked ?? PAGE, MAX_PAGE);
    const marker = query['marker']?.[0];
    const after = marker === undefined ? undefined : await this.row(marker);
    if (marker !== undefined && !after) throw badImage(`The marker ${marker} is not the id of an image.`);
    const page = { sort: sortOf(query), limit: limit + 1, ...(after ? { after: { ...after } } : {}) };
    const { sql, params } = selectPage(IMAGES, conditionsOf(ctx, query), page);
    const rows = limit === 0 ? [] : await this.db.query<ImageRow>(sql, params);
    return { images: await this.complete(rows.slice(0, limit)), more: rows.length > limit };
  }

  /** @throws not_found where the caller may not see it */
  async show(ctx: RequestContext, id: string): Promise<FullImage> {
    // a unit of work sees what it has written itself
    const image = await (this.db.inTransaction() ? this.read(id) : this.cache.get(id, () => this.read(id)));
    if (!image || !(isOpenTo(ctx, image) || (await this.isMember(ctx, image)))) throw unknownImage(id);
    return image;
  }

  async create(ctx: RequestContext, given: NewImage): Promise<FullImage> {
    requireWriter(ctx, 'create images');
    requirePublisher(ctx, given.visibility);
    requireOwnership(ctx, given.owner);
    const now = Date.now();
    const id = given.id ?? randomUUID();
    const row: ImageRow = {
      id,
      name: given.name ?? null,
      status: 'queued',
      visibility: given.visibility ?? 'shared',
      owner: given.owner === undefined ? ctx.projectId : given.owner,
      protected: given.protected ? 1 : 0,
      os_hidden: given.os_hidden ? 1 : 0,
      disk_format: given.disk_format ?? null,
      container_format: given.container_format ?? null,
      size: null,
      virtual_size: null,
      min_disk: given.min_disk ?? 0,
      min_ram: given.min_ram ?? 0,
      checksum: null,
      os_hash_algo: null,
      os_hash_value: null,
      data_file: null,
      created_at: now,
      updated_at: now,
    };
    const own = Object.entries(given as Record<string, unknown>).filter(([name]) => !BASE.has(name) && name !== 'id');
    const readOnly = own.find(([name]) => READ_ONLY.has(name));
    if (readOnly) throw forbidden(`Attribute '${readOnly[0]}' is read-only.`, { code: 'image.read_only' });
    const properties = checkedProperties(Object.fromEntries(own));
    try {
      await this.write(id, async (tx) => {
        await tx.insert('images', { ...row });
        await this.writeProperties(tx, id, properties);
        await this.writeTags(tx, id, given.tags ?? []);
      });
    } catch (e) {
      if (isDuplicateKey(e)) throw conflict(`Image ID ${id} already exists!`, { code: 'image.exists' });
      throw e;
    }
    return this.show(ctx, id);
  }

  async patch(ctx: RequestContext, id: string, ops: readonly PatchOp[]): Promise<FullImage> {
    await this.write(id, async (tx) => {
      const image = await this.show(ctx, id);
      requireWriter(ctx, `modify image ${id}`, image);
      const { attributes, properties } = applyPatch(ops, image.properties);
      const change = compileDto(NewImage).parse(attributes);
      requirePublisher(ctx, change.visibility === image.visibility ? undefined : change.visibility);
      if (change.owner !== undefined && change.owner !== image.owner) requireOwnership(ctx, change.owner);
      for (const name of ['disk_format', 'container_format'] as const) {
        const changed = change[name] !== undefined && change[name] !== image[name];
        if (changed && image.status !== 'queued') {
          throw forbidden(`Attribute '${name}' cannot be changed once the image has data.`, {
            code: 'image.read_only',
          });
        }
      }
      const { tags, ...columns } = change;
      await this.set(tx, id, columns as SqlRow);
      await this.writeProperties(tx, id, checkedProperties(properties));
      if (tags) await this.writeTags(tx, id, tags);
    });
    return this.show(ctx, id);
  }

  async delete(ctx: RequestContext, id: string): Promise<void> {
    await this.write(id, async (tx) => {
      const image = await this.show(ctx, id);
      requireWriter(ctx, 'delete this image', image);
      if (Number(image.protected) === 1) {
        throw forbidden(`Image ${id} is protected and cannot be deleted.`, { code: 'image.protected' });
      }
      for (const table of ['image_members', 'image_tags', 'image_properties'])
        await tx.execute(`DELETE FROM ${table} WHERE image_id = ?`, [id]);
      await tx.execute('DELETE FROM images WHERE id = ?', [id]);
      const file = image.data_file;
      // a file that outlives a crash here is swept at the next start
      if (file !== null) tx.afterCommit(() => this.store.remove(file));
    });
  }

  /** Takes the bytes in. The image is `saving` meanwhile, and `queued` again where they break off. */
  async upload(ctx: RequestContext, id: string, source: Readable): Promise<void> {
    const image = await this.show(ctx, id);
    requireWriter(ctx, 'upload data to this image', image);
    if (image.disk_format === null || image.container_format === null) {
      throw badImage('Properties disk_format and container_format must be set before data is uploaded.');
    }
    if (!(await this.move(id, 'queued', 'saving'))) {
      throw wrongStatus(`Image ${id} is ${image.status}: data can be uploaded to a queued image only.`);
    }
    try {
      const data = await this.store.write(source);
      const done = await this.finish(id, data);
      if (!done) {
        await this.store.remove(data.file);
        throw unknownImage(id); // deleted while its bytes came in
      }
    } catch (e) {
      await this.move(id, 'saving', 'queued');
      if (isBrokenUpload(e)) throw badImage('The upload broke off before its end.');
      throw e;
    }
  }

  /** The image and its bytes; no stream for an image without data. */
  async download(
    ctx: RequestContext,
    id: string,
    range?: (size: number) => { start: number; end: number } | undefined,
  ) {
    const image = await this.show(ctx, id);
    if (image.status === 'deactivated' && !isAdmin(ctx)) {
      throw forbidden('The requested image has been deactivated. Image data download is forbidden.', {
        code: 'image.deactivated',
      });
    }
    if (image.data_file === null || image.size === null) return { image, part: undefined, stream: null };
    const part = range?.(Number(image.size));
    return { image, part, stream: await this.store.read(image.data_file, part) };
  }

  async setTag(ctx: RequestContext, id: string, tag: string): Promise<void> {
    if (tag.length > 255) throw badImage('A tag has at most 255 characters.');
    const image = await this.show(ctx, id);
    requireWriter(ctx, 'modify this image', image);
    if (!image.tags.includes(tag) && image.tags.length >= MAX_PROPERTIES)
      throw badImage(`An image has at most ${MAX_PROPERTIES} tags.`);
    await this.write(id, (tx) =>
      tx.execute(this.db.upsertSql('image_tags', ['image_id', 'tag'], ['image_id', 'tag']), [id, tag]),
    );
  }

  async removeTag(ctx: RequestContext, id: string, tag: string): Promise<void> {
    requireWriter(ctx, 'modify this image', await this.show(ctx, id));
    const { affected } = await this.write(id, (tx) =>
      tx.execute('DELETE FROM image_tags WHERE image_id = ? AND tag = ?', [id, tag]),
    );
    if (affected === 0) throw unknownImage(`${id} with the tag ${tag}`);
  }

  /** Only administrators; an image that is there already stays as it is. */
  async setActive(ctx: RequestContext, id: string, active: boolean): Promise<void> {
    const image = await this.show(ctx, id);
    if (!isAdmin(ctx)) throw notYours(`${active ? 'reactivate' : 'deactivate'} this image`);
    const [from, to] = active ? (['deactivated', 'active'] as const) : (['active', 'deactivated'] as const);
    if (image.status !== to && !(await this.move(id, from, to))) {
      throw forbidden(`Not allowed to ${active ? 'reactivate' : 'deactivate'} an image in status '${image.status}'.`, {
        code: 'image.status',
      });
    }
  }

  private async read(id: string): Promise<FullImage | undefined> {
    const row = await this.row(id);
    return row && (await this.complete([row]))[0];
  }

  private write<T>(id: string, block: (tx: Tx) => Promise<T>): Promise<T> {
    return this.cache.writing(id, () => this.db.transaction(block));
  }

  private async row(id: string): Promise<ImageRow | undefined> {
    return (await this.db.query<ImageRow>('SELECT * FROM images WHERE id = ?', [id]))[0];
  }

  private async isMember(ctx: RequestContext, image: ImageRow): Promise<boolean> {
    if (image.visibility !== 'shared' || ctx.projectId === null) return false;
    const sql = 'SELECT member_id FROM image_members WHERE image_id = ? AND member_id = ?';
    return (await this.db.query(sql, [image.id, ctx.projectId])).length > 0;
  }

  private async move(id: string, from: string, to: string): Promise<boolean> {
    const sql = 'UPDATE images SET status = ?, updated_at = ? WHERE id = ? AND status = ?';
    return (await this.write(id, (tx) => tx.execute(sql, [to, Date.now(), id, from]))).affected > 0;
  }

  private async finish(
    id: string,
    data: { file: string; size: number; checksum: string; hashValue: string },
  ): Promise<boolean> {
    const sql = `UPDATE images SET status = 'active', data_file = ?, size = ?, checksum = ?, os_hash_algo = 'sha512', os_hash_value = ?,
      updated_at = ? WHERE id = ? AND status = 'saving'`;
    const params = [data.file, data.size, data.checksum, data.hashValue, Date.now(), id];
    return (await this.write(id, (tx) => tx.execute(sql, params))).affected > 0;
  }

  private async complete(rows: readonly ImageRow[]): Promise<FullImage[]> {
    if (rows.length === 0) return [];
    const marks = placeholders(rows);
    const ids = rows.map((r) => r.id);
    const [tags, properties] = await Promise.all([
      this.db.query<{ image_id: string; tag: string }>(
        `SELECT * FROM image_tags WHERE image_id IN (${marks}) ORDER BY tag`,
        ids,
      ),
      this.db.query<{ image_id: string; name: string; value: string }>(
        `SELECT * FROM image_properties WHERE image_id IN (${marks})`,
        ids,
      ),
    ]);
    return rows.map((row) => ({
      ...row,
      tags: tags.filter((t) => t.image_id === row.id).map((t) => t.tag),
      properties: Object.fromEntries(properties.filter((p) => p.image_id === row.id).map((p) => [p.name, p.value])),
    }));
  }

  private async set(tx: Tx, id: string, columns: SqlRow): Promise<void> {
    const row: SqlRow = { ...columns, updated_at: Date.now() };
    const names = Object.keys(row);
    const values = names.map((n): SqlValue => (typeof row[n] === 'boolean' ? Number(row[n]) : row[n]));
    await tx.execute(`UPDATE images SET ${names.map((n) => `${n} = ?`).join(', ')} WHERE id = ?`, [...values, id]);
  }

  private async writeProperties(tx: Tx, id: string, properties: Record<string, string>): Promise<void> {
    await tx.execute('DELETE FROM image_properties WHERE image_id = ?', [id]);
    const rows = Object.entries(properties).map(([name, value]) => ({ image_id: id, name, value }));
    if (rows.length) await tx.insert('image_properties', rows);
  }

  private async writeTags(tx: Tx, id: string, tags: readonly string[]): Promise<void> {
    await tx.execute('DELETE FROM image_tags WHERE image_id = ?', [id]);
    const rows = [...new Set(tags)].map((tag) => ({ image_id: id, tag }));
    if (rows.length) await tx.insert('image_tags', rows);
  }
}

function checkedProperties(properties: Record<string, unknown>): Record<string, string> {
  const entries = Object.entries(properties);
  if (entries.length > MAX_PROPERTIES) throw badImage(`An image has at most ${MAX_PROPERTIES} properties.`);
  for (const [name, value] of entries) {
    if (name.length > 255) throw badImage('The name of a property has at most 255 characters.');
    if (typeof value !== 'string' || value.length > 65535)
      throw badImage(`Property '${name}' must be a text of at most 65535 characters.`);
  }
  return properties as Record<string, string>;
}

function isBrokenUpload(e: unknown): boolean {
  const code = (e as { code?: unknown }).code;
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'ABORT_ERR';
}
