import type { Database, Tx } from '@fractus/database';
import type { RequestContext } from '@fractus/objects';
import type { InstanceActionEventRow, InstanceActionRow } from './rows';
import { within } from './sql';

/** One request of a user against a server. Instants in epoch milliseconds. */
export interface InstanceAction {
  readonly rowId: number;
  readonly serverId: string;
  readonly action: string;
  readonly requestId: string;
  readonly userId: string | null;
  readonly projectId: string | null;
  /** `Error` when it failed, else null. */
  readonly message: string | null;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly updatedAt: number;
}
export interface InstanceActionEvent {
  readonly event: string;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly result: 'Success' | 'Error' | null;
  readonly traceback: string | null;
  readonly host: string | null;
  readonly details: string | null;
}
/** How an event ended. */
export interface EventEnd {
  readonly result: 'Success' | 'Error';
  readonly host?: string | null;
  readonly details?: string;
}
export interface ActionQuery {
  /** Request id of the last action of the former page; unknown: null is returned. */
  readonly marker?: string;
  readonly limit?: number;
  /** updated_at bounds, inclusive. */
  readonly changesSince?: number;
  readonly changesBefore?: number;
}

/** Records of what was asked of servers, and the events under them. */
export class InstanceActionsRepository {
  constructor(private readonly db: Database) {}

  /** Starts a record; returns its row id. */
  start(tx: Tx, ctx: RequestContext, serverId: string, action: string, now: number): Promise<number> {
    return tx.insert('instance_actions', {
      server_uuid: serverId,
      action,
      request_id: ctx.requestId,
      user_id: ctx.userId,
      project_id: ctx.projectId,
      message: null,
      started_at: now,
      finished_at: null,
      updated_at: now,
    });
  }

  /** Ends a record that is still open; `Error` is upstream's word for any failure. */
  async finish(tx: Tx, actionId: number, outcome: 'done' | 'failed', now: number): Promise<void> {
    const message = outcome === 'failed' ? 'Error' : null;
    await tx.execute(
      'UPDATE instance_actions SET finished_at = ?, updated_at = ?, message = ? WHERE id = ? AND finished_at IS NULL',
      [now, now, message, actionId],
    );
  }

  /** Begins an event; one of that name that is still open goes on instead. */
  async startEvent(tx: Tx, actionId: number, event: string, host: string | null, now: number): Promise<void> {
    // FROM: MySQL and SQLite agree on no other way to select nothing
    const sql = `INSERT INTO instance_action_events (action_id, event, started_at, host) SELECT ?, ?, ?, ? FROM (SELECT 1 AS one) AS one
      WHERE NOT EXISTS (SELECT 1 FROM instance_action_events WHERE action_id = ? AND event = ? AND finished_at IS NULL)`;
    const { affected } = await tx.execute(sql, [actionId, event, now, host, actionId, event]);
    if (affected > 0) await this.touch(tx, actionId, now);
  }

  /** Ends the open event of that name, or records it as begun and ended now. Details are cut at 1023 characters. */
  async finishEvent(tx: Tx, actionId: number, event: string, end: EventEnd, now: number): Promise<void> {
    const sql =
      'UPDATE instance_action_events SET finished_at = ?, result = ?, details = ? WHERE action_id = ? AND event = ? AND finished_at IS NULL';
    const { affected } = await tx.execute(sql, [now, end.result, detailsOf(end), actionId, event]);
    if (affected === 0) return this.recordEvent(tx, actionId, event, end, now);
    await this.touch(tx, actionId, now);
  }

  /** Records an event as begun and ended now, where none of that name is open. */
  async recordEvent(tx: Tx, actionId: number, event: string, end: EventEnd, now: number): Promise<void> {
    await tx.insert('instance_action_events', {
      action_id: actionId,
      event,
      started_at: now,
      finished_at: now,
      result: end.result,
      traceback: null,
      host: end.host ?? null,
      details: detailsOf(end),
    });
    await this.touch(tx, actionId, now);
  }

  private async touch(tx: Tx, actionId: number, now: number): Promise<void> {
    await tx.execute('UPDATE instance_actions SET updated_at = ? WHERE id = ?', [now, actionId]);
  }

  /** Newest first, by (updated_at, id). Null: the marker is unknown. */
  async list(serverId: string, query: ActionQuery = {}): Promise<InstanceAction[] | null> {
    const where = ['server_uuid = ?'];
    const params: (string | number)[] = [serverId];
    if (query.changesSince !== undefined) {
      where.push('updated_at >= ?');
      params.push(query.changesSince);
    }
    if (query.changesBefore !== undefined) {
      where.push('updated_at <= ?');
      params.push(query.changesBefore);
    }
    if (query.marker !== undefined) {
      const marker = await this.get(serverId, query.marker);
      if (!marker) return null;
      where.push('(updated_at < ? OR (updated_at = ? AND id < ?))');
      params.push(marker.updatedAt, marker.updatedAt, marker.rowId);
    }
    const limit = query.limit === undefined ? '' : ' LIMIT ?';
    if (query.limit !== undefined) params.push(query.limit);
    const sql = `SELECT * FROM instance_actions WHERE ${where.join(' AND ')} ORDER BY updated_at DESC, id DESC${limit}`;
    return (await this.db.query<InstanceActionRow>(sql, params)).map(actionOf);
  }

  async get(serverId: string, requestId: string): Promise<InstanceAction | null> {
    const [row] = await this.db.query<InstanceActionRow>(
      'SELECT * FROM instance_actions WHERE server_uuid = ? AND request_id = ? ORDER BY id DESC LIMIT 1',
      [serverId, requestId],
    );
    return row ? actionOf(row) : null;
  }

  async byRowId(rowId: number): Promise<InstanceAction | null> {
    const [row] = await this.db.query<InstanceActionRow>('SELECT * FROM instance_actions WHERE id = ?', [rowId]);
    return row ? actionOf(row) : null;
  }

  /** Row id of action → its events, oldest first. */
  async events(actionIds: readonly number[]): Promise<Map<number, InstanceActionEvent[]>> {
    const [sql, params] = within('action_id', actionIds);
    const rows = await this.db.query<InstanceActionEventRow>(
      `SELECT * FROM instance_action_events WHERE ${sql} ORDER BY id`,
      params,
    );
    const byAction = new Map<number, InstanceActionEvent[]>();
    for (const row of rows) byAction.set(row.action_id, [...(byAction.get(row.action_id) ?? []), eventOf(row)]);
    return byAction;
  }
}

const detailsOf = ({ details }: EventEnd): string | null => details?.slice(0, 1023) ?? null;

const actionOf = (row: InstanceActionRow): InstanceAction => ({
  rowId: row.id,
  serverId: row.server_uuid,
  action: row.action,
  requestId: row.request_id,
  userId: row.user_id,
  projectId: row.project_id,
  message: row.message,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  updatedAt: row.updated_at,
});

const eventOf = (row: InstanceActionEventRow): InstanceActionEvent => ({
  event: row.event,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  result: row.result as InstanceActionEvent['result'],
  traceback: row.traceback,
  host: row.host,
  details: row.details,
});
