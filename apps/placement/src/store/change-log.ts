/**
 * The log that replicas follow. Written last in each unit of work, one row a touched tree.
 *
 * A row says "read this tree again", unless it has a detail, which says what became of the usage of single providers:
 * claims and their removals are nearly all of what changes, and a replica that was true before is so again by adding.
 */
import type { Database, Tx } from '@fractus/database';

/** Stands for the names of traits and resource classes, where others stand for the root of a tree. */
export const NAMES = 0;

/** One write to a provider that left all but its usage (and generation) as it was. */
export interface UsageChange {
  readonly providerId: number;
  /** After the write; the state before had one less. */
  readonly revision: number;
  /** After the write. */
  readonly generation: number;
  /** Resource class id → units that were added, negative for given back. */
  readonly deltas: ReadonlyMap<number, number>;
}

/** Root → what was written in its tree; undefined: anything. */
export type Changes = ReadonlyMap<number, readonly UsageChange[] | undefined>;

/** Beyond this a tree is as well read again. */
const LONGEST_DETAIL = 8_000;

type Told = [providerId: number, revision: number, generation: number, deltas: [classId: number, units: number][]];

/** Appends a row a tree; returns the number of the first, 0 for none. */
export async function appendChanges(tx: Tx, changes: Changes, now: number): Promise<number> {
  const rows = [...changes]
    .sort(([a], [b]) => a - b)
    .map(([root_id, usage]) => ({ root_id, at: now, detail: usage ? toDetail(usage) : null }));
  return rows.length ? tx.insert('change_log', rows) : 0;
}

function toDetail(usage: readonly UsageChange[]): string | null {
  const told = usage.map((c): Told => [c.providerId, c.revision, c.generation, [...c.deltas]]);
  const text = JSON.stringify(told);
  return text.length > LONGEST_DETAIL ? null : text;
}

export function usageOf(detail: string): UsageChange[] {
  return (JSON.parse(detail) as Told[]).map(([providerId, revision, generation, deltas]) => ({
    providerId,
    revision,
    generation,
    deltas: new Map(deltas),
  }));
}

/** Drops all but the newest `keep` rows. A replica that is further behind reads everything again. */
export async function trimChangeLog(db: Database, keep: number): Promise<number> {
  return db.transaction(async (tx) => {
    const [row] = await tx.query<{ last: number | null }>('SELECT MAX(seq) AS last FROM change_log');
    const through = Number(row?.last ?? 0) - keep;
    if (through <= 0) return 0;
    const { affected } = await tx.execute('DELETE FROM change_log WHERE seq <= ?', [through]);
    if (affected)
      await tx.execute('UPDATE placement_state SET trimmed_through = ? WHERE trimmed_through < ?', [through, through]);
    return affected;
  });
}
