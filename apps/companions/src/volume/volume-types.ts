/** Volume types: names for what a volume can do, in extra specs. One of them is the default. */
import { randomUUID } from 'node:crypto';
import { isDuplicateKey, type Database, type SqlRow, type Tx } from '@fractus/database';
import { conflict, type RequestContext } from '@fractus/objects';
import { isAdmin, requireAdmin } from './volume-access';
import { badVolume, missing, unknownType } from './volume-errors';
import { textsOf, type TypeRow } from './volume.rows';

export const DEFAULT_TYPE = '__DEFAULT__';
/** Cinder's way to say yes in an extra spec. */
const YES = /^<is>\s*true$/i;

/** Whether volumes of the type may be attached to several servers at once. */
export const isMultiattach = (type: TypeRow): boolean => YES.test(textsOf(type.extra_specs)['multiattach'] ?? '');

export class VolumeTypes {
  constructor(private readonly db: Database) {}

  /** Makes the default type of a new database. Two that start at once make one. */
  async ensureDefault(): Promise<void> {
    if ((await this.db.query('SELECT id FROM volume_types WHERE is_default = 1')).length > 0) return;
    const row = newRow({ name: DEFAULT_TYPE, description: 'Default Volume Type', isPublic: true, extraSpecs: {} });
    try {
      await this.db.insert('volume_types', { ...row, is_default: 1 });
    } catch (e) {
      if (!isDuplicateKey(e)) throw e;
    }
  }

  /** By name; private ones only for the administrator and the projects that have access. */
  async list(ctx: RequestContext): Promise<TypeRow[]> {
    const rows = await this.db.query<TypeRow>('SELECT * FROM volume_types ORDER BY name');
    if (isAdmin(ctx)) return rows;
    const sql = 'SELECT type_id FROM volume_type_access WHERE project_id = ?';
    const given = await this.db.query<{ type_id: string }>(sql, [ctx.projectId ?? '']);
    return rows.filter((r) => Number(r.is_public) === 1 || given.some((g) => g.type_id === r.id));
  }

  /** @throws not_found for what is not there, or not for this project */
  async show(ctx: RequestContext, id: string): Promise<TypeRow> {
    const found = (await this.list(ctx)).find((t) => t.id === id);
    if (!found) throw unknownType(id);
    return found;
  }

  /** By id or name, as a volume names its type. @throws not_found */
  async named(ctx: RequestContext, reference: string): Promise<TypeRow> {
    const types = await this.list(ctx);
    const found = types.find((t) => t.id === reference) ?? types.find((t) => t.name === reference);
    if (!found) throw unknownType(reference);
    return found;
  }

  async default(): Promise<TypeRow> {
    const [row] = await this.db.query<TypeRow>('SELECT * FROM volume_types WHERE is_default = 1');
    if (!row) throw missing('Default volume type', DEFAULT_TYPE);
    return row;
  }

  async create(
    ctx: RequestContext,
    given: { name: string; description: string | null; isPublic: boolean; extraSpecs: Record<string, string> },
  ): Promise<TypeRow> {
    requireAdmin(ctx, 'volume_extension:type_create');
    const row = newRow(given);
    await unique(given.name, () => this.db.insert('volume_types', { ...row }));
    return this.show(ctx, row.id);
  }

  async update(
    ctx: RequestContext,
    id: string,
    change: { name?: string; description?: string | null; is_public?: number },
  ): Promise<TypeRow> {
    requireAdmin(ctx, 'volume_extension:type_update');
    await this.show(ctx, id);
    const row: SqlRow = { ...change, updated_at: Date.now() };
    const sql = `UPDATE volume_types SET ${Object.keys(row)
      .map((name) => `${name} = ?`)
      .join(', ')} WHERE id = ?`;
    await unique(change.name ?? '', () => this.db.execute(sql, [...Object.values(row), id]));
    return this.show(ctx, id);
  }

