/**
 * One kind of record of identity: what every kind can do (list, show, create, change, delete), over its table.
 * Attributes without a column are kept in `extra` and shown again, as clients of this API expect.
 */
import { randomBytes } from 'node:crypto';
import { isDuplicateKey, type Database, type SqlRow, type Tx } from '@fractus/database';
import {
  conditionsOf,
  rowOfWire,
  selectPage,
  sortKey,
  wireOfRow,
  type Condition,
  type Query,
  type ResourceTable,
  type Wire,
} from '../resource-table/resource-table';
import { badInput, duplicate, unknownRecord } from './identity-errors';

/** 32 hexadecimal digits. */
export const newId = (): string => randomBytes(16).toString('hex');

const FOR_LIFE: ReadonlySet<string> = new Set(['id', 'domain_id', 'parent_id']);

export class Records<R extends { id: string }> {
  constructor(
    readonly db: Database,
    readonly kind: ResourceTable,
  ) {}

  async list(query: Query = {}, more: readonly Condition[] = []): Promise<R[]> {
    const named = this.kind.attributes.some((a) => a.name === 'name');
    const sort = named ? [sortKey(this.kind, 'name', 'asc')] : [];
    const { sql, params } = selectPage(this.kind, [...conditionsOf(this.kind, query), ...more], { sort });
    return this.db.query<R>(sql, params);
  }

  async find(id: string): Promise<R | undefined> {
    const [row] = await this.db.query<R>(`SELECT * FROM ${this.kind.table} WHERE id = ?`, [id]);
    return row;
  }

  /** @throws not_found */
  async get(id: string): Promise<R> {
    const row = await this.find(id);
    if (!row) throw unknownRecord(this.kind.resource, id);
    return row;
  }

  /** Stores a new record; an id is made where `columns` has none. @throws conflict for a name that is taken */
  async create(wire: Wire, columns: SqlRow = {}): Promise<R> {
    const id = typeof columns['id'] === 'string' ? columns['id'] : newId();
    const row = { ...rowOfWire(this.kind, wire), extra: JSON.stringify(this.extraOf(wire)), ...columns, id };
    await this.refusingDuplicates(wire, () => this.db.transaction((tx) => tx.insert(this.kind.table, row)));
    return this.get(id);
  }

  /**
   * Changes the attributes that `wire` carries; id, domain and parent are for life.
   * @throws invalid for another one of these, not_found, conflict
   */
  async update(id: string, wire: Wire, columns: SqlRow = {}): Promise<R> {
    await this.refusingDuplicates(wire, () =>
      this.db.transaction(async (tx) => {
        const [known] = await tx.query<SqlRow & { extra: string }>(`SELECT * FROM ${this.kind.table} WHERE id = ?`, [
          id,
        ]);
        if (!known) throw unknownRecord(this.kind.resource, id);
        const extra = { ...(JSON.parse(known.extra) as Wire), ...this.extraOf(wire) };
        const row = rowOfWire(this.kind, this.withoutLasting(wire, known));
        await this.set(tx, id, { ...row, extra: JSON.stringify(extra), ...columns });
      }),
    );
    return this.get(id);
  }

  /** Without what is for life, which may be given as it is. */
  private withoutLasting(wire: Wire, known: SqlRow): Wire {
    const { id: _id, domain_id: _domain, parent_id: _parent, ...rest } = wire;
    for (const { name } of this.kind.attributes.filter((a) => FOR_LIFE.has(a.name)))
      if (wire[name] !== undefined && wire[name] !== known[name])
        throw badInput(`${this.kind.resource}.${name} cannot be changed.`);
    return rest;
  }

  async set(tx: Tx, id: string, row: SqlRow): Promise<void> {
    const names = Object.keys(row);
    if (names.length === 0) return;
    await tx.execute(`UPDATE ${this.kind.table} SET ${names.map((n) => `${n} = ?`).join(', ')} WHERE id = ?`, [
      ...names.map((n) => row[n]),
      id,
    ]);
  }

  /** @throws not_found */
  async delete(tx: Tx, id: string): Promise<void> {
    const { affected } = await tx.execute(`DELETE FROM ${this.kind.table} WHERE id = ?`, [id]);
    if (affected === 0) throw unknownRecord(this.kind.resource, id);
  }

  /** The wire object, with its own link. */
  present(row: R, origin: string): Wire {
    const { extra } = row as { extra?: string };
    const own = wireOfRow(this.kind, row as Record<string, unknown>);
    const self = `${origin}/v3/${this.kind.collection}/${encodeURIComponent(row.id)}`;
    return { ...(extra ? (JSON.parse(extra) as Wire) : {}), ...own, links: { self } };
  }

  private extraOf(wire: Wire): Wire {
    const known = new Set([
      'links',
      'password',
      'original_password',
      'extra',
      ...this.kind.attributes.flatMap((a) => [a.name, a.column]),
    ]);
    if (!this.kind.attributes.some((a) => a.name === 'extra')) return {};
    return Object.fromEntries(Object.entries(wire).filter(([key, value]) => !known.has(key) && value !== undefined));
  }

  private async refusingDuplicates(wire: Wire, write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (e) {
      if (isDuplicateKey(e)) throw duplicate(this.kind.resource, String(wire['name'] ?? wire['id'] ?? ''));
      throw e;
    }
  }
}
