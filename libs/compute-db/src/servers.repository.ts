import type { Database, SqlRow, Tx, SqlValue } from '@fractus/database';
import { notFound, type TaskState, type VmState, type HostName, type ProjectId, type ServerId } from '@fractus/objects';
import type { RequestSpec } from '@fractus/rpc-contracts';
import type { ServerFaultRow, ServerRow } from './rows';
import { type Server, type ServerPatch, patchColumns, serverOf } from './server';
import { type ServerQuery, listServers } from './server-list';
import { assignments, forUpdate, nullSafe, within } from './sql';

export interface ServerFault {
  readonly serverId: ServerId;
  /** HTTP status as shown to users. */
  readonly code: number;
  /** For the owner; no inside story. */
  readonly message: string;
  /** For operators. */
  readonly details: string | null;
  readonly host: HostName | null;
  readonly createdAt: number;
}
export interface StateExpectation {
  readonly vmState: VmState;
  readonly taskState: TaskState | null;
}

/**
 * Servers, their faults and request specs. Reads take no lock. Writes join the unit of work that is open, or make one
 * of their own. Deleted servers are found only where a method says so.
 */
export class ServersRepository {
  constructor(private readonly db: Database) {}

  /** Null when there is none, or it is deleted and `withDeleted` is not set. */
  async find(id: ServerId, options: { withDeleted?: boolean; projectId?: ProjectId } = {}): Promise<Server | null> {
    const where = ['uuid = ?'];
    if (!options.withDeleted) where.push('deleted = 0');
    const params: SqlValue[] = [id];
    if (options.projectId !== undefined) {
      where.push('project_id = ?');
      params.push(options.projectId);
    }
    const [row] = await this.db.query<ServerRow>(`SELECT * FROM servers WHERE ${where.join(' AND ')}`, params);
    return row ? serverOf(row) : null;
  }

  /** As `find`; `not_found` with upstream's sentence when there is none. */
  async get(id: ServerId, options: { withDeleted?: boolean; projectId?: ProjectId } = {}): Promise<Server> {
    const server = await this.find(id, options);
    if (!server) throw notFound(`Instance ${id} could not be found.`, { code: 'server.not_found' });
    return server;
  }

  /** Whether the server's row is in the database, deleted or not; waits for a transaction that is writing it. */
  async isThere(tx: Tx, id: string): Promise<boolean> {
    return (await tx.query(`SELECT id FROM servers WHERE uuid = ?${forUpdate(tx)}`, [id])).length > 0;
  }

  /** The given servers, deleted ones included, in no order; unknown ids are left out. */
  async findMany(ids: readonly string[]): Promise<Server[]> {
    const [sql, params] = within('uuid', ids);
    return (await this.db.query<ServerRow>(`SELECT * FROM servers WHERE ${sql}`, params)).map(serverOf);
  }

  /** One page; see `ServerQuery`. The cost grows with the page, not with the table. */
  list(query: ServerQuery): Promise<Server[]> {
    return listServers(this.db, query);
  }

  /** Live servers on a host. */
  async onHost(host: HostName): Promise<Server[]> {
    return (
      await this.db.query<ServerRow>('SELECT * FROM servers WHERE host = ? AND deleted = 0 ORDER BY id', [host])
    ).map(serverOf);
  }

  /**
   * Compare-and-swap of (vm_state, task_state), with further fields in the same write. False: the server is gone or in
   * another state, and nothing is written.
   */
  async swapState(
    tx: Tx,
    id: ServerId,
    expected: StateExpectation,
    next: StateExpectation,
    patch: ServerPatch = {},
  ): Promise<boolean> {
    const [set, values] = assignments({ ...this.touched(patch), vm_state: next.vmState, task_state: next.taskState });
    const [task, taskValues] = nullSafe('task_state', expected.taskState);
    const sql = `UPDATE servers SET ${set} WHERE uuid = ? AND deleted = 0 AND vm_state = ? AND ${task}`;
    const { affected } = await tx.execute(sql, [...values, id, expected.vmState, ...taskValues]);
    return affected === 1;
  }

  /** Writes fields of a live server; false when it is gone. State columns belong to `swapState` and to a task's lease. */
  async update(id: ServerId, patch: ServerPatch): Promise<boolean> {
    const [set, values] = assignments(this.touched(patch));
    const { affected } = await this.db.transaction((tx) =>
      tx.execute(`UPDATE servers SET ${set} WHERE uuid = ? AND deleted = 0`, [...values, id]),
    );
    return affected === 1;
  }

  /** The write of a task's lease holder, state included, in the transaction in which the lease was proved. Deleted servers are left alone. */
  async writeHeld(tx: Tx, id: ServerId, patch: ServerPatch, now: number): Promise<void> {
    const [set, values] = assignments({ ...patchColumns(patch), updated_at: now });
    await tx.execute(`UPDATE servers SET ${set} WHERE uuid = ? AND deleted = 0`, [...values, id]);
  }

