/** The filters, order and pages of image lists, as conditions over the table `images t`. */
import type { SqlValue } from '@fractus/database';
import { parseTime, type Query } from '@fractus/http';
import type { RequestContext } from '@fractus/objects';
import { sortKey, type Condition, type SortKey } from '../resource-table/resource-table';
import { isAdmin } from './image-access';
import { badImage } from './image-errors';
import { VISIBILITIES } from './image.dto';
import { IMAGES } from './image.rows';

const RESERVED = new Set(
  'limit marker sort sort_key sort_dir member_status tag visibility size_min size_max fields'.split(' '),
);
const EQUAL = new Set(
  'id name status owner container_format disk_format checksum os_hash_value os_hash_algo'.split(' '),
);
const NUMBERS = new Set(['min_disk', 'min_ram', 'size', 'virtual_size']);
const FLAGS = new Set(['protected', 'os_hidden']);
const TIMES = new Set(['created_at', 'updated_at']);
const COMPARE: Readonly<Record<string, string>> = { eq: '=', neq: '<>', gt: '>', gte: '>=', lt: '<', lte: '<=' };

/** Every condition of a list: what the caller may see, and what was asked for. @throws invalid naming the filter */
export function conditionsOf(ctx: RequestContext, query: Query): Condition[] {
  const first = (name: string): string | undefined => query[name]?.[0];
  const conditions = [visibleTo(ctx, first('visibility'), first('member_status') ?? 'accepted')];
  if (query['os_hidden'] === undefined) conditions.push({ sql: 't.os_hidden = 0', params: [] });
  for (const tag of query['tag'] ?? []) {
    conditions.push({
      sql: 'EXISTS (SELECT 1 FROM image_tags g WHERE g.image_id = t.id AND g.tag = ?)',
      params: [tag],
    });
  }
  for (const [name, op] of [
    ['size_min', '>='],
    ['size_max', '<='],
  ] as const) {
    if (first(name) !== undefined)
      conditions.push({ sql: `t.size ${op} ?`, params: [integer(name, first(name) ?? '')] });
  }
  for (const [name, values] of Object.entries(query)) {
    if (!RESERVED.has(name)) conditions.push(...[...new Set(values)].map((value) => filter(name, value)));
  }
  return conditions;
}

function filter(name: string, value: string): Condition {
  if (EQUAL.has(name)) {
    if (value.startsWith('in:')) return anyOf(name, value.slice(3));
    const bare = value.startsWith('eq:') ? value.slice(3) : value;
    return { sql: `t.${name} = ?`, params: [bare] };
  }
  if (NUMBERS.has(name)) return { sql: `t.${name} = ?`, params: [integer(name, value)] };
  if (FLAGS.has(name)) return { sql: `t.${name} = ?`, params: [flag(name, value)] };
  if (TIMES.has(name)) return time(name, value);
  return {
    sql: 'EXISTS (SELECT 1 FROM image_properties p WHERE p.image_id = t.id AND p.name = ? AND p.value = ?)',
    params: [name, value],
  };
}

function anyOf(name: string, list: string): Condition {
  const values = list.split(',').map((v) => v.trim().replace(/^"(.*)"$/, '$1'));
  return { sql: `t.${name} IN (${values.map(() => '?').join(', ')})`, params: values };
}

function time(name: string, value: string): Condition {
  const [, op = 'eq', text = ''] = /^(?:(eq|neq|gt|gte|lt|lte):)?(.*)$/s.exec(value) ?? [];
  const at = parseTime(text);
  if (Number.isNaN(at)) throw badImage(`Invalid ${name} value '${text}': an ISO 8601 time is needed.`);
  // the wire shows whole seconds: compare those
  return { sql: `t.${name} - t.${name} % 1000 ${COMPARE[op]} ?`, params: [at] };
}

function integer(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw badImage(`Filter ${name} needs a non-negative integer, not '${text}'.`);
  return Number(text);
}

function flag(name: string, text: string): number {
  if (/^true$/i.test(text)) return 1;
  if (/^false$/i.test(text)) return 0;
  throw badImage(`Filter ${name} needs true or false, not '${text}'.`);
}

const SHARED_WITH =
  "(t.visibility = 'shared' AND EXISTS (SELECT 1 FROM image_members m WHERE m.image_id = t.id AND m.member_id = ?";

function visibleTo(ctx: RequestContext, asked: string | undefined, memberStatus: string): Condition {
  if (asked !== undefined && asked !== 'all' && !VISIBILITIES.some((v) => v === asked)) {
    throw badImage(`Invalid visibility value: '${asked}'. It is one of ${VISIBILITIES.join(', ')}, all.`);
  }
  if (!['pending', 'accepted', 'rejected', 'all'].includes(memberStatus)) {
    throw badImage(`Invalid member_status '${memberStatus}'. It is one of pending, accepted, rejected, all.`);
  }
  const project = ctx.projectId ?? '';
  const member =
    memberStatus === 'all'
      ? { sql: `${SHARED_WITH}))`, params: [project] }
      : { sql: `${SHARED_WITH} AND m.status = ?))`, params: [project, memberStatus] };
  // community images are for those who ask for them
  const community = asked === 'community' || asked === 'all';
  const own = {
    sql: "(t.owner = ? OR t.visibility = 'public'" + (community ? " OR t.visibility = 'community'" : ''),
    params: [project] as SqlValue[],
  };
  const seen = isAdmin(ctx)
    ? { sql: community ? '1 = 1' : "(t.visibility <> 'community' OR t.owner = ?)", params: community ? [] : [project] }
    : { sql: `${own.sql} OR ${member.sql})`, params: [...own.params, ...member.params] };
  if (asked === undefined || asked === 'all') return seen;
  return { sql: `(${seen.sql} AND t.visibility = ?)`, params: [...seen.params, asked] };
}

/** `sort=name:asc,size` or repeated sort_key and sort_dir; newest first where nothing is asked for. */
export function sortOf(query: Query): SortKey[] {
  const asked = query['sort']?.[0];
  if (asked !== undefined) {
    if (query['sort_key'] || query['sort_dir']) throw badImage('Old and new sorting syntax cannot be combined.');
    return asked.split(',').map((part) => {
      const [name = '', direction = 'desc'] = part.trim().split(':');
      return sortKey(IMAGES, name, direction);
    });
  }
  const keys = query['sort_key'] ?? [];
  const dirs = query['sort_dir'] ?? [];
  if (keys.length === 0) return [sortKey(IMAGES, 'created_at', dirs[0] ?? 'desc')];
  if (dirs.length > 1 && dirs.length !== keys.length)
    throw badImage('Number of sort dirs does not match the number of sort keys.');
  return keys.map((key, i) => sortKey(IMAGES, key, dirs[i] ?? dirs[0] ?? 'desc'));
}