  /** @throws invalid for the default type and for one that volumes have */
  async delete(ctx: RequestContext, id: string): Promise<void> {
    requireAdmin(ctx, 'volume_extension:type_delete');
    const type = await this.show(ctx, id);
    if (Number(type.is_default) === 1)
      throw badVolume(`The default volume type ${type.name} cannot be deleted.`, 'volume.type_default');
    await this.db.transaction(async (tx) => {
      await this.unused(tx, id);
      await tx.execute('DELETE FROM volume_type_access WHERE type_id = ?', [id]);
      await tx.execute('DELETE FROM volume_types WHERE id = ?', [id]);
    });
  }

  /** Changes extra specs by key: a text sets, null removes. @throws invalid while volumes have the type */
  async setSpecs(ctx: RequestContext, id: string, changes: Record<string, string | null>): Promise<void> {
    requireAdmin(ctx, 'volume_extension:types_extra_specs:update');
    await this.show(ctx, id);
    await this.db.transaction(async (tx) => {
      await this.unused(tx, id);
      const [row] = await tx.query<TypeRow>('SELECT * FROM volume_types WHERE id = ?', [id]);
      if (!row) throw unknownType(id);
      const specs = Object.entries({ ...textsOf(row.extra_specs), ...changes }).filter(([, v]) => v !== null);
      const sql = 'UPDATE volume_types SET extra_specs = ? WHERE id = ?';
      await tx.execute(sql, [JSON.stringify(Object.fromEntries(specs)), id]);
    });
  }

  /** The projects that a private type is open to. */
  async accessOf(ctx: RequestContext, id: string): Promise<string[]> {
    requireAdmin(ctx, 'volume_extension:volume_type_access');
    if (Number((await this.show(ctx, id)).is_public) === 1) throw missing('Access list of volume type', id);
    const sql = 'SELECT project_id FROM volume_type_access WHERE type_id = ? ORDER BY project_id';
    return (await this.db.query<{ project_id: string }>(sql, [id])).map((r) => r.project_id);
  }

  async setAccess(ctx: RequestContext, id: string, project: string, may: boolean): Promise<void> {
    const has = (await this.accessOf(ctx, id)).includes(project);
    if (may && has)
      throw conflict(`Volume type access for ${id} / ${project} combination already exists.`, {
        code: 'volume.type_access_exists',
      });
    if (!may && !has) throw missing('Volume type access of project', project);
    if (may) await this.db.insert('volume_type_access', { type_id: id, project_id: project });
    else await this.db.execute('DELETE FROM volume_type_access WHERE type_id = ? AND project_id = ?', [id, project]);
  }

  /** Holds the type's row, so that no volume of it is made meanwhile. */
  private async unused(tx: Tx, id: string): Promise<void> {
    await lockType(tx, id);
    const used = await tx.query('SELECT id FROM volumes WHERE type_id = ? LIMIT 1', [id]);
    if (used.length > 0) throw badVolume('Volume Type is currently in use.', 'volume.type_in_use');
  }
}

/** Whoever writes the type, or a volume of it, comes after the other. @returns whether the type is there */
export async function lockType(tx: Tx, id: string): Promise<boolean> {
  const sql = 'UPDATE volume_types SET updated_at = updated_at + 1 WHERE id = ?';
  return (await tx.execute(sql, [id])).affected > 0;
}

function newRow(given: {
  name: string;
  description: string | null;
  isPublic: boolean;
  extraSpecs: Record<string, string>;
}): TypeRow & SqlRow {
  const now = Date.now();
  return {
    id: randomUUID(),
    name: given.name,
    description: given.description,
    is_public: given.isPublic ? 1 : 0,
    is_default: 0,
    extra_specs: JSON.stringify(given.extraSpecs),
    created_at: now,
    updated_at: now,
  };
}

async function unique(name: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (e) {
    if (isDuplicateKey(e)) throw conflict(`Volume Type ${name} already exists.`, { code: 'volume.type_exists' });
    throw e;
  }
}