  /**
   * Reads the server under lock, lets `change` compute a patch from it and writes that: for read-modify-write of
   * metadata and tags. `not_found` when it is gone.
   */
  async modify(id: ServerId, change: (server: Server) => ServerPatch): Promise<Server> {
    return this.db.transaction(async (tx) => {
      const [row] = await tx.query<ServerRow>(`SELECT * FROM servers WHERE uuid = ? AND deleted = 0${forUpdate(tx)}`, [
        id,
      ]);
      if (!row) throw notFound(`Instance ${id} could not be found.`, { code: 'server.not_found' });
      const server = serverOf(row);
      const patch = change(server);
      await this.update(id, patch);
      return { ...server, ...patch };
    });
  }

  /** Marks a server deleted; its row stays visible to `deleted=true` and `changes-since`. False when it already was. */
  async softDelete(tx: Tx, id: ServerId, now: number): Promise<boolean> {
    const sql =
      "UPDATE servers SET vm_state = 'deleted', task_state = NULL, power_state = 0, progress = 0, deleted = id, deleted_at = ?, terminated_at = ?, updated_at = ? WHERE uuid = ? AND deleted = 0";
    return (await tx.execute(sql, [now, now, now, id])).affected === 1;
  }

  /** Removes servers deleted before `before`, with all that hangs on them; returns how many. Bounded by `limit`. */
  async purge(before: number, limit = 500): Promise<number> {
    const rows = await this.db.query<{ uuid: string }>(
      'SELECT uuid FROM servers WHERE deleted <> 0 AND deleted_at < ? ORDER BY id LIMIT ?',
      [before, limit],
    );
    const ids = rows.map((r) => r.uuid);
    if (ids.length === 0) return 0;
    await this.db.transaction(async (tx) => {
      const [sql, params] = within('server_uuid', ids);
      await tx.execute(
        `DELETE FROM instance_action_events WHERE action_id IN (SELECT id FROM instance_actions WHERE ${sql})`,
        params,
      );
      for (const table of ['instance_actions', 'server_faults', 'request_specs', 'schedule_attempts']) {
        await tx.execute(`DELETE FROM ${table} WHERE ${sql}`, params);
      }
      await tx.execute(`DELETE FROM tasks WHERE status <> 'open' AND ${sql}`, params);
      const [uuids, values] = within('uuid', ids);
      await tx.execute(`DELETE FROM servers WHERE deleted <> 0 AND ${uuids}`, values);
    });
    return ids.length;
  }

  async requestSpec(id: ServerId): Promise<RequestSpec> {
    const [row] = await this.db.query<{ spec: string }>('SELECT spec FROM request_specs WHERE server_uuid = ?', [id]);
    if (!row) throw notFound(`Request spec of instance ${id} could not be found.`, { code: 'request_spec.not_found' });
    return JSON.parse(row.spec) as RequestSpec;
  }

  /** Server id → scheduler hints of its request, for those that have a request spec. */
  async schedulerHints(ids: readonly string[]): Promise<Map<string, RequestSpec['schedulerHints']>> {
    const [sql, params] = within('server_uuid', ids);
    const rows = await this.db.query<{ server_uuid: string; spec: string }>(
      `SELECT server_uuid, spec FROM request_specs WHERE ${sql}`,
      params,
    );
    return new Map(rows.map((row) => [row.server_uuid, (JSON.parse(row.spec) as RequestSpec).schedulerHints]));
  }

  /** Pins the stored request to a zone, or unpins it: what later moves of the server keep to. */
  async repin(id: ServerId, zone: string | null): Promise<void> {
    await this.db.transaction(async (tx) => {
      const spec = await this.requestSpec(id);
      await tx.execute('UPDATE request_specs SET spec = ? WHERE server_uuid = ?', [
        JSON.stringify({ ...spec, availabilityZone: zone }),
        id,
      ]);
    });
  }

  async addFault(tx: Tx, fault: ServerFault): Promise<void> {
    await tx.insert('server_faults', {
      server_uuid: fault.serverId,
      code: fault.code,
      message: fault.message.slice(0, 1024),
      details: fault.details,
      host: fault.host,
      created_at: fault.createdAt,
    });
  }

  /** Server id → its latest fault, for those that have one. */
  async latestFaults(ids: readonly string[]): Promise<Map<string, ServerFault>> {
    const [sql, params] = within('server_uuid', ids);
    const rows = await this.db.query<ServerFaultRow>(
      `SELECT * FROM server_faults WHERE id IN (SELECT MAX(id) FROM server_faults WHERE ${sql} GROUP BY server_uuid)`,
      params,
    );
    return new Map(rows.map((row) => [row.server_uuid, faultOf(row)]));
  }

  private touched(patch: ServerPatch): SqlRow {
    return { ...patchColumns(patch), updated_at: Date.now() };
  }
}

const faultOf = (row: ServerFaultRow): ServerFault => ({
  serverId: row.server_uuid,
  code: row.code,
  message: row.message,
  details: row.details,
  host: row.host,
  createdAt: row.created_at,
});
