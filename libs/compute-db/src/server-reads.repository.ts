import type { Database, Dialect } from '@fractus/database';
import type { ServerId } from '@fractus/objects';
import { GatheredReads } from './gathered-reads';
import { COMPUTE_BINARY, type Service } from './hosts.repository';
import type { ServerRow } from './rows';
import { type Server, sharedServerOf } from './server';
import { within } from './sql';

/** Of a host, what everybody's view of a server on it tells. */
export interface HostGlance {
  /** The state of its compute service; null where it has none. */
  readonly service: Pick<Service, 'disabled' | 'forcedDown' | 'lastSeenAt'> | null;
  /** The zone that an aggregate puts it in; null where none does. */
  readonly zone: string | null;
}

interface GlanceRow {
  host: string;
  is_service: number;
  disabled: number;
  forced_down: number;
  last_seen_at: number | null;
  zone: string | null;
}

const ZONE: Readonly<Record<Dialect, string>> = {
  mysql: "JSON_VALUE(a.metadata, '$.availability_zone')",
  sqlite: "json_extract(a.metadata, '$.availability_zone')",
};

/**
 * Reads for views. Those of single servers, which come in great numbers, are gathered: each sees what was true after it
 * was asked for, and together they are few statements.
 */
export class ServerReads {
  private readonly servers: GatheredReads<ServerRow>;
  private readonly hosts: GatheredReads<HostGlance>;

  constructor(private readonly db: Database) {
    this.servers = new GatheredReads(db, (ids) => this.rows(ids));
    this.hosts = new GatheredReads(db, (hosts) => this.glances(hosts));
  }

  /** Null when there is none, or it is deleted. Its parts are shared and frozen. */
  async find(id: ServerId): Promise<Server | null> {
    const row = await this.servers.load(id);
    return row ? sharedServerOf(row) : null;
  }

  /** A glance at the host of one server. */
  async glance(host: string): Promise<HostGlance> {
    return (await this.hosts.load(host)) ?? { service: null, zone: null };
  }

  /** Hosts that have a service or a zone, by name: one statement, whose cost grows with the hosts asked for. */
  async glances(hosts: readonly string[]): Promise<Map<string, HostGlance>> {
    const zone = ZONE[this.db.dialect];
    const [services, serviceParams] = within('v.host', hosts);
    const [members, memberParams] = within('m.host', hosts);
    const rows = await this.db.query<GlanceRow>(
      `SELECT v.host AS host, 1 AS is_service, v.disabled AS disabled, v.forced_down AS forced_down, v.last_seen_at AS last_seen_at, NULL AS zone
         FROM services v WHERE v.binary_name = '${COMPUTE_BINARY}' AND ${services}
       UNION ALL SELECT m.host, 0, 0, 0, NULL, ${zone}
         FROM aggregate_hosts m JOIN aggregates a ON a.id = m.aggregate_id WHERE ${members}`,
      [...serviceParams, ...memberParams],
    );
    return glancesOf(rows);
  }

  private async rows(ids: readonly string[]): Promise<Map<string, ServerRow>> {
    const [sql, params] = within('uuid', ids);
    const rows = await this.db.query<ServerRow>(`SELECT * FROM servers WHERE ${sql} AND deleted = 0`, params);
    return new Map(rows.map((row) => [row.uuid, row]));
  }
}

function glancesOf(rows: readonly GlanceRow[]): Map<string, HostGlance> {
  const found = new Map<string, HostGlance>();
  const known = (host: string): HostGlance => found.get(host) ?? { service: null, zone: null };
  for (const { host, ...service } of rows.filter((r) => r.is_service === 1))
    found.set(host, {
      ...known(host),
      service: {
        disabled: service.disabled === 1,
        forcedDown: service.forced_down === 1,
        lastSeenAt: service.last_seen_at,
      },
    });
  for (const { host, zone } of rows) if (zone !== null) found.set(host, { ...known(host), zone });
  return found;
}
