import { type Database, isDuplicateKey } from '@fractus/database';

/** What one process at a time does for all: a lease by name. Moments in epoch milliseconds. */
export class DutiesRepository {
  constructor(private readonly db: Database) {}

  /** Takes a duty until `until`, or keeps it; false while it is another's. One statement where it has ever been taken. */
  async take(name: string, owner: string, until: number, now: number): Promise<boolean> {
    const sql = 'UPDATE duties SET owner = ?, until_at = ? WHERE name = ? AND (owner = ? OR until_at <= ?)';
    if ((await this.db.execute(sql, [owner, until, name, owner, now])).affected === 1) return true;
    if (await this.holder(name)) return false;
    try {
      await this.db.insert('duties', { name, owner, until_at: until });
      return true;
    } catch (e) {
      // the very first time, and another was faster
      if (isDuplicateKey(e)) return false;
      throw e;
    }
  }

  /** Lets go of a duty, if it is the owner's. */
  async drop(name: string, owner: string): Promise<void> {
    await this.db.execute('UPDATE duties SET until_at = 0 WHERE name = ? AND owner = ?', [name, owner]);
  }

  /** Who has the duty, and until when at least; null when nobody ever had it. */
  async holder(name: string): Promise<{ owner: string; until: number } | null> {
    const [row] = await this.db.query<{ owner: string; until: number }>(
      'SELECT owner, until_at AS until FROM duties WHERE name = ?',
      [name],
    );
    return row ?? null;
  }
}
