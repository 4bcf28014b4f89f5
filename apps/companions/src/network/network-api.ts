/** List, show, create (one or many), change and delete, the same for every kind. */
import { balanced, type Database, type SqlValue, type Tx } from '@fractus/database';
import { parseCount, type Query } from '@fractus/http';
import type { RequestContext } from '@fractus/objects';
import { memberOf } from '../resource-table/bodies';
import {
  conditionsOf,
  selectPage,
  sortKey,
  type Condition,
  type SortKey,
  type Wire,
} from '../resource-table/resource-table';
import { isAdmin, marks, rowById, type Kind } from './kind';
import { badNetwork, denied } from './network-errors';
import type { CommonRow } from './network.rows';
import type { Quotas } from './quotas';
import type { SecurityGroups } from './security-groups';
import type { Tags } from './tags';

/** A page of wire objects, and ids for links where a limit was asked for. */
export interface Listed {
  items: Wire[];
  /** The page before and after may hold more. */
  limited: boolean;
  full: boolean;
}

const BULK = 500;

export class NetworkApi {
  constructor(
    private readonly db: Database,
    private readonly quotas: Quotas,
    private readonly tags: Tags,
    private readonly groups: SecurityGroups,
  ) {}

  async list(kind: Kind, ctx: RequestContext, query: Query): Promise<Listed> {
    if (kind === (this.groups as Kind) && ctx.projectId !== null) await this.groups.ensureDefaultOf(ctx.projectId);
    const limit = parseCount(query, 'limit');
    const reverse = /^(true|1)$/i.test(query['page_reverse']?.[0] ?? '');
    const marker = query['marker']?.[0];
    const after =
      marker === undefined ? undefined : await rowById<Record<string, unknown>>(this.db, kind.table, marker);
    if (marker !== undefined && !after)
      throw badNetwork(`The marker ${marker} is not the id of one of the ${kind.table.collection}.`, 'HTTPBadRequest');
    const sort = sortOf(kind, query).map((k) => (reverse ? { ...k, descending: !k.descending } : k));
    const page = {
      sort: sort.length || !reverse ? sort : [{ column: 'id', numeric: false, descending: true }],
      ...(limit ? { limit } : {}),
      ...(after ? { after } : {}),
    };
    const { sql, params } = selectPage(kind.table, this.conditions(kind, ctx, query), page);
    const rows = await this.db.query<CommonRow>(sql, params);
    if (reverse) rows.reverse();
    return {
      items: pick(await this.present(kind, ctx, rows), query['fields']),
      limited: limit !== undefined && limit > 0,
      full: rows.length === limit,
    };
  }

  /** @throws not_found where it is not there or not to be seen */
  async show(kind: Kind, ctx: RequestContext, id: string, query: Query = {}): Promise<Wire> {
    const row = await this.visibleRow(kind, ctx, id);
    return pick(await this.present(kind, ctx, [row]), query['fields'])[0] as Wire;
  }

  /** One object under the resource's name, or many under the collection's: all or none. */
  async create(kind: Kind, ctx: RequestContext, body: unknown): Promise<{ [key: string]: unknown }> {
    requireWriter(ctx, kind, 'create');
    const many = (body as Record<string, unknown> | null | undefined)?.[kind.table.collection];
    if (Array.isArray(many) && (many.length === 0 || many.length > BULK)) {
      throw badNetwork(`${kind.table.collection} must hold 1 to ${BULK} objects.`);
    }
    const bodies: unknown[] = Array.isArray(many) ? many : [memberOf(body, kind.table.resource)];
    const ids = await this.db.transaction(async (tx) => {
      const made: string[] = [];
      for (const one of bodies) made.push(await this.createOne(tx, kind, ctx, one));
      return made;
    });
    const rows = await this.db.query<CommonRow>(`SELECT * FROM ${kind.table.table} WHERE id IN ${marks(ids)}`, ids);
    const items = await this.present(
      kind,
      ctx,
      ids.flatMap((id) => rows.filter((r) => r.id === id)),
    );
    return Array.isArray(many) ? { [kind.table.collection]: items } : { [kind.table.resource]: items[0] };
  }

  async update(kind: Kind, ctx: RequestContext, id: string, body: unknown): Promise<Wire> {
    requireWriter(ctx, kind, 'update');
    const change = memberOf(body, kind.table.resource);
    await this.db.transaction(async (tx) => kind.update(tx, ctx, await this.ownRow(kind, ctx, id, 'update'), change));
    return this.show(kind, ctx, id);
  }

