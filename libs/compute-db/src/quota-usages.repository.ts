/**
 * Exact quota (D8). One usage row per project and one per user in it; a claim is a conditional UPDATE, the last
 * statement of the server's transaction, so the row's lock is held for the length of a commit and two claims cannot
 * both pass the same limit. Releases are unconditional.
 *
 * Limits: what is set for the project (or the user in it), else class `default`, else the configured defaults.
 */
import type { Database, SqlValue, Tx } from '@fractus/database';
import { forbidden, type ProjectId, type UserId } from '@fractus/objects';
import { quotaSentence } from '@fractus/server-lifecycle';
import { forUpdate } from './sql';

export const COUNTED = ['cores', 'instances', 'ram'] as const;
export type CountedResource = (typeof COUNTED)[number];
/** ram in MiB. */
export type QuotaDelta = Readonly<Record<CountedResource, number>>;
export type QuotaLimits = Readonly<Record<CountedResource, number>>;

/** Upstream's defaults. */
export const DEFAULT_QUOTA: QuotaLimits = { instances: 10, cores: 20, ram: 51_200 };

export interface QuotaExcess {
  readonly resource: CountedResource;
  readonly requested: number;
  readonly used: number;
  readonly limit: number;
}
export interface UsageDrift {
  readonly projectId: string;
  readonly userId: string;
  readonly recorded: QuotaDelta;
  readonly actual: QuotaDelta;
}

/** Empty user: the project as a whole. */
const PROJECT = '';

export const deltaOf = (flavor: { vcpus: number; memoryMb: number }, count = 1): QuotaDelta => ({
  instances: count,
  cores: flavor.vcpus * count,
  ram: flavor.memoryMb * count,
});

export class QuotaUsagesRepository {
  constructor(
    private readonly db: Database,
    private readonly defaults: QuotaLimits = DEFAULT_QUOTA,
  ) {}

  /** Zero where nothing was ever claimed. */
  async usage(projectId: ProjectId, userId: UserId = PROJECT): Promise<QuotaDelta> {
    const [row] = await this.db.query<Record<CountedResource, number>>(
      'SELECT instances, cores, ram FROM quota_usages WHERE project_id = ? AND user_id = ?',
      [projectId, userId],
    );
    return row ?? { instances: 0, cores: 0, ram: 0 };
  }

  /** Limits in force; −1 is unlimited. A user without own limits has the project's. */
  async limits(projectId: ProjectId, userId: UserId = PROJECT): Promise<QuotaLimits> {
    const [own, classes] = await Promise.all([
      this.db.query<{ user_id: string; resource: string; hard_limit: number }>(
        'SELECT user_id, resource, hard_limit FROM quotas WHERE project_id = ? AND user_id IN (?, ?)',
        [projectId, PROJECT, userId],
      ),
      this.db.query<{ resource: string; hard_limit: number }>(
        "SELECT resource, hard_limit FROM quota_classes WHERE class_name = 'default'",
      ),
    ]);
    const limit = (resource: CountedResource): number =>
      own.find((q) => q.resource === resource && q.user_id === userId)?.hard_limit ??
      own.find((q) => q.resource === resource && q.user_id === PROJECT)?.hard_limit ??
      classes.find((q) => q.resource === resource)?.hard_limit ??
      this.defaults[resource];
    return { instances: limit('instances'), cores: limit('cores'), ram: limit('ram') };
  }

  /**
   * Takes `delta` for the project and the user, or throws `forbidden` (code `quota.<resource>`, upstream's sentence,
   * every exceeded resource in `details.exceeded`). The caller's last statement.
   */
  async claim(tx: Tx, projectId: ProjectId, userId: UserId, delta: QuotaDelta): Promise<void> {
    await this.ensureRows(tx, projectId, userId);
    for (const user of userId === PROJECT ? [PROJECT] : [userId, PROJECT]) {
      const limits = await this.limits(projectId, user);
      if (!(await this.tryAdd(tx, projectId, user, delta, limits)))
        throw await this.excess(tx, projectId, user, delta, limits);
    }
  }

  /** Gives `delta` back. The caller's last statement. */
  async release(tx: Tx, projectId: ProjectId, userId: UserId, delta: QuotaDelta): Promise<void> {
    const sql =
      'UPDATE quota_usages SET instances = instances - ?, cores = cores - ?, ram = ram - ? WHERE project_id = ? AND user_id = ?';
    for (const user of userId === PROJECT ? [PROJECT] : [userId, PROJECT]) {
      await tx.execute(sql, [delta.instances, delta.cores, delta.ram, projectId, user]);
    }
  }

  /** Rows whose usage is not the sum over live servers. Empty, or a defect. */
  async audit(): Promise<UsageDrift[]> {
    return this.db.snapshot((tx) => this.drift(tx));
  }

