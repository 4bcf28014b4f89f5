import { type Database, placeholders } from '@fractus/database';
import type { SightingRow } from './rows';

/** Something that is not as it should be, as a reconciler saw it. */
export interface Sighting {
  readonly subject: string;
  /** What must not have changed since, for it to be the same sighting. At most 255 characters. */
  readonly mark: string;
  /** Epoch milliseconds since when it is seen unchanged. */
  readonly seenAt: number;
}

const PAGE = 500;

/** What reconcilers remember from pass to pass, whichever process makes it. */
export class SightingsRepository {
  constructor(private readonly db: Database) {}

  async of(reconciler: string): Promise<Map<string, Sighting>> {
    const sql = 'SELECT * FROM sightings WHERE reconciler = ?';
    const rows = await this.db.query<SightingRow>(sql, [reconciler]);
    return new Map(rows.map((row) => [row.subject, { subject: row.subject, mark: row.mark, seenAt: row.seen_at }]));
  }

  /**
   * Notes what is seen now (subject → mark), and forgets the rest. What was seen before with the same mark keeps its
   * moment. Returns all that is noted; writes only what has changed.
   */
  async note(reconciler: string, seen: ReadonlyMap<string, string>, now: number): Promise<Map<string, Sighting>> {
    const before = await this.of(reconciler);
    const noted = new Map<string, Sighting>();
    for (const [subject, mark] of seen) {
      const known = before.get(subject);
      noted.set(subject, known?.mark === mark ? known : { subject, mark, seenAt: now });
    }
    const fresh = [...noted.values()].filter((s) => before.get(s.subject) !== s);
    const gone = [...before.keys()].filter((subject) => noted.get(subject) !== before.get(subject));
    if (fresh.length + gone.length > 0) await this.write(reconciler, fresh, gone);
    return noted;
  }

  private async write(reconciler: string, fresh: readonly Sighting[], gone: readonly string[]): Promise<void> {
    await this.db.transaction(async (tx) => {
      for (let i = 0; i < gone.length; i += PAGE) {
        const page = gone.slice(i, i + PAGE);
        const sql = `DELETE FROM sightings WHERE reconciler = ? AND subject IN (${placeholders(page)})`;
        await tx.execute(sql, [reconciler, ...page]);
      }
      for (let i = 0; i < fresh.length; i += PAGE)
        await tx.insert('sightings', fresh.slice(i, i + PAGE).map(({ subject, mark, seenAt }) => ({ reconciler, subject, mark, seen_at: seenAt }))); // prettier-ignore
    });
  }
}
