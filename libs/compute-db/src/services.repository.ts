import type { Database, Tx } from '@fractus/database';
import { conflict } from '@fractus/objects';
import { COMPUTE_BINARY, serviceOf, type Service } from './hosts.repository';
import type { ServiceRow } from './rows';
import { forUpdate } from './sql';

/** A service by its uuid, or by the number it had before 2.53. */
export type ServiceKey = { readonly id: string } | { readonly rowId: number };

/** Service records as operators handle them; agents' reports are `HostsRepository`'s. */
export class ServicesRepository {
  constructor(private readonly db: Database) {}

  async find(key: ServiceKey): Promise<Service | null> {
    const [column, value] = 'id' in key ? ['uuid', key.id] : ['id', key.rowId];
    const [row] = await this.db.query<ServiceRow>(`SELECT * FROM services WHERE ${column} = ?`, [value]);
    return row ? serviceOf(row) : null;
  }

  /** How many live servers a host holds. */
  async serversOn(host: string): Promise<number> {
    return this.db.transaction((tx) => countServers(tx, host));
  }

  /** Uuids of the compute nodes of a host; each is also the uuid of a resource provider. */
  async nodeIdsOf(host: string): Promise<string[]> {
    const rows = await this.db.query<{ uuid: string }>('SELECT uuid FROM compute_nodes WHERE host = ?', [host]);
    return rows.map((r) => r.uuid);
  }

  /**
   * Deletes a service; with a compute service also its compute nodes and its place in aggregates. `conflict` code
   * `service.has_servers` when a server is on the host, looked at in the same transaction.
   */
  async delete(service: Service): Promise<void> {
    await this.db.transaction(async (tx) => {
      await tx.query(`SELECT id FROM services WHERE id = ?${forUpdate(tx)}`, [service.rowId]);
      if (service.binary === COMPUTE_BINARY) {
        if ((await countServers(tx, service.host)) > 0) throw hasServers();
        await tx.execute('DELETE FROM aggregate_hosts WHERE host = ?', [service.host]);
        await tx.execute('DELETE FROM compute_nodes WHERE host = ?', [service.host]);
      }
      await tx.execute('DELETE FROM services WHERE id = ?', [service.rowId]);
    });
  }
}

export const hasServers = () =>
  conflict('Unable to delete a compute service that is hosting servers. Migrate or delete the servers first.', {
    code: 'service.has_servers',
  });

async function countServers(tx: Tx, host: string): Promise<number> {
  const sql = 'SELECT COUNT(*) AS count FROM servers WHERE host = ? AND deleted = 0';
  const [row] = await tx.query<{ count: number }>(sql, [host]);
  return Number(row?.count ?? 0);
}
