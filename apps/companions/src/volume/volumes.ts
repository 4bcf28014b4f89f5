/** Volumes: rows with a size. Nothing is stored in them, so each is available as soon as it is made. */
import { randomUUID } from 'node:crypto';
import type { Image, ImageClient } from '@fractus/clients';
import { placeholders, type Database, type SqlRow, type Tx } from '@fractus/database';
import { parseCount, queryValue, type Query } from '@fractus/http';
import { isFractusError, type RequestContext } from '@fractus/objects';
import {
  anyOf,
  conditionsOf,
  selectPage,
  sortKey,
  type Condition,
  type SortKey,
} from '../resource-table/resource-table';
import { isAdmin, requireWriter } from './volume-access';
import { badVolume, missing, unknownType, unknownVolume, wrongState } from './volume-errors';
import { isMultiattach, lockType, type VolumeTypes } from './volume-types';
import type { NewVolume } from './volume.dto';
import { VOLUMES, type AttachmentRow, type FullVolume, type VolumeRow } from './volume.rows';

const MAX_PAGE = 1000;
export const ZONE = 'nova';
const GIB = 2 ** 30;

export class Volumes {
  constructor(
    private readonly db: Database,
    private readonly types: VolumeTypes,
    private readonly images: Pick<ImageClient, 'show'>,
  ) {}

  /** A page, whether another may follow, and how many there are in all pages. */
  async list(ctx: RequestContext, query: Query): Promise<{ volumes: FullVolume[]; more: boolean; count: number }> {
    const limit = Math.min(parseCount(query, 'limit') ?? MAX_PAGE, MAX_PAGE);
    const marker = queryValue(query, 'marker');
    const after = marker === undefined ? undefined : await this.row(marker);
    if (marker !== undefined && !after) throw missing('Volume', marker);
    const conditions = conditionsOfList(ctx, query);
    const page = { sort: sortOf(query), limit: limit + 1, ...(after ? { after: { ...after } } : {}) };
    const { sql, params } = selectPage(VOLUMES, conditions, page);
    const rows = await this.db.query<VolumeRow>(sql, params);
    const where = conditions.map((c) => c.sql).join(' AND ');
    const countSql = `SELECT COUNT(*) AS n FROM volumes t${where ? ` WHERE ${where}` : ''}`;
    const [counted] = await this.db.query<{ n: number }>(
      countSql,
      conditions.flatMap((c) => [...c.params]),
    );
    const volumes = await this.complete(rows.slice(0, limit));
    return { volumes, more: rows.length > limit, count: Number(counted?.n ?? 0) };
  }

  /** @throws not_found for what is not there, or another project's */
  async show(ctx: RequestContext, id: string): Promise<FullVolume> {
    const row = await this.row(id);
    if (!row || !(isAdmin(ctx) || row.project_id === ctx.projectId)) throw unknownVolume(id);
    return (await this.complete([row]))[0] as FullVolume;
  }

  /** What a project has: volumes, and GiB in them. */
  async used(projectId: string): Promise<{ volumes: number; gigabytes: number }> {
    const sql = 'SELECT COUNT(*) AS n, COALESCE(SUM(size), 0) AS gb FROM volumes WHERE project_id = ?';
    const [row] = await this.db.query<{ n: number; gb: number }>(sql, [projectId]);
    return { volumes: Number(row?.n ?? 0), gigabytes: Number(row?.gb ?? 0) };
  }

  /** @throws invalid for a size, image or zone that does not fit, not_found for a type, image or source that is not there */
  async create(ctx: RequestContext, given: NewVolume): Promise<FullVolume> {
    const projectId = requireWriter(ctx, 'volume:create');
    refuseUnbuilt(given);
    const imageId = given.imageRef ?? given.image_id ?? null;
    const image = imageId === null ? undefined : await this.image(ctx, imageId);
    const source = given.source_volid ? await this.show(ctx, given.source_volid) : undefined;
    if (image && source) throw badVolume('A volume is made from an image or from a volume, not from both.');
    const size = sizeOf(given, image, source);
    const asked = given.volume_type ?? image?.properties['cinder_img_volume_type'];
    const type = await (asked ? this.types.named(ctx, asked) : this.typeOf(source));
    const now = Date.now();
    const row: VolumeRow = {
      id: randomUUID(),
      project_id: projectId,
      user_id: ctx.userId ?? '',
      name: given.name ?? given.display_name ?? null,
      description: given.description ?? given.display_description ?? null,
      status: 'available',
      size,
      type_id: type.id,
      availability_zone: given.availability_zone ?? ZONE,
      bootable: image || Number(source?.bootable) === 1 ? 1 : 0,
      multiattach: isMultiattach(type) ? 1 : 0,
      source_volid: source?.id ?? null,
      metadata: JSON.stringify(given.metadata ?? {}),
      image_metadata: image ? JSON.stringify(imageMetadata(image)) : (source?.image_metadata ?? '{}'),
      created_at: now,
      updated_at: now,
    };
    await this.db.transaction(async (tx) => {
      if (!(await lockType(tx, type.id))) throw unknownType(type.id);
      await tx.insert('volumes', { ...row });
    });
    return this.show(ctx, row.id);
  }

