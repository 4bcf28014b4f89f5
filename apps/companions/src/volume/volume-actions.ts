/** `POST /volumes/{id}/action`: one member of the body names what to do. Each action says from which states it may go. */
import { randomUUID } from 'node:crypto';
import type { SqlRow, Tx } from '@fractus/database';
import { compileDto, toBoolean } from '@fractus/dto-schema';
import type { RequestContext } from '@fractus/objects';
import { attachmentsOf, statusBy } from './attachments';
import { requireAdmin } from './volume-access';
import { badVolume, missing, unknownAttachment, wrongState } from './volume-errors';
import { Bootable, ImageKey, Metadata, ReadOnly, SizeChange, StatusChange } from './volume.dto';
import { textsOf, type VolumeRow } from './volume.rows';
import type { Volumes } from './volumes';

interface ActionAnswer {
  status: number;
  body?: unknown;
}
interface ActionCall {
  volumes: Volumes;
  ctx: RequestContext;
  id: string;
  args: unknown;
  /** Minor number of the microversion. */
  minor: number;
}
type Action = (call: ActionCall) => Promise<ActionAnswer>;

/** An action that moves the status from some to another. */
const moves =
  (verb: string, from: readonly string[], to: (tx: Tx, row: VolumeRow) => SqlRow | Promise<SqlRow>): Action =>
  async ({ volumes, ctx, id }) => {
    await volumes.change(ctx, id, (tx, row) => {
      if (!from.includes(row.status)) throw wrongState(id, from, verb, row.status);
      return to(tx, row);
    });
    return { status: 202 };
  };

const rest = async (tx: Tx, { id }: VolumeRow): Promise<SqlRow> => ({ status: statusBy(await attachmentsOf(tx, id)) });

export const ACTIONS: Readonly<Record<string, Action>> = {
  'os-reserve': async (call) => {
    const reserve = async (_tx: Tx, row: VolumeRow): Promise<SqlRow> => {
      const from = Number(row.multiattach) === 1 ? ['available', 'in-use'] : ['available'];
      if (!from.includes(row.status)) throw wrongState(call.id, from, 'reserve', row.status);
      return { status: 'reserved' };
    };
    await call.volumes.change(call.ctx, call.id, reserve);
    return { status: 202 };
  },
  'os-unreserve': moves('unreserve', ['reserved'], rest),
  'os-begin_detaching': moves('detach', ['in-use'], () => ({ status: 'detaching' })),
  'os-roll_detaching': moves('roll back detaching', ['detaching'], () => ({ status: 'in-use' })),
  'os-attach': attach,
  'os-detach': detach,
  'os-set_bootable': async ({ volumes, ctx, id, args }) => {
    const { bootable } = compileDto(Bootable).parse(args);
    await volumes.change(ctx, id, () => ({ bootable: toBoolean(bootable) ? 1 : 0 }));
    return { status: 200 };
  },
  'os-extend': async ({ volumes, ctx, id, args, minor }) => {
    const size = Number(compileDto(SizeChange).parse(args).new_size);
    // a volume in use grows since 3.42
    const from = minor >= 42 ? ['available', 'in-use'] : ['available'];
    await volumes.change(ctx, id, (_tx, row) => {
      if (!from.includes(row.status)) throw wrongState(id, from, 'extend', row.status);
      if (size <= Number(row.size))
        throw badVolume(
          `Invalid input received: New size for extend must be greater than current size. (current: ${row.size}, extended: ${size}).`,
          'volume.size',
        );
      return { size };
    });
    return { status: 202 };
  },
  'os-update_readonly_flag': async ({ volumes, ctx, id, args }) => {
    const { readonly } = compileDto(ReadOnly).parse(args);
    await volumes.change(ctx, id, (_tx, row) => {
      if (row.status !== 'available') throw wrongState(id, ['available'], 'update readonly flag', row.status);
      return { metadata: JSON.stringify({ ...textsOf(row.metadata), readonly: readonly ? 'True' : 'False' }) };
    });
    return { status: 202 };
  },
  'os-set_image_metadata': async ({ volumes, ctx, id, args }) => {
    const { metadata } = compileDto(Metadata).parse(args);
    let all: Record<string, string> = {};
    await volumes.change(ctx, id, (_tx, row) => {
      all = { ...textsOf(row.image_metadata), ...metadata };
      return { image_metadata: JSON.stringify(all) };
    });
    return { status: 200, body: { metadata: all } };
  },
  'os-unset_image_metadata': async ({ volumes, ctx, id, args }) => {
    const { key } = compileDto(ImageKey).parse(args);
    await volumes.change(ctx, id, (_tx, row) => {
      const { [key]: gone, ...left } = textsOf(row.image_metadata);
      if (gone === undefined) throw missing('Image metadata key', key);
      return { image_metadata: JSON.stringify(left) };
    });
    return { status: 200 };
  },
  'os-show_image_metadata': async ({ volumes, ctx, id }) => ({
    status: 200,
    body: { metadata: textsOf((await volumes.show(ctx, id)).image_metadata) },
  }),
  'os-reset_status': async ({ volumes, ctx, id, args }) => {
    requireAdmin(ctx, 'volume_extension:volume_admin_actions:reset_status');
    const { status } = compileDto(StatusChange).parse(args);
    await volumes.change(ctx, id, () => ({ status }));
    return { status: 202 };
  },
  'os-force_delete': async ({ volumes, ctx, id }) => {
    requireAdmin(ctx, 'volume_extension:volume_admin_actions:force_delete');
    await volumes.delete(ctx, id, true);
    return { status: 202 };
  },
};

