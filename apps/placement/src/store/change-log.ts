/** The log of invalidations that replicas follow. Written last in each unit of work, one row a touched tree. */
import type { Database, Tx } from '@fractus/database';

/** Stands for the names of traits and resource classes, where others stand for the root of a tree. */
export const NAMES = 0;

/** Appends a row a tree; returns the number of the first, 0 for none. */
export async function appendChanges(tx: Tx, rootIds: Iterable<number>, now: number): Promise<number> {
  const rows = [...new Set(rootIds)].sort((a, b) => a - b).map((root_id) => ({ root_id, at: now }));
  return rows.length ? tx.insert('change_log', rows) : 0;
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
