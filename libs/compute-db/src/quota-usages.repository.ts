/**
 * Exact quota (D8). One usage row per project and one per user in it; a claim is a conditional UPDATE, the last
 * statement of the server's transaction, so the row's lock is held for the length of a commit and two claims cannot
 * both pass the same limit. Releases are unconditional.
 *
 * A user's usage is a part of the project's: where no tighter limit is set for the user, the project's row alone is
 * conditional, and one UPDATE moves both. Everybody locks the project's row first.
 *
 * Limits: what is set for the project (or the user in it), else class `default`, else the configured defaults.
 */
import type { Database, SqlValue, Tx } from '@fractus/database';
import { forbidden, type ProjectId, type UserId } from '@fractus/objects';
import { quotaSentence } from '@fractus/server-lifecycle';
import { forUpdate, within } from './sql';

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

interface Terms {
  /** Users (the project is the empty one) that have a usage row. */
  readonly have: ReadonlySet<string>;
  limits(userId: UserId): QuotaLimits;
}

/** A usage row and what is to be added to it. */
interface UsageRow {
  readonly projectId: ProjectId;
  readonly userId: UserId;
  readonly delta: QuotaDelta;
}

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
    return (await this.terms(this.db, projectId, userId)).limits(userId);
  }

  /**
   * Takes `delta` for the project and the user, or throws `forbidden` (code `quota.<resource>`, upstream's sentence,
   * every exceeded resource in `details.exceeded`). The caller's last statement.
   */
  async claim(tx: Tx, projectId: ProjectId, userId: UserId, delta: QuotaDelta): Promise<void> {
    const terms = await this.terms(tx, projectId, userId);
    const users = [...new Set([PROJECT, userId])];
    await addRows(
      tx,
      projectId,
      users.filter((user) => !terms.have.has(user)),
    );
    const [whole, own] = [terms.limits(PROJECT), terms.limits(userId)];
    const together = { projectId, userId, delta };
    if (COUNTED.every((r) => delta[r] <= 0 || own[r] < 0 || (whole[r] >= 0 && whole[r] <= own[r]))) {
      const taken = await addToBoth(tx, together, whole);
      if (taken < users.length) await this.take(tx, { ...together, userId: PROJECT }, whole);
      return;
    }
    await this.take(tx, { ...together, userId: PROJECT }, whole);
    await this.take(tx, together, own);
  }

  /** Gives `delta` back. The caller's last statement. */
  async release(tx: Tx, projectId: ProjectId, userId: UserId, delta: QuotaDelta): Promise<void> {
    const [sql, params] = addition(projectId, [PROJECT, userId], negative(delta));
    await tx.execute(sql, params);
  }

  /** Rows whose usage is not the sum over live servers. Empty, or a defect. */
  async audit(): Promise<UsageDrift[]> {
    return this.db.snapshot((tx) => this.drift(tx));
  }

  /** Sets what `audit` finds right, in the same transaction that finds it; returns what it found. */
  async repair(): Promise<UsageDrift[]> {
    return this.db.transaction(async (tx) => {
      let frozen = await freeze(tx);
      let found = await this.drift(tx);
      // a project without a row: it may have lost it, or be about to get it
      const open = new Set(found.map((d) => d.projectId).filter((id) => !frozen.has(id)));
      if (open.size > 0) {
        for (const projectId of [...open].sort()) await addRows(tx, projectId, [PROJECT]);
        frozen = await freeze(tx);
        found = await this.drift(tx);
      }
      const sure = found.filter((d) => frozen.has(d.projectId));
      for (const { projectId, userId, actual } of sure) {
        const columns = ['project_id', 'user_id', 'instances', 'cores', 'ram'];
        const sql = this.db.upsertSql('quota_usages', columns, ['project_id', 'user_id']);
        await tx.execute(sql, [projectId, userId, actual.instances, actual.cores, actual.ram]);
      }
      return sure;
    });
  }

  /** Adds to one row if that keeps within its limits; else throws what is exceeded, as it is under the row's lock. */
  private async take(tx: Tx, row: UsageRow, limits: QuotaLimits): Promise<void> {
    if (await addTo(tx, row, limits)) return;
    const exceeded = await excess(tx, row, limits);
    // it was full when the UPDATE looked, and is no longer: now it is locked
    if (exceeded.length === 0 && (await addTo(tx, row, limits))) return;
    throw forbidden(quotaSentence(exceeded), {
      code: `quota.${exceeded[0]?.resource ?? 'instances'}`,
      details: { exceeded, scope: row.userId === PROJECT ? 'project' : 'user' },
    });
  }

  /** What a claim depends on, in one read: the limits that are set, and which usage rows there are. */
  private async terms(db: Pick<Tx, 'query'>, projectId: ProjectId, userId: UserId): Promise<Terms> {
    const whose = [projectId, PROJECT, userId];
    const rows = await db.query<{ kind: 'limit' | 'class' | 'usage'; owner: string; resource: string; amount: number }>(
      `SELECT 'limit' AS kind, user_id AS owner, resource, hard_limit AS amount FROM quotas WHERE project_id = ? AND user_id IN (?, ?)
       UNION ALL SELECT 'class', class_name, resource, hard_limit FROM quota_classes WHERE class_name = 'default'
       UNION ALL SELECT 'usage', user_id, '', 0 FROM quota_usages WHERE project_id = ? AND user_id IN (?, ?)`,
      [...whose, ...whose],
    );
    const amount = (kind: string, resource: string, owner?: string): number | undefined =>
      rows.find((r) => r.kind === kind && r.resource === resource && (owner === undefined || r.owner === owner))
        ?.amount;
    const limit = (resource: CountedResource, user: UserId): number =>
      amount('limit', resource, user) ??
      amount('limit', resource, PROJECT) ??
      amount('class', resource) ??
      this.defaults[resource];
    return {
      have: new Set(rows.filter((r) => r.kind === 'usage').map((r) => r.owner)),
      limits: (user) => ({ instances: limit('instances', user), cores: limit('cores', user), ram: limit('ram', user) }),
    };
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

const negative = ({ instances, cores, ram }: QuotaDelta): QuotaDelta => ({
  instances: -instances,
  cores: -cores,
  ram: -ram,
});

function addition(projectId: ProjectId, users: readonly UserId[], delta: QuotaDelta): [sql: string, SqlValue[]] {
  const [user, userParams] = within('user_id', [...new Set(users)]);
  return [
    `UPDATE quota_usages SET instances = instances + ?, cores = cores + ?, ram = ram + ? WHERE project_id = ? AND ${user}`,
    [delta.instances, delta.cores, delta.ram, projectId, ...userParams],
  ];
}

/** Whether a row still keeps within the limits with `delta` on top. */
function fits(delta: QuotaDelta, limits: QuotaLimits): [sql: string, SqlValue[]] {
  const checked = COUNTED.filter((r) => limits[r] >= 0 && delta[r] > 0);
  if (checked.length === 0) return ['1 = 1', []];
  return [checked.map((r) => `${r} + ? <= ?`).join(' AND '), checked.flatMap((r) => [delta[r], limits[r]])];
}

async function addTo(tx: Tx, { projectId, userId, delta }: UsageRow, limits: QuotaLimits): Promise<boolean> {
  const [sql, params] = addition(projectId, [userId], delta);
  const [condition, bounds] = fits(delta, limits);
  return (await tx.execute(`${sql} AND ${condition}`, [...params, ...bounds])).affected === 1;
}

/** Adds to the user's row, and to the project's if that fits; answers with how many rows were added to. */
async function addToBoth(tx: Tx, { projectId, userId, delta }: UsageRow, whole: QuotaLimits): Promise<number> {
  const [sql, params] = addition(projectId, [PROJECT, userId], delta);
  const [condition, bounds] = fits(delta, whole);
  const text = `${sql} AND (user_id <> ? OR (${condition}))`;
  return (await tx.execute(text, [...params, PROJECT, ...bounds])).affected;
}

async function excess(tx: Tx, { projectId, userId, delta }: UsageRow, limits: QuotaLimits): Promise<QuotaExcess[]> {
  const [row] = await tx.query<Record<CountedResource, number>>(
    `SELECT instances, cores, ram FROM quota_usages WHERE project_id = ? AND user_id = ?${forUpdate(tx)}`,
    [projectId, userId],
  );
  return COUNTED.filter((r) => limits[r] >= 0 && delta[r] > 0 && (row?.[r] ?? 0) + delta[r] > limits[r]).map(
    (resource) => ({ resource, requested: delta[resource], used: row?.[resource] ?? 0, limit: limits[resource] }),
  );
}

/** Makes rows that a project or a user does not have yet, in the order in which claims lock them. */
async function addRows(tx: Tx, projectId: ProjectId, users: readonly UserId[]): Promise<void> {
  if (users.length === 0) return;
  // IGNORE would take a shared lock on a row that others have made, and deadlock when it is then updated
  const unless = tx.dialect === 'mysql' ? 'ON DUPLICATE KEY UPDATE ram = quota_usages.ram' : 'ON CONFLICT DO NOTHING';
  await tx.execute(
    `INSERT INTO quota_usages (project_id, user_id, instances, cores, ram) VALUES ${users.map(() => '(?, ?, 0, 0, 0)').join(', ')} ${unless}`,
    users.flatMap((user) => [projectId, user]),
  );
}

/** Locks every row. Answers with the projects whose own row is locked: nothing of theirs changes until the commit. */
async function freeze(tx: Tx): Promise<Set<string>> {
  const rows = await tx.query<{ project_id: string; user_id: string }>(
    `SELECT project_id, user_id FROM quota_usages${forUpdate(tx)}`,
  );
  return new Set(rows.filter((r) => r.user_id === PROJECT).map((r) => r.project_id));
}
