/** How many of each kind a project may have; -1 is without limit. */
import type { Database, Tx } from '@fractus/database';
import { badNetwork, clash } from './network-errors';
import type { Kind } from './kind';

export type QuotaTable = Readonly<Record<string, number>>;

/** Ports are unlimited here, unlike upstream's 500: servers on simulated hosts outnumber that at once. */
export const DEFAULT_QUOTAS: QuotaTable = {
  network: 100,
  subnet: 100,
  port: -1,
  router: 10,
  floatingip: 50,
  security_group: 100,
  security_group_rule: 1000,
  subnetpool: -1,
  rbac_policy: 10,
  trunk: -1,
};

export class Quotas {
  constructor(private readonly db: Database) {}

  async of(projectId: string, db: Pick<Tx, 'query'> = this.db): Promise<QuotaTable> {
    const sql = 'SELECT resource, max_count FROM network_quotas WHERE project_id = ?';
    const rows = await db.query<{ resource: string; max_count: number }>(sql, [projectId]);
    return { ...DEFAULT_QUOTAS, ...Object.fromEntries(rows.map((r) => [r.resource, Number(r.max_count)])) };
  }

  /** Limits of the projects that have their own. */
  async all(): Promise<({ project_id: string } & QuotaTable)[]> {
    const rows = await this.db.query<{ project_id: string }>(
      'SELECT DISTINCT project_id FROM network_quotas ORDER BY project_id',
    );
    return Promise.all(
      rows.map(
        async ({ project_id }) =>
          ({ ...(await this.of(project_id)), project_id }) as { project_id: string } & QuotaTable,
      ),
    );
  }

  async set(projectId: string, given: Record<string, unknown>): Promise<QuotaTable> {
    const sql = this.db.upsertSql(
      'network_quotas',
      ['project_id', 'resource', 'max_count'],
      ['project_id', 'resource'],
    );
    await this.db.transaction(async (tx) => {
      for (const [resource, limit] of Object.entries(given)) {
        if (resource === 'tenant_id' || resource === 'project_id') continue;
        if (!Object.hasOwn(DEFAULT_QUOTAS, resource))
          throw badNetwork(`Unrecognized attribute(s) '${resource}'`, 'HTTPBadRequest');
        const count = typeof limit === 'string' && /^-?\d+$/.test(limit) ? Number(limit) : limit;
        if (typeof count !== 'number' || !Number.isInteger(count) || count < -1 || count > 2 ** 31 - 1) {
          throw badNetwork(`Quota for ${resource} must be an integer of at least -1.`);
        }
        await tx.execute(sql, [projectId, resource, count]);
      }
    });
    return this.of(projectId);
  }

  async reset(projectId: string): Promise<void> {
    await this.db.transaction((tx) => tx.execute('DELETE FROM network_quotas WHERE project_id = ?', [projectId]));
  }

  async used(kind: Kind, projectId: string, db: Pick<Tx, 'query'> = this.db): Promise<number> {
    const sql = `SELECT COUNT(*) AS n FROM ${kind.table.table} WHERE project_id = ?`;
    return Number((await db.query<{ n: number }>(sql, [projectId]))[0]?.n ?? 0);
  }

  /** Called with the new one in place. @throws conflict `OverQuota` */
  async check(tx: Tx, kind: Kind, projectId: string): Promise<void> {
    const limit = (await this.of(projectId, tx))[kind.table.resource] ?? -1;
    if (limit >= 0 && (await this.used(kind, projectId, tx)) > limit) {
      throw clash('OverQuota', `Quota exceeded for resources: ['${kind.table.resource}'].`);
    }
  }
}