/** The attach of before 3.27: one step, to a server. */
async function attach({ volumes, ctx, id, args }: ActionCall): Promise<ActionAnswer> {
  const { instance_uuid: server, mountpoint, mode } = args as Record<string, unknown>;
  if (typeof server !== 'string' || server.length > 36)
    throw badVolume("Invalid input for field/attribute instance_uuid: the server's id is needed.");
  if (typeof mountpoint !== 'string' || mountpoint === '' || mountpoint.length > 255)
    throw badVolume('Invalid input for field/attribute mountpoint: a text of 1 to 255 characters is needed.');
  await volumes.change(ctx, id, async (tx, row) => {
    const from = ['available', 'reserved', 'attaching', ...(Number(row.multiattach) === 1 ? ['in-use'] : [])];
    if (!from.includes(row.status)) throw wrongState(id, from, 'attach', row.status);
    const now = Date.now();
    await tx.insert('volume_attachments', {
      id: randomUUID(),
      volume_id: id,
      project_id: row.project_id,
      server_id: server,
      status: 'attached',
      mode: mode === 'ro' ? 'ro' : 'rw',
      connector: null,
      mountpoint,
      attached_at: now,
      created_at: now,
      updated_at: now,
    });
    return { status: 'in-use' };
  });
  return { status: 202 };
}

/** Removes the attachment that is named, or the only one. */
async function detach({ volumes, ctx, id, args }: ActionCall): Promise<ActionAnswer> {
  const wanted = (args as Record<string, unknown>)['attachment_id'];
  await volumes.change(ctx, id, async (tx, row) => {
    if (row.status !== 'in-use' && row.status !== 'detaching')
      throw wrongState(id, ['in-use', 'detaching'], 'detach', row.status);
    const all = await attachmentsOf(tx, id);
    const found = typeof wanted === 'string' ? all.find((a) => a.id === wanted) : all[0];
    if (typeof wanted !== 'string' && all.length > 1)
      throw badVolume('Invalid volume: Volume is attached more than once: attachment_id is needed.');
    if (!found && typeof wanted === 'string') throw unknownAttachment(wanted);
    if (found) await tx.execute('DELETE FROM volume_attachments WHERE id = ?', [found.id]);
    return { status: statusBy(all.filter((a) => a !== found)) };
  });
  return { status: 202 };
}

/** Runs the one action that the body names. @throws invalid where it names none that is known, or several */
export async function runAction(call: Omit<ActionCall, 'args'>, body: unknown): Promise<ActionAnswer> {
  const members = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : [];
  const [first] = members;
  const action = first && Object.hasOwn(ACTIONS, first[0]) ? ACTIONS[first[0]] : undefined;
  if (!first || !action || members.length > 1)
    throw badVolume(
      `There is no such action: ${members.map(([name]) => name).join(', ') || 'none is named'}.`,
      'volume.action',
    );
  const args: unknown = first[1] ?? {};
  if (typeof args !== 'object' || Array.isArray(args)) throw badVolume(`${first[0]} must be an object or null.`);
  return action({ ...call, args });
}
