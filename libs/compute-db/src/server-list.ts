/**
 * Lists of servers. What SQL can decide on both dialects it decides; regular expressions over names and addresses are
 * matched here (RE2: linear time) while pages are read along the index, so memory stays at a page.
 *
 * Paging is by (sort keys, id) of the marker: a page starts where the former ended, whatever was inserted meanwhile.
 */
import { balanced, type Database, type SqlValue } from '@fractus/database';
import { invalid } from '@fractus/objects';
import type { StatusFilter } from '@fractus/server-lifecycle';
import { RE2JS } from 're2js';
import type { ServerRow } from './rows';
import { type Server, serverOf, sharedServerOf } from './server';
import { nullSafe, within } from './sql';

/** Sort key as clients write it → column. Nullable columns sort their nulls first. */
export const SERVER_SORT_COLUMNS = {
  access_ip_v4: 'access_ip_v4',
  access_ip_v6: 'access_ip_v6',
  auto_disk_config: 'disk_config',
  availability_zone: 'availability_zone',
  config_drive: 'config_drive',
  created_at: 'created_at',
  display_description: 'description',
  display_name: 'name',
  host: 'host',
  hostname: 'hostname',
  image_ref: 'image_ref',
  instance_type_id: 'flavor_id',
  key_name: 'key_name',
  launch_index: 'launch_index',
  launched_at: 'launched_at',
  locked: 'locked_by',
  locked_by: 'locked_by',
  node: 'node',
  power_state: 'power_state',
  progress: 'progress',
  project_id: 'project_id',
  root_device_name: 'root_device_name',
  task_state: 'task_state',
  terminated_at: 'terminated_at',
  updated_at: 'updated_at',
  user_id: 'user_id',
  uuid: 'uuid',
  vm_state: 'vm_state',
} as const;
export type ServerSortKey = keyof typeof SERVER_SORT_COLUMNS;
export interface ServerSort {
  readonly key: ServerSortKey;
  readonly dir: 'asc' | 'desc';
}

type OneOrMore<T> = T | readonly T[];

export interface ServerFilters {
  readonly projectId?: OneOrMore<string>;
  readonly userId?: OneOrMore<string>;
  readonly uuid?: OneOrMore<string>;
  readonly host?: OneOrMore<string>;
  readonly node?: OneOrMore<string>;
  readonly flavorId?: OneOrMore<string>;
  readonly imageId?: OneOrMore<string>;
  readonly keyName?: OneOrMore<string>;
  readonly availabilityZone?: OneOrMore<string>;
  readonly reservationId?: OneOrMore<string>;
  readonly vmState?: OneOrMore<string>;
  readonly taskState?: OneOrMore<string | null>;
  readonly powerState?: OneOrMore<number>;
  readonly progress?: OneOrMore<number>;
  readonly launchIndex?: OneOrMore<number>;
  readonly diskConfig?: OneOrMore<string>;
  readonly configDrive?: boolean;
  readonly locked?: boolean;
  readonly description?: string;
  readonly hostname?: string;
  readonly rootDeviceName?: OneOrMore<string>;
  readonly accessIpV4?: string;
  readonly accessIpV6?: string;
  readonly terminatedAt?: number;
  readonly launchedAt?: number;
  readonly createdAt?: number;
  /** From `statesOfStatus`; several statuses are concatenated. */
  readonly statuses?: readonly StatusFilter[];
  /** Regular expressions, found anywhere, case ignored (as upstream's database does). */
  readonly nameRegex?: string;
  readonly ipRegex?: string;
  readonly ip6Regex?: string;
  /** All of, any of, not all of, none of. */
  readonly tags?: readonly string[];
  readonly tagsAny?: readonly string[];
  readonly notTags?: readonly string[];
  readonly notTagsAny?: readonly string[];
  /** updated_at bounds, inclusive, epoch ms. With either, deleted servers are listed too unless `deleted` says. */
  readonly changesSince?: number;
  readonly changesBefore?: number;
  /** Default false: only live servers. */
  readonly deleted?: boolean | 'both';
}

export interface ServerQuery {
  readonly filters?: ServerFilters;
  /** Default: newest first. */
  readonly sort?: readonly ServerSort[];
  /** Uuid of the last server of the former page; it may be deleted by now. `invalid` when unknown. */
  readonly marker?: string;
  readonly limit: number;
}

