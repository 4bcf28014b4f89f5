/**
 * Attachments (3.27 and later): `reserved` holds the volume, `attaching` has a host's connector, `attached` (3.44) says
 * that it is done. The volume's own status follows from all of its attachments.
 */
import { randomUUID } from 'node:crypto';
import type { Database, Tx } from '@fractus/database';
import { parseCount, queryValue, type Query } from '@fractus/http';
import type { RequestContext } from '@fractus/objects';
import { isAdmin, requireWriter } from './volume-access';
import { badVolume, unknownAttachment, unknownVolume, wrongState } from './volume-errors';
import type { NewAttachment } from './volume.dto';
import type { AttachmentRow, VolumeRow, VolumeStatus } from './volume.rows';
import { lockVolume, setVolume } from './volumes';

export class Attachments {
  constructor(private readonly db: Database) {}

  async list(ctx: RequestContext, query: Query): Promise<AttachmentRow[]> {
    const all = isAdmin(ctx) && /^(true|1)$/i.test(queryValue(query, 'all_tenants') ?? '');
    const asked = {
      volume_id: queryValue(query, 'volume_id'),
      server_id: queryValue(query, 'instance_id') ?? queryValue(query, 'instance_uuid'),
      status: queryValue(query, 'status') ?? queryValue(query, 'attach_status'),
      project_id: all ? queryValue(query, 'project_id') : (ctx.projectId ?? ''),
    };
    const given = Object.entries(asked).filter((e): e is [string, string] => e[1] !== undefined);
    const where = given.length ? ` WHERE ${given.map(([name]) => `${name} = ?`).join(' AND ')}` : '';
    const rows = await this.db.query<AttachmentRow>(
      `SELECT * FROM volume_attachments${where} ORDER BY created_at, id`,
      given.map(([, value]) => value),
    );
    const marker = queryValue(query, 'marker');
    const from = marker === undefined ? 0 : rows.findIndex((r) => r.id === marker) + 1;
    return rows.slice(from, from + (parseCount(query, 'limit') ?? 1000));
  }

  /** @throws not_found for what is not there, or another project's */
  async show(ctx: RequestContext, id: string): Promise<AttachmentRow> {
    const [row] = await this.db.query<AttachmentRow>('SELECT * FROM volume_attachments WHERE id = ?', [id]);
    if (!row || !(isAdmin(ctx) || row.project_id === ctx.projectId)) throw unknownAttachment(id);
    return row;
  }

  /**
   * Reserves the volume; with a connector it is `attaching` at once. One that is in use can be reserved again where it
   * is multiattach, or for the same server (a move has two attachments of one).
   * @throws invalid `volume.status` where its state does not allow that
   */
  async create(ctx: RequestContext, given: NewAttachment): Promise<AttachmentRow> {
    requireWriter(ctx, 'volume:attachment_create');
    const id = randomUUID();
    await this.db.transaction(async (tx) => {
      const volume = await lockVolume(tx, given.volume_uuid);
      if (!isAdmin(ctx) && volume.project_id !== ctx.projectId) throw unknownVolume(volume.id);
      await requireReservable(tx, volume, given.instance_uuid ?? null);
      const now = Date.now();
      const { connector } = given;
      const row: AttachmentRow = {
        id,
        volume_id: volume.id,
        project_id: volume.project_id,
        server_id: given.instance_uuid ?? null,
        status: connector ? 'attaching' : 'reserved',
        mode: given.mode ?? 'rw',
        connector: connector ? JSON.stringify(connector) : null,
        mountpoint: mountpointOf(connector),
        attached_at: null,
        created_at: now,
        updated_at: now,
      };
      await tx.insert('volume_attachments', { ...row });
      await setVolume(tx, volume.id, { status: row.status });
    });
    return this.show(ctx, id);
  }