  async delete(kind: Kind, ctx: RequestContext, id: string): Promise<void> {
    requireWriter(ctx, kind, 'delete');
    await this.db.transaction(async (tx) => {
      const row = await this.ownRow(kind, ctx, id, 'delete');
      await kind.remove(tx, ctx, row);
      await tx.execute('DELETE FROM network_tags WHERE resource_id = ?', [id]);
    });
  }

  /** The row of something that the caller may see. */
  async visibleRow(kind: Kind, ctx: RequestContext, id: string): Promise<CommonRow> {
    const seen = isAdmin(ctx) ? [] : [kind.visibleTo(ctx)];
    const where = [{ sql: 't.id = ?', params: [id] }, ...seen];
    const sql = `SELECT t.* FROM ${kind.table.table} t WHERE ${where.map((c) => c.sql).join(' AND ')}`;
    const [row] = await this.db.query<CommonRow>(
      sql,
      where.flatMap((c) => [...c.params]),
    );
    if (!row) throw kind.missing(id);
    return row;
  }

  /** The row of something that is the caller's to change. @throws forbidden for what can only be seen */
  async ownRow(kind: Kind, ctx: RequestContext, id: string, verb: string): Promise<CommonRow> {
    const row = await this.visibleRow(kind, ctx, id);
    if (!isAdmin(ctx) && row.project_id !== ctx.projectId) throw denied(`rule:${verb}_${kind.table.resource}`);
    return row;
  }

  private async createOne(tx: Tx, kind: Kind, ctx: RequestContext, body: unknown): Promise<string> {
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw badNetwork(`Each of the ${kind.table.collection} must be an object.`);
    const id = await kind.create(tx, ctx, body);
    const row = await rowById<CommonRow>(tx, kind.table, id);
    await this.quotas.check(tx, kind, row?.project_id ?? '');
    const { tags } = body as { tags?: string[] };
    if (tags) await this.tags.replace(tx, id, tags);
    return id;
  }

  private conditions(kind: Kind, ctx: RequestContext, query: Query): Condition[] {
    const { tenant_id, ...rest } = query;
    const known = tenant_id ? { ...rest, project_id: tenant_id } : rest;
    return [
      ...(isAdmin(ctx) ? [] : [kind.visibleTo(ctx)]),
      ...conditionsOf(kind.table, known),
      ...kind.filters(query),
      ...tagConditions(query),
    ];
  }

  private async present(kind: Kind, ctx: RequestContext, rows: readonly CommonRow[]): Promise<Wire[]> {
    if (rows.length === 0) return [];
    const [items, tags] = await Promise.all([kind.complete(rows, ctx), this.tags.of(rows.map((r) => r.id))]);
    return items.map((item) => ({ ...item, tenant_id: item['project_id'], tags: tags.get(String(item['id'])) ?? [] }));
  }
}

function requireWriter(ctx: RequestContext, kind: Kind, verb: string): void {
  const writes = ['admin', 'manager', 'member', 'service'].some((role) => ctx.roles.includes(role));
  if (!writes || (ctx.projectId === null && !isAdmin(ctx))) throw denied(`rule:${verb}_${kind.table.resource}`);
}

function sortOf(kind: Kind, query: Query): SortKey[] {
  const keys = query['sort_key'] ?? [];
  const dirs = query['sort_dir'] ?? [];
  if (dirs.length > 0 && dirs.length !== keys.length)
    throw badNetwork('There must be as many sort_dir as sort_key parameters.', 'HTTPBadRequest');
  return keys.map((key, i) => sortKey(kind.table, key === 'tenant_id' ? 'project_id' : key, dirs[i] ?? 'asc'));
}

function pick(items: Wire[], fields: readonly string[] | undefined): Wire[] {
  const wanted = fields?.filter((f) => f !== '') ?? [];
  if (wanted.length === 0) return items;
  return items.map((item) => Object.fromEntries(Object.entries(item).filter(([name]) => wanted.includes(name))));
}

const HAS_TAG = 'EXISTS (SELECT 1 FROM network_tags g WHERE g.resource_id = t.id AND g.tag = ?)';

function tagConditions(query: Query): Condition[] {
  const each = (name: string, join: 'AND' | 'OR', not: string): Condition[] => {
    const tags: SqlValue[] = (query[name] ?? []).flatMap((v) => v.split(',')).filter((t) => t !== '');
    return tags.length
      ? [
          {
            sql: `${not}(${balanced(
              tags.map(() => HAS_TAG),
              join,
            )})`,
            params: tags,
          },
        ]
      : [];
  };
  return [
    ...each('tags', 'AND', ''),
    ...each('tags-any', 'OR', ''),
    ...each('not-tags', 'AND', 'NOT '),
    ...each('not-tags-any', 'OR', 'NOT '),
  ];
}
