import type { Database } from '@fractus/database';

/** Every resource that has a limit, by its name on the wire. */
export const QUOTA_RESOURCES = [
  'cores',
  'fixed_ips',
  'floating_ips',
  'injected_file_content_bytes',
  'injected_file_path_bytes',
  'injected_files',
  'instances',
  'key_pairs',
  'metadata_items',
  'ram',
  'security_group_rules',
  'security_groups',
  'server_group_members',
  'server_groups',
] as const;
export type QuotaResource = (typeof QUOTA_RESOURCES)[number];

/** Limit of each resource; -1 is unlimited. ram in MiB. */
export type QuotaLimitSet = Readonly<Record<QuotaResource, number>>;

/** Limits from configuration. */
export interface ConfiguredLimits {
  readonly instances: number;
  readonly cores: number;
  readonly ram: number;
  readonly metadataItems: number;
  readonly injectedFiles: number;
  readonly injectedFileContentBytes: number;
  readonly injectedFilePathBytes: number;
  readonly keyPairs: number;
  readonly serverGroups: number;
  readonly serverGroupMembers: number;
}

const CLASS = 'default';
const PROJECT = '';

/**
 * Limits as they were set: for a user in a project, for a project, for class `default`, or by configuration; the first
 * that says something holds. What counts against them is `QuotaUsagesRepository`'s affair.
 */
export class QuotaLimitsRepository {
  private readonly configured: QuotaLimitSet;

  constructor(
    private readonly db: Database,
    c: ConfiguredLimits,
  ) {
    this.configured = {
      cores: c.cores,
      instances: c.instances,
      ram: c.ram,
      metadata_items: c.metadataItems,
      injected_files: c.injectedFiles,
      injected_file_content_bytes: c.injectedFileContentBytes,
      injected_file_path_bytes: c.injectedFilePathBytes,
      key_pairs: c.keyPairs,
      server_groups: c.serverGroups,
      server_group_members: c.serverGroupMembers,
      // the network service's own; kept for clients of the old API
      fixed_ips: -1,
      floating_ips: -1,
      security_groups: -1,
      security_group_rules: -1,
    };
  }

  /** Limits of a class: what is set for it over what is configured. */
  async ofClass(name: string): Promise<QuotaLimitSet> {
    const rows = await this.db.query<Limit>('SELECT resource, hard_limit FROM quota_classes WHERE class_name = ?', [
      name,
    ]);
    return { ...this.configured, ...asSet(rows) };
  }

  /** Limits that hold where nothing is set for a project. */
  async defaults(): Promise<QuotaLimitSet> {
    return this.ofClass(CLASS);
  }

  /** Limits in force for a project, or for a user in it. One read. */
  async of(projectId: string, userId: string = PROJECT): Promise<QuotaLimitSet> {
    const rows = await this.db.query<Limit & { kind: 'limit' | 'class'; owner: string }>(
      `SELECT 'limit' AS kind, user_id AS owner, resource, hard_limit FROM quotas WHERE project_id = ? AND user_id IN (?, ?)
       UNION ALL SELECT 'class', class_name, resource, hard_limit FROM quota_classes WHERE class_name = ?`,
      [projectId, PROJECT, userId, CLASS],
    );
    const [project, user] = [PROJECT, userId].map((id) =>
      asSet(rows.filter((r) => r.kind === 'limit' && r.owner === id)),
    );
    return { ...this.configured, ...asSet(rows.filter((r) => r.kind === 'class')), ...project, ...user };
  }

  async set(projectId: string, userId: string, limits: Partial<QuotaLimitSet>): Promise<void> {
    const sql = this.db.upsertSql(
      'quotas',
      ['project_id', 'user_id', 'resource', 'hard_limit'],
      ['project_id', 'user_id', 'resource'],
    );
    await this.db.transaction(async (tx) => {
      for (const [resource, limit] of Object.entries(limits))
        await tx.execute(sql, [projectId, userId, resource, limit]);
    });
  }

  async setClass(name: string, limits: Partial<QuotaLimitSet>): Promise<void> {
    const sql = this.db.upsertSql(
      'quota_classes',
      ['class_name', 'resource', 'hard_limit'],
      ['class_name', 'resource'],
    );
    await this.db.transaction(async (tx) => {
      for (const [resource, limit] of Object.entries(limits)) await tx.execute(sql, [name, resource, limit]);
    });
  }

  /** Forgets what was set: for one user, or for the project and all its users. */
  async reset(projectId: string, userId?: string): Promise<void> {
    const sql = `DELETE FROM quotas WHERE project_id = ?${userId === undefined ? '' : ' AND user_id = ?'}`;
    await this.db.transaction((tx) => tx.execute(sql, userId === undefined ? [projectId] : [projectId, userId]));
  }
}

interface Limit {
  resource: string;
  hard_limit: number;
}

function asSet(rows: readonly Limit[]): Partial<Record<QuotaResource, number>> {
  const known = new Set<string>(QUOTA_RESOURCES);
  return Object.fromEntries(rows.filter((r) => known.has(r.resource)).map((r) => [r.resource, r.hard_limit]));
}