const EQUALITY: Partial<Record<keyof ServerFilters, string>> = {
  projectId: 'project_id',
  userId: 'user_id',
  uuid: 'uuid',
  host: 'host',
  node: 'node',
  flavorId: 'flavor_id',
  imageId: 'image_ref',
  keyName: 'key_name',
  availabilityZone: 'availability_zone',
  reservationId: 'reservation_id',
  vmState: 'vm_state',
  taskState: 'task_state',
  powerState: 'power_state',
  progress: 'progress',
  launchIndex: 'launch_index',
  diskConfig: 'disk_config',
  description: 'description',
  hostname: 'hostname',
  rootDeviceName: 'root_device_name',
  accessIpV4: 'access_ip_v4',
  accessIpV6: 'access_ip_v6',
  terminatedAt: 'terminated_at',
  launchedAt: 'launched_at',
  createdAt: 'created_at',
};

const NEWEST_FIRST: readonly ServerSort[] = [{ key: 'created_at', dir: 'desc' }];
const NULLABLE: ReadonlySet<string> = new Set(['access_ip_v4', 'access_ip_v6', 'availability_zone', 'description', 'host', 'key_name', 'launched_at', 'locked_by', 'node', 'root_device_name', 'task_state', 'terminated_at', 'updated_at']); // prettier-ignore
const NUMERIC: ReadonlySet<string> = new Set(['launched_at', 'terminated_at', 'updated_at']);

type Clause = [sql: string, params: SqlValue[]];
type RowTest = (row: ServerRow) => boolean;

export async function listServers(db: Database, query: ServerQuery): Promise<Server[]> {
  if (query.limit <= 0) return [];
  const filters = query.filters ?? {};
  const sort = query.sort?.length ? query.sort : NEWEST_FIRST;
  const where = clauses(filters);
  const tests = rowTests(filters);
  const order = orderBy(sort);
  let after = query.marker === undefined ? null : await markerRow(db, query.marker, filters);
  const found: ServerRow[] = [];
  while (found.length < query.limit) {
    const page = after ? [...where, startAfter(sort, after)] : where;
    const batch = tests.length === 0 ? query.limit : Math.max(query.limit, 200);
    const sql = `SELECT * FROM servers WHERE ${balanced(
      page.map(([s]) => s),
      'AND',
    )} ORDER BY ${order} LIMIT ?`;
    const rows = await db.query<ServerRow>(sql, [...page.flatMap(([, p]) => p), batch]);
    found.push(...rows.filter((row) => tests.every((test) => test(row))).slice(0, query.limit - found.length));
    after = rows.at(-1) ?? null;
    if (rows.length < batch) break;
  }
  return found.map(sharedServerOf);
}

async function markerRow(db: Database, marker: string, { projectId }: ServerFilters): Promise<ServerRow> {
  const scope: Clause = typeof projectId === 'string' ? [' AND project_id = ?', [projectId]] : ['', []];
  const [row] = await db.query<ServerRow>(`SELECT * FROM servers WHERE uuid = ?${scope[0]}`, [marker, ...scope[1]]);
  if (!row) throw invalid(`marker [${marker}] not found`, { code: 'paging.marker' });
  return row;
}

function clauses(filters: ServerFilters): Clause[] {
  const out: Clause[] = [liveness(filters)];
  for (const [key, column] of Object.entries(EQUALITY)) {
    const value = filters[key as keyof ServerFilters] as OneOrMore<string | number | null> | undefined;
    if (value !== undefined) out.push(equality(column, value));
  }
  if (filters.configDrive !== undefined) out.push(['config_drive = ?', [filters.configDrive ? 1 : 0]]);
  if (filters.locked !== undefined) out.push([`locked_by IS ${filters.locked ? 'NOT ' : ''}NULL`, []]);
  if (filters.changesSince !== undefined) out.push(['updated_at >= ?', [filters.changesSince]]);
  if (filters.changesBefore !== undefined) out.push(['updated_at <= ?', [filters.changesBefore]]);
  if (filters.statuses) out.push(anyOf(filters.statuses.map(statusClause)));
  if (filters.tags) out.push(...filters.tags.map(hasTag));
  if (filters.tagsAny) out.push(anyOf(filters.tagsAny.map(hasTag)));
  if (filters.notTags) out.push(not(allOf(filters.notTags.map(hasTag))));
  if (filters.notTagsAny) out.push(...filters.notTagsAny.map((tag) => not(hasTag(tag))));
  return out;
}