  /** Sets what `audit` finds right, in the same transaction that finds it; returns what it found. */
  async repair(): Promise<UsageDrift[]> {
    return this.db.transaction(async (tx) => {
      if (tx.dialect === 'mysql') await tx.query(`SELECT project_id FROM quota_usages${forUpdate(tx)}`);
      const found = await this.drift(tx);
      for (const { projectId, userId, actual } of found) {
        const columns = ['project_id', 'user_id', 'instances', 'cores', 'ram'];
        const sql = this.db.upsertSql('quota_usages', columns, ['project_id', 'user_id']);
        await tx.execute(sql, [projectId, userId, actual.instances, actual.cores, actual.ram]);
      }
      return found;
    });
  }

  private async tryAdd(
    tx: Tx,
    projectId: ProjectId,
    userId: UserId,
    delta: QuotaDelta,
    limits: QuotaLimits,
  ): Promise<boolean> {
    const checked = COUNTED.filter((r) => limits[r] >= 0 && delta[r] > 0);
    const conditions = checked.map((r) => ` AND ${r} + ? <= ?`).join('');
    const sql = `UPDATE quota_usages SET instances = instances + ?, cores = cores + ?, ram = ram + ? WHERE project_id = ? AND user_id = ?${conditions}`;
    const bounds = checked.flatMap((r): SqlValue[] => [delta[r], limits[r]]);
    const { affected } = await tx.execute(sql, [delta.instances, delta.cores, delta.ram, projectId, userId, ...bounds]);
    return affected === 1;
  }

  private async excess(
    tx: Tx,
    projectId: ProjectId,
    userId: UserId,
    delta: QuotaDelta,
    limits: QuotaLimits,
  ): Promise<Error> {
    // read under lock: on MySQL a plain read shows the snapshot of the transaction's start
    const [row] = await tx.query<Record<CountedResource, number>>(
      `SELECT instances, cores, ram FROM quota_usages WHERE project_id = ? AND user_id = ?${forUpdate(tx)}`,
      [projectId, userId],
    );
    const exceeded: QuotaExcess[] = COUNTED.filter(
      (r) => limits[r] >= 0 && delta[r] > 0 && (row?.[r] ?? 0) + delta[r] > limits[r],
    ).map((resource) => ({
      resource,
      requested: delta[resource],
      used: row?.[resource] ?? 0,
      limit: limits[resource],
    }));
    return forbidden(quotaSentence(exceeded), {
      code: `quota.${exceeded[0]?.resource ?? 'instances'}`,
      details: { exceeded, scope: userId === PROJECT ? 'project' : 'user' },
    });
  }

  private async ensureRows(tx: Tx, projectId: ProjectId, userId: UserId): Promise<void> {
    const have = await tx.query<{ user_id: string }>(
      'SELECT user_id FROM quota_usages WHERE project_id = ? AND user_id IN (?, ?)',
      [projectId, PROJECT, userId],
    );
    // in the order in which claims lock them
    const missing = [userId, PROJECT].filter(
      (user, i, all) => all.indexOf(user) === i && !have.some((row) => row.user_id === user),
    );
    for (const user of missing) {
      // IGNORE would take a shared lock on a row that others have made, and deadlock when it is then updated
      const unless =
        tx.dialect === 'mysql' ? 'ON DUPLICATE KEY UPDATE ram = quota_usages.ram' : 'ON CONFLICT DO NOTHING';
      await tx.execute(
        `INSERT INTO quota_usages (project_id, user_id, instances, cores, ram) VALUES (?, ?, 0, 0, 0) ${unless}`,
        [projectId, user],
      );
    }
  }

  private async drift(tx: Tx): Promise<UsageDrift[]> {
    const sums = 'COUNT(*) AS instances, COALESCE(SUM(vcpus), 0) AS cores, COALESCE(SUM(memory_mb), 0) AS ram';
    // what does not count: deleted, and soft-deleted
    const live = "FROM servers WHERE deleted = 0 AND vm_state <> 'soft-delete' GROUP BY project_id";
    type Row = Record<CountedResource, number> & { project_id: string; user_id: string };
    const actual = [
      ...(await tx.query<Row>(`SELECT project_id, '' AS user_id, ${sums} ${live}`)),
      ...(await tx.query<Row>(`SELECT project_id, user_id, ${sums} ${live}, user_id`)),
    ];
    const recorded = await tx.query<Row>('SELECT project_id, user_id, instances, cores, ram FROM quota_usages');
    const key = (row: Row): string => `${row.project_id}\n${row.user_id}`;
    const byKey = (rows: Row[]): Map<string, Row> => new Map(rows.map((row) => [key(row), row]));
    const [have, want] = [byKey(recorded), byKey(actual)];
    const pick = (row: Row | undefined): QuotaDelta => ({
      instances: Number(row?.instances ?? 0),
      cores: Number(row?.cores ?? 0),
      ram: Number(row?.ram ?? 0),
    });
    return [...new Set([...have.keys(), ...want.keys()])].flatMap((k) => {
      const [projectId = '', userId = ''] = k.split('\n');
      const drift = { projectId, userId, recorded: pick(have.get(k)), actual: pick(want.get(k)) };
      return COUNTED.some((r) => drift.recorded[r] !== drift.actual[r]) ? [drift] : [];
    });
  }
}
