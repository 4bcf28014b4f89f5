/** What the API needs to know of one kind of resource; one file a kind, `kinds.ts` lists them. */
import { randomUUID } from 'node:crypto';
import { placeholders, type SqlRow, type Tx } from '@fractus/database';
import type { Query } from '@fractus/http';
import type { FractusError, RequestContext } from '@fractus/objects';
import { rowOfWire, type Condition, type ResourceTable, type Wire } from '../resource-table/resource-table';
import { denied } from './network-errors';
import type { CommonRow } from './network.rows';

export interface Kind<R extends CommonRow = CommonRow> {
  /** Path segment: `security-groups`. */
  readonly path: string;
  readonly table: ResourceTable;
  missing(id: string): FractusError;
  /** What someone without the admin role may see. */
  visibleTo(ctx: RequestContext): Condition;
  /** Filters beyond equality of own columns. */
  filters(query: Query): Condition[];
  /** Wire objects of rows, with all that lives in other tables. */
  complete(rows: readonly R[], ctx: RequestContext): Promise<Wire[]>;
  /** Stores a new one and tells its id. `body` is unchecked. */
  create(tx: Tx, ctx: RequestContext, body: unknown): Promise<string>;
  update(tx: Tx, ctx: RequestContext, row: R, body: unknown): Promise<void>;
  remove(tx: Tx, ctx: RequestContext, row: R): Promise<void>;
}

export const isAdmin = (ctx: RequestContext): boolean => ctx.roles.includes('admin');

/** Everything of one's own project. */
export const ofProject = (ctx: RequestContext): Condition => ({
  sql: 't.project_id = ?',
  params: [ctx.projectId ?? ''],
});

/** The project that a new resource is for; only administrators name another than their own. @throws forbidden */
export function ownerOf(ctx: RequestContext, given: { project_id?: string; tenant_id?: string }): string {
  const asked = given.project_id ?? given.tenant_id;
  if (asked !== undefined && asked !== ctx.projectId && !isAdmin(ctx))
    throw denied('Creating resources for another project');
  return asked ?? ctx.projectId ?? '';
}

/** Writes what `wire` and `columns` say as a new row. */
export async function insertRow(
  tx: Tx,
  table: ResourceTable,
  projectId: string,
  wire: Wire,
  columns: SqlRow = {},
): Promise<string> {
  const now = Date.now();
  const id = randomUUID();
  const common = { project_id: projectId, created_at: now, updated_at: now, revision_number: 0 };
  await tx.insert(table.table, { description: '', ...rowOfWire(table, wire), ...columns, ...common, id });
  return id;
}

/** Changes what `wire` and `columns` carry, and counts the revision up. */
export async function updateRow(
  tx: Tx,
  table: ResourceTable,
  id: string,
  wire: Wire,
  columns: SqlRow = {},
): Promise<void> {
  const {
    id: _id,
    project_id: _owner,
    created_at: _born,
    revision_number: _rev,
    ...row
  } = { ...rowOfWire(table, wire), ...columns };
  const names = Object.keys(row);
  const sets = [...names.map((n) => `${n} = ?`), 'updated_at = ?', 'revision_number = revision_number + 1'];
  await tx.execute(`UPDATE ${table.table} SET ${sets.join(', ')} WHERE id = ?`, [
    ...names.map((n) => row[n]),
    Date.now(),
    id,
  ]);
}

export async function rowById<R>(tx: Pick<Tx, 'query'>, table: ResourceTable, id: string): Promise<R | undefined> {
  return (await tx.query<R>(`SELECT * FROM ${table.table} WHERE id = ?`, [id]))[0];
}

/** `(?, ?, ?)` for as many values. */
export const marks = (values: readonly unknown[]): string => `(${placeholders(values) || 'NULL'})`;