function liveness({ deleted, changesSince, changesBefore }: ServerFilters): Clause {
  const bounded = changesSince !== undefined || changesBefore !== undefined;
  if (deleted === 'both' || (deleted === undefined && bounded)) return ['deleted >= 0', []];
  return [deleted ? 'deleted <> 0' : 'deleted = 0', []];
}

function equality(column: string, value: OneOrMore<string | number | null>): Clause {
  if (!Array.isArray(value)) return nullSafe(column, value as string | number | null);
  const list = value as readonly (string | number | null)[];
  const named = within(column, list.filter((v) => v !== null)); // prettier-ignore
  return list.includes(null) ? anyOf([named, [`${column} IS NULL`, []]]) : named;
}

function statusClause({ vmState, taskStates }: StatusFilter): Clause {
  if ('in' in taskStates) {
    const [sql, params] = within('task_state', taskStates.in);
    return [`(vm_state = ? AND ${sql})`, [vmState, ...params]];
  }
  if (taskStates.notIn.length === 0) return ['vm_state = ?', [vmState]];
  const [sql, params] = within('task_state', taskStates.notIn);
  return [`(vm_state = ? AND (task_state IS NULL OR NOT ${sql}))`, [vmState, ...params]];
}

/** Tags are a JSON list of strings, so a tag is found with its quotes. */
const hasTag = (tag: string): Clause => ['INSTR(tags, ?) > 0', [JSON.stringify(tag)]];
const anyOf = (list: Clause[]): Clause => joined(list, 'OR', '1 = 0');
const allOf = (list: Clause[]): Clause => joined(list, 'AND', '1 = 1');
const not = ([sql, params]: Clause): Clause => [`NOT (${sql})`, params];
const joined = (list: Clause[], word: 'AND' | 'OR', empty: string): Clause => [list.length ? `(${balanced(list.map(([s]) => s), word)})` : empty, list.flatMap(([, p]) => p)]; // prettier-ignore

function rowTests(filters: ServerFilters): RowTest[] {
  const tests: RowTest[] = [];
  const { nameRegex, ipRegex, ip6Regex } = filters;
  if (nameRegex !== undefined) {
    const name = pattern('name', nameRegex);
    tests.push((row) => name.matcher(row.name).find());
  }
  if (ipRegex !== undefined) tests.push(addressTest(pattern('ip', ipRegex), 4));
  if (ip6Regex !== undefined) tests.push(addressTest(pattern('ip6', ip6Regex), 6));
  return tests;
}

function pattern(field: string, text: string): RE2JS {
  try {
    return RE2JS.compile(text, RE2JS.CASE_INSENSITIVE);
  } catch {
    throw invalid(`${field}: not a regular expression`, { code: 'filter.regex' });
  }
}

function addressTest(regex: RE2JS, version: 4 | 6): RowTest {
  return (row) =>
    serverOf(row)
      .nics.flatMap((nic) => nic.fixedIps.map((ip) => ip.ipAddress))
      .some((ip) => ip.includes(':') === (version === 6) && regex.matcher(ip).find());
}

/** Nulls compare as the smallest value, alike on both dialects. */
function expression(column: string): string {
  if (!NULLABLE.has(column)) return column;
  return `COALESCE(${column}, ${NUMERIC.has(column) ? '0' : "''"})`;
}

function orderBy(sort: readonly ServerSort[]): string {
  const keys = sort.map(({ key, dir }) => `${expression(SERVER_SORT_COLUMNS[key])} ${dir.toUpperCase()}`);
  return [...keys, `id ${(sort.at(-1)?.dir ?? 'desc').toUpperCase()}`].join(', ');
}

/** Rows strictly after `row` in the order: (a > x) OR (a = x AND b > y) OR …, ending with the id. */
function startAfter(sort: readonly ServerSort[], row: ServerRow): Clause {
  const keys = sort.map(({ key, dir }) => {
    const column = SERVER_SORT_COLUMNS[key];
    const value = row[column as keyof ServerRow] ?? (NUMERIC.has(column) ? 0 : '');
    return { sql: expression(column), value, op: dir === 'asc' ? '>' : '<' };
  });
  keys.push({ sql: 'id', value: row.id, op: (sort.at(-1)?.dir ?? 'desc') === 'asc' ? '>' : '<' });
  return anyOf(
    keys.map((last, i) => {
      const equal = keys.slice(0, i).map((k): Clause => [`${k.sql} = ?`, [k.value]]);
      return allOf([...equal, [`${last.sql} ${last.op} ?`, [last.value]]]);
    }),
  );
}
