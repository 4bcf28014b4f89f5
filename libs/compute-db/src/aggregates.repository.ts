import { type Database, isDuplicateKey, type SqlValue, type Tx } from '@fractus/database';
import { conflict, notFound } from '@fractus/objects';
import type { AggregateRow } from './rows';
import { forUpdate, within } from './sql';

/** A host aggregate. `metadata.availability_zone` makes it a zone. Instants in epoch milliseconds. */
export interface Aggregate {
  /** The number that clients use. */
  readonly id: number;
  /** Also the name of the aggregate in Placement. */
  readonly uuid: string;
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** In order of name. */
  readonly hosts: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

export interface NewAggregate {
  readonly uuid: string;
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Metadata key of zones. */
export const ZONE_KEY = 'availability_zone';

/**
 * Aggregates and their hosts. A host is in one availability zone at most; that rule is checked here, under the rows'
 * locks. Writes join the unit of work that is open, or make one of their own.
 */
export class AggregatesRepository {
  constructor(private readonly db: Database) {}

  /** All, in order of id: there are few, and the scheduler and the zones need them whole. */
  async list(): Promise<Aggregate[]> {
    return this.select('1 = 1', []);
  }

  /** `not_found` code `aggregate.not_found`, with upstream's sentence. */
  async get(id: number): Promise<Aggregate> {
    const [found] = await this.select('id = ?', [id]);
    if (!found) throw aggregateNotFound(id);
    return found;
  }

  async findByUuids(uuids: readonly string[]): Promise<Aggregate[]> {
    return this.select(...within('uuid', uuids));
  }

  /** `conflict` code `aggregate.exists` when the name is taken. */
  async create(aggregate: NewAggregate, now: number): Promise<Aggregate> {
    const { uuid, name, metadata } = aggregate;
    const row = { uuid, name, metadata: JSON.stringify(metadata), created_at: now, updated_at: null };
    const id = await this.db
      .transaction((tx) => tx.insert('aggregates', row))
      .catch((e: unknown) => {
        throw isDuplicateKey(e) ? nameTaken(name) : e;
      });
    return { id, uuid, name, metadata, hosts: [], createdAt: now, updatedAt: null };
  }

  /**
   * Renames, or changes metadata (null removes a key). `conflict`: `aggregate.exists`, or `aggregate.zone_conflict`
   * when a host would be in two zones.
   */
  async update(
    id: number,
    change: { name?: string; metadata?: Readonly<Record<string, string | null>> },
    now: number,
  ): Promise<Aggregate> {
    await this.db
      .transaction(async (tx) => {
        const row = await lock(tx, id);
        const metadata = JSON.parse(row.metadata) as Record<string, string>;
        for (const [key, value] of Object.entries(change.metadata ?? {})) {
          if (value === null) delete metadata[key];
          else metadata[key] = value;
        }
        const zone = metadata[ZONE_KEY];
        if (zone !== undefined) await this.assertOneZone(tx, id, zone, await hostsOf(tx, id));
        await tx.execute('UPDATE aggregates SET name = ?, metadata = ?, updated_at = ? WHERE id = ?', [
          change.name ?? row.name,
          JSON.stringify(metadata),
          now,
          id,
        ]);
      })
      .catch((e: unknown) => {
        throw isDuplicateKey(e) ? nameTaken(change.name ?? '') : e;
      });
    return this.get(id);
  }

  /** `conflict`: `aggregate.host_exists`, or `aggregate.zone_conflict`. That the host exists is the caller's check. */
  async addHost(id: number, host: string, now: number): Promise<Aggregate> {
    await this.db
      .transaction(async (tx) => {
        const zone = (JSON.parse((await lock(tx, id)).metadata) as Record<string, string>)[ZONE_KEY];
        if (zone !== undefined) await this.assertOneZone(tx, id, zone, [host]);
        await tx.insert('aggregate_hosts', { aggregate_id: id, host });
        await tx.execute('UPDATE aggregates SET updated_at = ? WHERE id = ?', [now, id]);
      })
      .catch((e: unknown) => {
        if (!isDuplicateKey(e)) throw e;
        throw conflict(`Aggregate ${id} already has host ${host}.`, { code: 'aggregate.host_exists' });
      });
    return this.get(id);
  }

