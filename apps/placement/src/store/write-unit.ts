/**
 * One write: a transaction that locks the providers it touches in order of id, checks under the lock, writes, and
 * appends to the change log as its last act.
 *
 * Reads that decide anything come after the lock, so that they see every earlier holder's work (under READ COMMITTED
 * each statement sees what was committed when it began, and what its own unit has written). The order of locks is the
 * same for all writers: consumers, providers, names.
 */
import { placeholders, type Database, type Tx } from '@fractus/database';
import { conflict, notFound } from '@fractus/objects';
import { appendChanges, NAMES, type UsageChange } from './change-log';

export const CONCURRENT_UPDATE = 'placement.concurrent_update';

/** A provider under lock: what it is at this moment, and nobody else can change it before we are done. */
export interface LockedProvider {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  generation: number;
  readonly parentId: number | null;
  readonly rootId: number;
}

interface Row {
  id: number;
  uuid: string;
  name: string;
  generation: number;
  parent_id: number | null;
  root_id: number;
}

export class WriteUnit {
  private readonly touched = new Map<number, UsageChange[] | undefined>();

  constructor(
    readonly tx: Tx,
    /** Epoch milliseconds; one instant for the whole unit. */
    readonly now: number,
  ) {}

  /** Appended to a SELECT whose rows the unit is going to change. */
  get forUpdate(): string {
    return this.tx.dialect === 'mysql' ? ' FOR UPDATE' : '';
  }

  /** Locks the providers with these ids that still exist. */
  async lock(ids: Iterable<number>): Promise<Map<number, LockedProvider>> {
    const wanted = [...new Set(ids)].sort((a, b) => a - b);
    if (wanted.length === 0) return new Map();
    const rows = await this.tx.query<Row>(
      `SELECT id, uuid, name, generation, parent_id, root_id FROM resource_providers WHERE id IN (${placeholders(wanted)}) ORDER BY id${this.forUpdate}`,
      wanted,
    );
    return new Map(rows.map((r) => [Number(r.id), toLocked(r)]));
  }

  /** Locks one provider by uuid, 404 if there is none. */
  async lockByUuid(uuid: string, message = `No resource provider with uuid ${uuid} found`): Promise<LockedProvider> {
    const [row] = await this.tx.query<Row>(
      `SELECT id, uuid, name, generation, parent_id, root_id FROM resource_providers WHERE uuid = ?${this.forUpdate}`,
      [uuid],
    );
    if (!row) throw notFound(message, { code: 'resource_provider.not_found' });
    return toLocked(row);
  }

  /** A write to the provider: the revision always grows, the generation where the API says so. */
  async touch(provider: LockedProvider, change: { generation: boolean }): Promise<void> {
    await this.tx.execute(
      'UPDATE resource_providers SET generation = generation + ?, revision = revision + 1, updated_at = ? WHERE id = ?',
      [change.generation ? 1 : 0, this.now, provider.id],
    );
    if (change.generation) provider.generation += 1;
    this.invalidate(provider.rootId);
  }

  /** Replicas have to read the tree again. */
  invalidate(rootId: number): void {
    this.touched.set(rootId, undefined);
  }
  invalidateNames(): void {
    this.touched.set(NAMES, undefined);
  }

  /** The provider was touched, and only its usage is another: replicas are told how. Once a provider and unit. */
  usageChanged(rootId: number, change: UsageChange): void {
    const known = this.touched.get(rootId);
    if (known) known.push(change);
    else if (!this.touched.has(rootId)) this.touched.set(rootId, [change]);
  }

  /** The number of the unit's first row in the change log, 0 when it has touched nothing. */
  async finish(): Promise<number> {
    return appendChanges(this.tx, this.touched, this.now);
  }
}

function toLocked(row: Row): LockedProvider {
  return {
    id: Number(row.id),
    uuid: row.uuid,
    name: row.name,
    generation: Number(row.generation),
    parentId: row.parent_id === null ? null : Number(row.parent_id),
    rootId: Number(row.root_id),
  };
}

/**
 * Runs a write; on deadlock the block runs again as a whole, with fresh reads. Its row in the change log also proves
 * that it was done, should the connection be lost at the commit.
 */
export function inWriteUnit<R>(db: Database, block: (unit: WriteUnit) => Promise<R>): Promise<R> {
  let written = { seq: 0, at: 0 };
  const run = async (tx: Tx): Promise<R> => {
    const unit = new WriteUnit(tx, Date.now());
    const result = await block(unit);
    written = { seq: await unit.finish(), at: unit.now };
    return result;
  };
  const committed = async (tx: Tx): Promise<boolean> =>
    // a unit that has touched nothing is as good as done
    written.seq === 0 ||
    (await tx.query('SELECT seq FROM change_log WHERE seq = ? AND at = ? FOR UPDATE', [written.seq, written.at]))
      .length > 0;
  return db.transaction(run, { committed });
}

/** 409 unless the caller has seen the provider's present state. */
export function checkGeneration(
  provider: LockedProvider,
  given: number,
  message = 'resource provider generation conflict',
): void {
  if (given !== provider.generation)
    throw conflict(message, { code: CONCURRENT_UPDATE, details: { have: given, need: provider.generation } });
}
