/** Tags of every kind of resource, in one table. */
import type { Database, Tx } from '@fractus/database';
import { missing } from './network-errors';
import { marks } from './kind';

export class Tags {
  constructor(private readonly db: Database) {}

  async of(ids: readonly string[]): Promise<Map<string, string[]>> {
    const sql = `SELECT * FROM network_tags WHERE resource_id IN ${marks(ids)} ORDER BY tag`;
    const found = new Map<string, string[]>();
    for (const { resource_id, tag } of await this.db.query<{ resource_id: string; tag: string }>(sql, [...ids])) {
      found.set(resource_id, [...(found.get(resource_id) ?? []), tag]);
    }
    return found;
  }

  async replace(tx: Tx, id: string, tags: readonly string[]): Promise<void> {
    await tx.execute('DELETE FROM network_tags WHERE resource_id = ?', [id]);
    const rows = [...new Set(tags)].map((tag) => ({ resource_id: id, tag }));
    if (rows.length) await tx.insert('network_tags', rows);
  }

  async add(tx: Tx, id: string, tag: string): Promise<void> {
    const columns = ['resource_id', 'tag'];
    await tx.execute(this.db.upsertSql('network_tags', columns, columns), [id, tag]);
  }

  async remove(tx: Tx, id: string, tag: string): Promise<void> {
    const { affected } = await tx.execute('DELETE FROM network_tags WHERE resource_id = ? AND tag = ?', [id, tag]);
    if (affected === 0) throw missing('TagNotFound', 'Tag', tag);
  }
}
