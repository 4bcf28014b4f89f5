/**
 * Compute hosts as the scheduler reads them: compute nodes with their service, paged by row id, or by name. Read only;
 * conductor writes these rows.
 */
import type { Database, SqlValue } from '@fractus/database';
import { type ReportedNode, reportedNodeOf, type ReportedNodeRow } from './compute-node';
import { within } from './sql';

/** A compute node and its service. */
export interface HostSnapshot extends ReportedNode {
  readonly service: HostService;
}
export interface HostService {
  readonly disabled: boolean;
  readonly disabledReason: string | null;
  readonly forcedDown: boolean;
  readonly lastSeenAt: number | null;
}

interface SnapshotRow extends ReportedNodeRow {
  disabled: number | null;
  disabled_reason: string | null;
  forced_down: number | null;
  last_seen_at: number | null;
}

const SELECT = `SELECT n.id, n.uuid, n.host, n.node, n.hypervisor_type, n.hypervisor_version, n.host_ip, n.vcpus,
  n.memory_mb, n.disk_gb, n.vcpus_used, n.memory_mb_used, n.disk_gb_used, n.running_guests, n.io_ops, n.failed_builds,
  n.cpu_info, n.architecture, n.capabilities, n.traits, n.incarnation, n.seq,
  s.disabled, s.disabled_reason, s.forced_down, s.last_seen_at
  FROM compute_nodes n LEFT JOIN services s ON s.host = n.host AND s.binary_name = 'nova-compute'`;

export class HostSnapshotsRepository {
  constructor(private readonly db: Database) {}

  /** The next `limit` nodes after a row id, in order of row id; 0 begins. */
  page(afterRowId: number, limit: number): Promise<HostSnapshot[]> {
    return this.select('n.id > ? ORDER BY n.id LIMIT ?', [afterRowId, limit]);
  }

  /** Every node of the given hosts. */
  ofHosts(hosts: readonly string[]): Promise<HostSnapshot[]> {
    return this.select(...within('n.host', hosts));
  }

  /** Server → host, for those of the given servers that live and have a host. */
  async hostsOfServers(serverIds: readonly string[]): Promise<Map<string, string>> {
    const [sql, params] = within('uuid', serverIds);
    const rows = await this.db.query<{ uuid: string; host: string }>(
      `SELECT uuid, host FROM servers WHERE ${sql} AND deleted = 0 AND host IS NOT NULL`,
      params,
    );
    return new Map(rows.map((r) => [r.uuid, r.host]));
  }

  private async select(where: string, params: SqlValue[]): Promise<HostSnapshot[]> {
    return (await this.db.query<SnapshotRow>(`${SELECT} WHERE ${where}`, params)).map(snapshotOf);
  }
}

const snapshotOf = (row: SnapshotRow): HostSnapshot => ({
  ...reportedNodeOf(row),
  service: {
    disabled: row.disabled === 1,
    disabledReason: row.disabled_reason,
    forcedDown: row.forced_down === 1,
    lastSeenAt: row.last_seen_at,
  },
});