  /** Deletes one that nothing is attached to. */
  async delete(ctx: RequestContext, id: string, force = false): Promise<void> {
    requireWriter(ctx, 'volume:delete');
    await this.change(ctx, id, async (tx, row) => {
      const sql = 'SELECT id FROM volume_attachments WHERE volume_id = ? LIMIT 1';
      if (!force && (await tx.query(sql, [id])).length > 0)
        throw badVolume(`Invalid volume: Volume ${id} must not have attachments to be deleted.`, 'volume.attached');
      if (!force && !['available', 'error', 'error_deleting'].includes(row.status))
        throw wrongState(id, ['available', 'error', 'error_deleting'], 'delete', row.status);
      await tx.execute('DELETE FROM volume_attachments WHERE volume_id = ?', [id]);
      await tx.execute('DELETE FROM volumes WHERE id = ?', [id]);
    });
  }

  /**
   * One change to a volume that the caller may change, under the row's lock. The block gets the row as it is then, and
   * returns the columns to write.
   */
  async change(
    ctx: RequestContext,
    id: string,
    block: (tx: Tx, row: VolumeRow) => SqlRow | void | Promise<SqlRow | void>,
  ): Promise<void> {
    requireWriter(ctx, 'volume:update');
    await this.show(ctx, id);
    await this.db.transaction(async (tx) => {
      const row = await lockVolume(tx, id);
      const columns = await block(tx, row);
      if (columns) await setVolume(tx, id, columns);
    });
  }

  private async image(ctx: RequestContext, id: string): Promise<Image> {
    const image = await this.images.show(ctx, id).catch((e: unknown) => {
      throw isFractusError(e, 'not_found')
        ? badVolume(`Invalid image identifier or unable to access requested image: ${id}`)
        : e;
    });
    if (image.status !== 'active') throw badVolume(`Invalid input received: Image ${id} is not active.`);
    return image;
  }

  private async typeOf(source: FullVolume | undefined) {
    if (!source) return this.types.default();
    const [row] = await this.db.query<Awaited<ReturnType<VolumeTypes['default']>>>(
      'SELECT * FROM volume_types WHERE id = ?',
      [source.type_id],
    );
    if (!row) throw unknownType(source.type_id);
    return row;
  }

  private async row(id: string): Promise<VolumeRow | undefined> {
    return (await this.db.query<VolumeRow>('SELECT * FROM volumes WHERE id = ?', [id]))[0];
  }

  private async complete(rows: readonly VolumeRow[]): Promise<FullVolume[]> {
    if (rows.length === 0) return [];
    const ids = rows.map((r) => r.id);
    const [types, attachments] = await Promise.all([
      this.db.query<{ id: string; name: string }>('SELECT id, name FROM volume_types'),
      this.db.query<AttachmentRow>(
        `SELECT * FROM volume_attachments WHERE volume_id IN (${placeholders(ids)}) ORDER BY created_at, id`,
        ids,
      ),
    ]);
    return rows.map((row) => ({
      ...row,
      typeName: types.find((t) => t.id === row.type_id)?.name ?? '',
      attachments: attachments.filter((a) => a.volume_id === row.id),
    }));
  }
}

/** The volume's row, held until the unit of work ends. @throws not_found */
export async function lockVolume(tx: Tx, id: string): Promise<VolumeRow> {
  await tx.execute('UPDATE volumes SET updated_at = ? WHERE id = ?', [Date.now(), id]);
  const [row] = await tx.query<VolumeRow>('SELECT * FROM volumes WHERE id = ?', [id]);
  if (!row) throw unknownVolume(id);
  return row;
}

