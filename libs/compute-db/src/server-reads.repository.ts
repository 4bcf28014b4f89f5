import type { Database, Dialect } from '@fractus/database';
import type { ServerId } from '@fractus/objects';
import { COMPUTE_BINARY, type Service } from './hosts.repository';
import type { ServerRow } from './rows';
import { type Server, serverOf } from './server';

/** A server, and of the host it is on what everybody's view of it tells. */
export interface ServerOnHost {
  readonly server: Server;
  /** The compute service of its host; null where it is on none, or its host has none. */
  readonly service: Pick<Service, 'disabled' | 'forcedDown' | 'lastSeenAt'> | null;
  /** The zone that an aggregate puts its host in; null where none does. */
  readonly zone: string | null;
}

interface OnHostRow extends ServerRow {
  service_id: number | null;
  service_disabled: number;
  service_forced_down: number;
  service_seen_at: number | null;
  host_zone: string | null;
}

const ZONE: Readonly<Record<Dialect, string>> = {
  mysql: "JSON_VALUE(a.metadata, '$.availability_zone')",
  sqlite: "json_extract(a.metadata, '$.availability_zone')",
};

/** Reads for views, shaped so that one view costs one statement. */
export class ServerReads {
  constructor(private readonly db: Database) {}

  /** Null when there is none, or it is deleted. */
  async find(id: ServerId): Promise<ServerOnHost | null> {
    const zone = ZONE[this.db.dialect];
    const [row] = await this.db.query<OnHostRow>(
      `SELECT s.*, v.id AS service_id, v.disabled AS service_disabled, v.forced_down AS service_forced_down, v.last_seen_at AS service_seen_at,
         (SELECT ${zone} FROM aggregate_hosts m JOIN aggregates a ON a.id = m.aggregate_id
          WHERE m.host = s.host AND ${zone} IS NOT NULL ORDER BY a.id DESC LIMIT 1) AS host_zone
       FROM servers s LEFT JOIN services v ON v.host = s.host AND v.binary_name = '${COMPUTE_BINARY}'
       WHERE s.uuid = ? AND s.deleted = 0`,
      [id],
    );
    return row ? onHostOf(row) : null;
  }
}

const onHostOf = (row: OnHostRow): ServerOnHost => ({
  server: serverOf(row),
  zone: row.host_zone,
  service:
    row.service_id === null
      ? null
      : {
          disabled: row.service_disabled === 1,
          forcedDown: row.service_forced_down === 1,
          lastSeenAt: row.service_seen_at,
        },
});