  /** `not_found` code `aggregate.host_not_found`. */
  async removeHost(id: number, host: string, now: number): Promise<Aggregate> {
    await this.db.transaction(async (tx) => {
      await lock(tx, id);
      const sql = 'DELETE FROM aggregate_hosts WHERE aggregate_id = ? AND host = ?';
      const { affected } = await tx.execute(sql, [id, host]);
      if (affected === 0) {
        throw notFound(`Aggregate ${id} has no host ${host}.`, { code: 'aggregate.host_not_found' });
      }
      await tx.execute('UPDATE aggregates SET updated_at = ? WHERE id = ?', [now, id]);
    });
    return this.get(id);
  }

  /** `conflict` code `aggregate.not_empty` while it has hosts. */
  async delete(id: number): Promise<void> {
    await this.db.transaction(async (tx) => {
      await lock(tx, id);
      if ((await hostsOf(tx, id)).length > 0) {
        throw conflict(`Aggregate ${id} is not empty.`, { code: 'aggregate.not_empty' });
      }
      await tx.execute('DELETE FROM aggregates WHERE id = ?', [id]);
    });
  }

  private async assertOneZone(tx: Tx, id: number, zone: string, hosts: readonly string[]): Promise<void> {
    const [sql, params] = within('h.host', hosts);
    const rows = await tx.query<{ host: string; metadata: string }>(
      `SELECT h.host, a.metadata FROM aggregate_hosts h JOIN aggregates a ON a.id = h.aggregate_id WHERE a.id <> ? AND ${sql}`,
      [id, ...params],
    );
    for (const { host, metadata } of rows) {
      const other = (JSON.parse(metadata) as Record<string, string>)[ZONE_KEY];
      if (other === undefined || other === zone) continue;
      const message = `Host ${host} is in availability zone ${other}; it cannot be in ${zone} too.`;
      throw conflict(message, { code: 'aggregate.zone_conflict', details: { host, zone: other } });
    }
  }

  private async select(where: string, params: SqlValue[]): Promise<Aggregate[]> {
    const rows = await this.db.query<AggregateRow>(`SELECT * FROM aggregates WHERE ${where} ORDER BY id`, params);
    if (rows.length === 0) return [];
    const [sql, ids] = within(
      'aggregate_id',
      rows.map((r) => r.id),
    );
    const members = await this.db.query<{ aggregate_id: number; host: string }>(
      `SELECT aggregate_id, host FROM aggregate_hosts WHERE ${sql} ORDER BY aggregate_id, host`,
      ids,
    );
    const hosts = new Map<number, string[]>(rows.map((r) => [r.id, []]));
    for (const { aggregate_id, host } of members) hosts.get(aggregate_id)?.push(host);
    return rows.map((row) => aggregateOf(row, hosts.get(row.id) ?? []));
  }
}

/** Locks every aggregate, not one: that a host is in one zone only is a rule over all of them. */
async function lock(tx: Tx, id: number): Promise<AggregateRow> {
  const rows = await tx.query<AggregateRow>(`SELECT * FROM aggregates ORDER BY id${forUpdate(tx)}`);
  const row = rows.find((r) => r.id === id);
  if (!row) throw aggregateNotFound(id);
  return row;
}

async function hostsOf(tx: Tx, id: number): Promise<string[]> {
  const rows = await tx.query<{ host: string }>('SELECT host FROM aggregate_hosts WHERE aggregate_id = ?', [id]);
  return rows.map((r) => r.host);
}

const aggregateNotFound = (id: number) =>
  notFound(`Aggregate ${id} could not be found.`, { code: 'aggregate.not_found' });
const nameTaken = (name: string) => conflict(`Aggregate ${name} already exists.`, { code: 'aggregate.exists' });

const aggregateOf = (row: AggregateRow, hosts: string[]): Aggregate => ({
  id: row.id,
  uuid: row.uuid,
  name: row.name,
  metadata: JSON.parse(row.metadata) as Record<string, string>,
  hosts,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
