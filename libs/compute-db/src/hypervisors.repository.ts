import type { Database, SqlValue } from '@fractus/database';
import { type ComputeNode, computeNodeOf } from './compute-node';
import { COMPUTE_BINARY } from './hosts.repository';
import type { ComputeNodeRow } from './rows';
import { within } from './sql';

/** A compute node with the service that speaks for it. A node whose service was deleted is no hypervisor any more. */
export interface Hypervisor extends ComputeNode {
  readonly service: HypervisorService;
}
export interface HypervisorService {
  readonly id: string;
  readonly rowId: number;
  readonly disabled: boolean;
  readonly disabledReason: string | null;
  readonly forcedDown: boolean;
  readonly lastSeenAt: number | null;
}

/** Sums over hypervisors whose service is enabled. Memory in MiB, disk in GiB. */
export interface HypervisorStatistics {
  readonly count: number;
  readonly vcpus: number;
  readonly vcpusUsed: number;
  readonly memoryMb: number;
  readonly memoryMbUsed: number;
  readonly diskGb: number;
  readonly diskGbUsed: number;
  readonly runningGuests: number;
  readonly ioOps: number;
}

export interface HostedServer {
  readonly id: string;
  readonly name: string;
}

/** A hypervisor by its uuid, or by the number it had before 2.53. */
export type HypervisorKey = { readonly id: string } | { readonly rowId: number };

interface Row extends ComputeNodeRow {
  service_uuid: string;
  service_row_id: number;
  disabled: number;
  disabled_reason: string | null;
  forced_down: number;
  last_seen_at: number | null;
}

const FROM = `FROM compute_nodes n JOIN services s ON s.host = n.host AND s.binary_name = '${COMPUTE_BINARY}'`;
const SELECT = `SELECT n.*, s.uuid AS service_uuid, s.id AS service_row_id, s.disabled, s.disabled_reason, s.forced_down,
  s.last_seen_at ${FROM}`;

/** Hypervisors as operators see them. Read only. */
export class HypervisorsRepository {
  constructor(private readonly db: Database) {}

  /** In order of row id. `after` is the row id of the last one of the former page; no limit: all. */
  page(page: { after?: number; limit?: number } = {}): Promise<Hypervisor[]> {
    const { after = 0, limit } = page;
    return limit === undefined
      ? this.select('n.id > ? ORDER BY n.id', [after])
      : this.select('n.id > ? ORDER BY n.id LIMIT ?', [after, limit]);
  }

  /** Those whose hostname contains the text, as it is, in whatever case. */
  search(text: string): Promise<Hypervisor[]> {
    const pattern = `%${text.replace(/[!%_]/g, '!$&')}%`;
    return this.select("LOWER(n.node) LIKE LOWER(?) ESCAPE '!' ORDER BY n.id", [pattern]);
  }

  async find(key: HypervisorKey): Promise<Hypervisor | null> {
    const [found] =
      'id' in key ? await this.select('n.uuid = ?', [key.id]) : await this.select('n.id = ?', [key.rowId]);
    return found ?? null;
  }

  async statistics(): Promise<HypervisorStatistics> {
    const [row] = await this.db.query<Record<keyof HypervisorStatistics, number | string | null>>(
      `SELECT COUNT(*) AS count, SUM(n.vcpus) AS vcpus, SUM(n.vcpus_used) AS vcpusUsed, SUM(n.memory_mb) AS memoryMb,
       SUM(n.memory_mb_used) AS memoryMbUsed, SUM(n.disk_gb) AS diskGb, SUM(n.disk_gb_used) AS diskGbUsed,
       SUM(n.running_guests) AS runningGuests, SUM(n.io_ops) AS ioOps ${FROM} WHERE s.disabled = 0`,
    );
    // MariaDB gives sums as text, and null over nothing
    const number = (name: keyof HypervisorStatistics): number => Number(row?.[name] ?? 0);
    return {
      count: number('count'),
      vcpus: number('vcpus'),
      vcpusUsed: number('vcpusUsed'),
      memoryMb: number('memoryMb'),
      memoryMbUsed: number('memoryMbUsed'),
      diskGb: number('diskGb'),
      diskGbUsed: number('diskGbUsed'),
      runningGuests: number('runningGuests'),
      ioOps: number('ioOps'),
    };
  }

  /** Host → its live servers in order of age. */
  async serversOn(hosts: readonly string[]): Promise<Map<string, HostedServer[]>> {
    const [sql, params] = within('host', hosts);
    const rows = await this.db.query<{ uuid: string; name: string; host: string }>(
      `SELECT uuid, name, host FROM servers WHERE ${sql} AND deleted = 0 ORDER BY id`,
      params,
    );
    const byHost = new Map<string, HostedServer[]>(hosts.map((h) => [h, []]));
    for (const { uuid, name, host } of rows) byHost.get(host)?.push({ id: uuid, name });
    return byHost;
  }

  private async select(where: string, params: SqlValue[]): Promise<Hypervisor[]> {
    const rows = await this.db.query<Row>(`${SELECT} WHERE ${where}`, params);
    return rows.map((row) => ({
      ...computeNodeOf(row),
      service: {
        id: row.service_uuid,
        rowId: row.service_row_id,
        disabled: row.disabled === 1,
        disabledReason: row.disabled_reason,
        forcedDown: row.forced_down === 1,
        lastSeenAt: row.last_seen_at,
      },
    }));
  }
}
