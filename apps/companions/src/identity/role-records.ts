/** Roles, and which role brings which other along. */
import type { Database } from '@fractus/database';
import type { Query } from '../resource-table/resource-table';
import { unknownRecord } from './identity-errors';
import { ROLES } from './identity.tables';
import type { NewRole, RoleChange } from './identity.dto';
import type { RoleRow } from './identity.rows';
import { Records } from './records';
import type { Revocations } from './revocations';

export interface Implication {
  prior: RoleRow;
  implied: RoleRow;
}

export class RoleRecords {
  readonly records: Records<RoleRow>;

  constructor(
    private readonly db: Database,
    private readonly revocations: Revocations,
  ) {
    this.records = new Records(db, ROLES);
  }

  list(query: Query = {}): Promise<RoleRow[]> {
    return this.records.list(query);
  }

  create(given: NewRole): Promise<RoleRow> {
    return this.records.create({ domain_id: null, description: null, ...given }, { domain_key: given.domain_id ?? '' });
  }

  async update(id: string, change: RoleChange): Promise<RoleRow> {
    const row = await this.records.update(id, { ...change });
    await this.db.transaction((tx) => this.revocations.add(tx, {}));
    return row;
  }

  async delete(id: string): Promise<void> {
    await this.db.transaction(async (tx) => {
      await this.records.delete(tx, id);
      await tx.execute('DELETE FROM role_assignments WHERE role_id = ?', [id]);
      await tx.execute('DELETE FROM implied_roles WHERE prior_role_id = ? OR implied_role_id = ?', [id, id]);
      await this.revocations.add(tx, {});
    });
  }

  async imply(priorId: string, impliedId: string): Promise<Implication> {
    const [prior, implied] = await Promise.all([this.records.get(priorId), this.records.get(impliedId)]);
    const columns = ['prior_role_id', 'implied_role_id'];
    await this.db.transaction((tx) =>
      tx.execute(this.db.upsertSql('implied_roles', columns, columns), [priorId, impliedId]),
    );
    return { prior, implied };
  }

  async stopImplying(priorId: string, impliedId: string): Promise<void> {
    await this.db.transaction(async (tx) => {
      const sql = 'DELETE FROM implied_roles WHERE prior_role_id = ? AND implied_role_id = ?';
      const { affected } = await tx.execute(sql, [priorId, impliedId]);
      if (affected === 0) throw unknownRecord('role_inference', impliedId);
      await this.revocations.add(tx, {});
    });
  }

  async implications(): Promise<Implication[]> {
    const [roles, rows] = await Promise.all([
      this.list(),
      this.db.query<{ prior_role_id: string; implied_role_id: string }>('SELECT * FROM implied_roles'),
    ]);
    const byId = new Map(roles.map((r) => [r.id, r]));
    return rows.flatMap((row) => {
      const prior = byId.get(row.prior_role_id);
      const implied = byId.get(row.implied_role_id);
      return prior && implied ? [{ prior, implied }] : [];
    });
  }
}