export async function setVolume(tx: Tx, id: string, columns: SqlRow): Promise<void> {
  const names = Object.keys(columns);
  const sql = `UPDATE volumes SET ${names.map((n) => `${n} = ?`).join(', ')} WHERE id = ?`;
  if (names.length > 0) await tx.execute(sql, [...Object.values(columns), id]);
}

function refuseUnbuilt(given: NewVolume): void {
  if (given.multiattach === true || /^(true|1|yes|on|t|y)$/i.test(String(given.multiattach)))
    throw badVolume(
      'multiattach parameter has been removed: use a volume type whose extra spec multiattach is "<is> True".',
      'volume.multiattach_parameter',
    );
  if (given.snapshot_id) throw missing('Snapshot', given.snapshot_id);
  if (given.backup_id) throw missing('Backup', given.backup_id);
  const group = given.group_id ?? given.consistencygroup_id;
  if (group) throw missing('Group', group);
  if (given.availability_zone && given.availability_zone !== ZONE)
    throw badVolume(`Availability zone '${given.availability_zone}' is invalid.`, 'volume.zone');
}

function sizeOf(given: NewVolume, image: Image | undefined, source: FullVolume | undefined): number {
  const size = given.size === null || given.size === undefined ? Number(source?.size ?? 0) : Number(given.size);
  if (size < 1) throw badVolume("Invalid input received: 'size' must be an integer and greater than 0.", 'volume.size');
  if (source && size < Number(source.size))
    throw badVolume(
      `Invalid input received: Volume size '${size}'GB cannot be smaller than original volume size ${source.size}GB.`,
    );
  const needed = Math.ceil((image?.virtualSize ?? image?.size ?? 0) / GIB);
  if (size < needed)
    throw badVolume(
      `Invalid input received: Size of specified image ${needed}GB is larger than volume size ${size}GB.`,
    );
  if (image && size < image.minDisk)
    throw badVolume(
      `Invalid input received: Volume size ${size}GB cannot be smaller than the image minDisk size ${image.minDisk}GB.`,
    );
  return size;
}

/** What a volume remembers of the image it was made from, all of it text. */
function imageMetadata(image: Image): Record<string, string> {
  return {
    ...image.properties,
    image_id: image.id,
    image_name: image.name ?? '',
    checksum: image.checksum ?? '',
    container_format: image.containerFormat ?? '',
    disk_format: image.diskFormat ?? '',
    min_disk: String(image.minDisk),
    min_ram: String(image.minRam),
    size: String(image.size ?? 0),
  };
}

function conditionsOfList(ctx: RequestContext, query: Query): Condition[] {
  const all = isAdmin(ctx) && /^(true|1|yes|on|t|y)$/i.test(queryValue(query, 'all_tenants') ?? '');
  const { project_id, ...rest } = query;
  const conditions = conditionsOf(VOLUMES, rest);
  if (!all) conditions.push(anyOf('t.project_id', [ctx.projectId ?? '']));
  else if (project_id) conditions.push(anyOf('t.project_id', project_id));
  for (const [key, value] of Object.entries(wantedMetadata(queryValue(query, 'metadata'))))
    // as JSON.stringify writes a pair; a quote within is escaped, so that no other text can hold this one
    conditions.push({ sql: 'INSTR(t.metadata, ?) > 0', params: [`${JSON.stringify(key)}:${JSON.stringify(value)}`] });
  return conditions;
}

/** `{'key': 'value'}` as clients write a Python dictionary into the query, or JSON. */
function wantedMetadata(text: string | undefined): Record<string, string> {
  if (text === undefined) return {};
  try {
    const read: unknown = JSON.parse(
      text.replace(/u?'((?:[^'\\])*)'/g, (_all, inner: string) => JSON.stringify(inner)),
    );
    if (typeof read === 'object' && read !== null && Object.values(read).every((v) => typeof v === 'string'))
      return read as Record<string, string>;
  } catch {
    // told below
  }
  throw badVolume(
    `Invalid value '${text}' for the filter metadata: a dictionary of texts is needed.`,
    'query.metadata',
  );
}

function sortOf(query: Query): SortKey[] {
  const pairs = queryValue(query, 'sort')
    ?.split(',')
    .map((part) => part.trim().split(':')) ?? [
    [queryValue(query, 'sort_key') ?? 'created_at', queryValue(query, 'sort_dir') ?? 'desc'],
  ];
  return pairs.map(([name = '', direction = 'desc']) =>
    sortKey(VOLUMES, name === 'display_name' ? 'name' : name, direction),
  );
}
