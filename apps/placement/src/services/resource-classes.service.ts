import { Injectable } from '@nestjs/common';
import { isDuplicateKey } from '@fractus/database';
import { isCustomResourceClass, isStandardResourceClass } from '@fractus/os-resource-classes';
import { type RequestContext, conflict, invalid, notFound } from '@fractus/objects';
import type { WriteUnit } from '../store/write-unit';
import { PlacementCore } from './placement-core';
import type { NamedSince } from './traits.service';

/** Ids below are kept for standard classes of the future. */
const FIRST_CUSTOM_ID = 10_000;

@Injectable()
export class ResourceClassesService {
  constructor(private readonly core: PlacementCore) {}

  async list(_ctx: RequestContext): Promise<NamedSince[]> {
    await this.core.replica.syncNames();
    const table = this.core.replica.names.classes;
    return table.names().map((name) => ({ name, updatedAt: table.updatedAt(name) ?? 0 }));
  }

  async get(_ctx: RequestContext, name: string): Promise<NamedSince> {
    await this.core.replica.syncNames();
    const updatedAt = this.core.replica.names.classes.updatedAt(name);
    if (updatedAt === undefined) throw noClass(name);
    return { name, updatedAt };
  }

  /** 409 if it exists. The name has been validated as custom. */
  async create(_ctx: RequestContext, name: string): Promise<void> {
    if (!(await this.insert(name)))
      throw conflict(`Conflicting resource class already exists: ${name}`, { code: 'resource_class.exists' });
  }

  /** True when it is new. */
  async ensure(_ctx: RequestContext, name: string): Promise<boolean> {
    await this.core.replica.syncNames();
    return this.core.replica.names.classes.has(name) ? false : this.insert(name);
  }

  /** Makes the custom classes among the names that do not exist yet. */
  async ensureCustom(names: readonly string[]): Promise<void> {
    await this.core.replica.syncNames();
    const missing = [...new Set(names)].filter(
      (n) => isCustomResourceClass(n) && !this.core.replica.names.classes.has(n),
    );
    for (const name of missing) await this.insert(name);
    if (missing.length) await this.core.replica.syncNames();
  }

  /** 404 unknown, 400 standard, 409 if the new name is taken (before 1.7). */
  async rename(_ctx: RequestContext, name: string, to: string): Promise<void> {
    await this.core
      .write(async (unit) => {
        const row = await lockClass(unit, name);
        if (isStandardResourceClass(name))
          throw invalid(`Cannot update standard resource class ${name}`, { code: 'resource_class.standard' });
        await unit.tx.execute('UPDATE resource_classes SET name = ?, updated_at = ? WHERE id = ?', [
          to,
          unit.now,
          row.id,
        ]);
        unit.invalidateNames();
        const users = await unit.tx.query<{ root_id: number }>(
          'SELECT DISTINCT p.root_id FROM resource_providers p JOIN inventories i ON i.provider_id = p.id WHERE i.resource_class_id = ?',
          [row.id],
        );
        for (const { root_id } of users) unit.invalidate(Number(root_id));
      })
      .catch((e: unknown) => {
        if (isDuplicateKey(e))
          throw conflict(`Resource class already exists: ${to}`, { code: 'resource_class.exists', cause: e });
        throw e;
      });
  }

  /** 404 unknown, 400 standard, 409 while any inventory is of it. */
  async remove(_ctx: RequestContext, name: string): Promise<void> {
    await this.core.write(async (unit) => {
      const row = await lockClass(unit, name);
      if (isStandardResourceClass(name))
        throw invalid(`Error in delete resource class: Cannot delete standard resource class ${name}.`, {
          code: 'resource_class.standard',
        });
      const [user] = await unit.tx.query('SELECT provider_id FROM inventories WHERE resource_class_id = ? LIMIT 1', [
        row.id,
      ]);
      if (user)
        throw conflict(
          `Error in delete resource class: Cannot delete resource class ${name}. Class is in use in inventory.`,
          { code: 'resource_class.inuse' },
        );
      await unit.tx.execute('DELETE FROM resource_classes WHERE id = ?', [row.id]);
      unit.invalidateNames();
    });
  }

  private async insert(name: string): Promise<boolean> {
    const insert = this.core.write(async (unit) => {
      // the lowest id is locked so that two makers do not take the same number
      await unit.tx.query(`SELECT id FROM resource_classes WHERE id = 0${unit.forUpdate}`);
      const [row] = await unit.tx.query<{ last: number }>('SELECT MAX(id) AS last FROM resource_classes');
      await unit.tx.insert('resource_classes', {
        id: Math.max(Number(row?.last ?? 0) + 1, FIRST_CUSTOM_ID),
        name,
        updated_at: unit.now,
      });
      unit.invalidateNames();
    });
    return insert.then(
      () => true,
      (e: unknown) => {
        if (isDuplicateKey(e)) return false;
        throw e;
      },
    );
  }
}

async function lockClass(unit: WriteUnit, name: string): Promise<{ id: number }> {
  const [row] = await unit.tx.query<{ id: number }>(`SELECT id FROM resource_classes WHERE name = ?${unit.forUpdate}`, [
    name,
  ]);
  if (!row) throw noClass(name);
  return row;
}

const noClass = (name: string): Error =>
  notFound(`No such resource class ${name}.`, { code: 'resource_class.unknown' });