  /** The host's connector: `reserved` becomes `attaching`; again with another connector is fine until it is attached. */
  async update(ctx: RequestContext, id: string, connector: Record<string, unknown>): Promise<AttachmentRow> {
    requireWriter(ctx, 'volume:attachment_update');
    await this.move(ctx, id, async (tx, attachment, volume) => {
      if (attachment.status === 'attached') throw notNow(id, ['reserved', 'attaching'], attachment.status);
      const sql =
        "UPDATE volume_attachments SET status = 'attaching', connector = ?, mountpoint = ?, updated_at = ? WHERE id = ?";
      await tx.execute(sql, [JSON.stringify(connector), mountpointOf(connector), Date.now(), id]);
      await setVolume(tx, volume.id, { status: 'attaching' });
    });
    return this.show(ctx, id);
  }

  /** `attaching` becomes `attached`, and the volume `in-use`; told twice it is the same. */
  async complete(ctx: RequestContext, id: string): Promise<void> {
    requireWriter(ctx, 'volume:attachment_complete');
    await this.move(ctx, id, async (tx, attachment, volume) => {
      if (attachment.status === 'attached') return;
      if (attachment.status !== 'attaching') throw notNow(id, ['attaching'], attachment.status);
      const sql = "UPDATE volume_attachments SET status = 'attached', attached_at = ?, updated_at = ? WHERE id = ?";
      const now = Date.now();
      await tx.execute(sql, [now, now, id]);
      await setVolume(tx, volume.id, { status: 'in-use' });
    });
  }

  /** Removes it; the volume takes the state of what is left. @returns the attachments left */
  async delete(ctx: RequestContext, id: string): Promise<AttachmentRow[]> {
    requireWriter(ctx, 'volume:attachment_delete');
    let left: AttachmentRow[] = [];
    await this.move(ctx, id, async (tx, _attachment, volume) => {
      await tx.execute('DELETE FROM volume_attachments WHERE id = ?', [id]);
      left = await attachmentsOf(tx, volume.id);
      await setVolume(tx, volume.id, { status: statusBy(left) });
    });
    return left;
  }

  /** A move of one attachment, under the lock of its volume. */
  private async move(
    ctx: RequestContext,
    id: string,
    block: (tx: Tx, attachment: AttachmentRow, volume: VolumeRow) => Promise<void>,
  ): Promise<void> {
    const { volume_id } = await this.show(ctx, id);
    await this.db.transaction(async (tx) => {
      const volume = await lockVolume(tx, volume_id);
      const [now] = await tx.query<AttachmentRow>('SELECT * FROM volume_attachments WHERE id = ?', [id]);
      if (!now) throw unknownAttachment(id);
      await block(tx, now, volume);
    });
  }
}

export function attachmentsOf(tx: Tx, volumeId: string): Promise<AttachmentRow[]> {
  return tx.query<AttachmentRow>('SELECT * FROM volume_attachments WHERE volume_id = ? ORDER BY created_at, id', [
    volumeId,
  ]);
}

/** What a volume is while these hold it. */
export function statusBy(attachments: readonly AttachmentRow[]): VolumeStatus {
  const has = (status: string): boolean => attachments.some((a) => a.status === status);
  if (has('attached')) return 'in-use';
  if (has('attaching')) return 'attaching';
  return attachments.length > 0 ? 'reserved' : 'available';
}

async function requireReservable(tx: Tx, volume: VolumeRow, serverId: string | null): Promise<void> {
  const multi = Number(volume.multiattach) === 1;
  if (volume.status === 'available' || (multi && volume.status === 'in-use')) return;
  if (serverId !== null && (volume.status === 'in-use' || volume.status === 'reserved')) {
    if ((await attachmentsOf(tx, volume.id)).some((a) => a.server_id === serverId)) return;
  }
  throw wrongState(volume.id, multi ? ['available', 'in-use'] : ['available'], 'reserve', volume.status);
}

const notNow = (id: string, needed: readonly string[], is: string) =>
  badVolume(
    `Invalid volume attachment: ${id} must be ${needed.join(' or ')}, but its status is ${is}.`,
    'volume.attachment_status',
  );

function mountpointOf(connector: Record<string, unknown> | null | undefined): string | null {
  const mountpoint = connector?.['mountpoint'];
  return typeof mountpoint === 'string' ? mountpoint.slice(0, 255) : null;
}
