import type { ServerFilters, ServerSort, ServerSortKey } from '@fractus/compute-db';
import { SERVER_SORT_COLUMNS } from '@fractus/compute-db';
import { parseSort, parseTime, type Query } from '@fractus/http';
import { forbidden, invalid, type RequestContext } from '@fractus/objects';
import { statesOfStatus, type StatusFilter } from '@fractus/server-lifecycle';

/** What a list of servers depends on beside the query's text. */
export interface ListRules {
  /** Policy for filters that are not everybody's (os_compute_api:servers:allow_all_filters). */
  allFilters: boolean;
  may(rule: string): boolean;
  detail: boolean;
  /** 2.38: an unknown status is refused instead of matching nothing. */
  refuseUnknownStatus: boolean;
  /** Filters that this version lets everybody use, beside those of 2.1. */
  openFilters: ReadonlySet<string>;
}

export interface ParsedList {
  filters: ServerFilters;
  sort: ServerSort[];
  /** True when nothing can match: an unknown status before 2.38. */
  nothing: boolean;
}

const OPEN_TO_ALL = new Set([
  'reservation_id',
  'name',
  'display_name',
  'status',
  'image',
  'image_ref',
  'flavor',
  'ip',
  'changes-since',
  'all_tenants',
]);

type Reader = (value: string, key: string) => Partial<ServerFilters>;
const text =
  (field: keyof ServerFilters): Reader =>
  (value) => ({ [field]: value });
const integer =
  (field: keyof ServerFilters): Reader =>
  (value, key) => {
    if (!/^-?\d+$/.test(value)) throw invalid(`Invalid filter field: ${key}.`, { code: `filter.${key}` });
    return { [field]: Number(value) };
  };
const instant =
  (field: keyof ServerFilters): Reader =>
  (value, key) => {
    const at = parseTime(value);
    if (Number.isNaN(at)) throw invalid(`Invalid filter field: ${key}.`, { code: `filter.${key}` });
    return { [field]: at };
  };
const flag =
  (field: keyof ServerFilters): Reader =>
  (value) => ({ [field]: isTrue(value) });
const list =
  (field: keyof ServerFilters): Reader =>
  (value) => ({ [field]: value.split(',') });

/** Filter of the query → field of the repository's filters. One line a filter. */
const READERS: Readonly<Record<string, Reader>> = {
  reservation_id: text('reservationId'),
  name: text('nameRegex'),
  display_name: text('nameRegex'),
  image: text('imageId'),
  image_ref: text('imageId'),
  flavor: text('flavorId'),
  instance_type_id: text('flavorId'),
  ip: text('ipRegex'),
  ip6: text('ip6Regex'),
  host: text('host'),
  node: text('node'),
  user_id: text('userId'),
  uuid: text('uuid'),
  vm_state: text('vmState'),
  task_state: (value) => ({ taskState: value.toLowerCase() === 'none' ? null : value }),
  power_state: integer('powerState'),
  progress: integer('progress'),
  launch_index: integer('launchIndex'),
  availability_zone: text('availabilityZone'),
  key_name: text('keyName'),
  config_drive: flag('configDrive'),
  locked: flag('locked'),
  description: text('description'),
  display_description: text('description'),
  hostname: text('hostname'),
  root_device_name: text('rootDeviceName'),
  access_ip_v4: text('accessIpV4'),
  access_ip_v6: text('accessIpV6'),
  auto_disk_config: (value) => ({ diskConfig: isTrue(value) || value.toUpperCase() === 'AUTO' ? 'AUTO' : 'MANUAL' }),
  created_at: instant('createdAt'),
  launched_at: instant('launchedAt'),
  terminated_at: instant('terminatedAt'),
  tags: list('tags'),
  'tags-any': list('tagsAny'),
  'not-tags': list('notTags'),
  'not-tags-any': list('notTagsAny'),
  'changes-since': instant('changesSince'),
  'changes-before': instant('changesBefore'),
};

/** Reads filters and sorting (upstream servers.py _get_servers; what a user may not filter by is left out silently). */
export function parseList(ctx: RequestContext, query: Query, rules: ListRules): ParsedList {
  const allowed = (key: string): boolean => rules.allFilters || OPEN_TO_ALL.has(key) || rules.openFilters.has(key);
  let filters: ServerFilters = {};
  for (const [key, values] of Object.entries(query)) {
    const read = READERS[key];
    const value = values.at(-1);
    if (read && value !== undefined && allowed(key)) filters = { ...filters, ...read(value, key) };
  }
  filters = { ...filters, ...metadataFilter(query, allowed), ...deletedFilter(query, allowed) };
  const { changesSince, changesBefore } = filters;
  if (changesSince !== undefined && changesBefore !== undefined && changesSince > changesBefore)
    throw invalid('The value of changes-since must be less than or equal to changes-before.', {
      code: 'filter.changes-since',
    });
  const statuses = readStatuses(query['status'] ?? [], rules);
  if (statuses) filters = { ...filters, statuses, ...deletedStatus(statuses, rules, filters) };
  return {
    filters: { ...filters, ...scope(ctx, query, rules) },
    sort: sorting(query),
    nothing: statuses?.length === 0,
  };
}

function readStatuses(asked: readonly string[], rules: ListRules): StatusFilter[] | null {
  if (asked.length === 0) return null;
  const known = asked.flatMap((status) => statesOfStatus(status) ?? []);
  if (known.length === 0 && rules.refuseUnknownStatus)
    throw invalid('Invalid status value', { code: 'filter.status', details: { status: asked } });
  return known;
}

/** Deleted servers are an operator's business. */
function deletedStatus(
  statuses: readonly StatusFilter[],
  rules: ListRules,
  filters: ServerFilters,
): Partial<ServerFilters> {
  if (!statuses.some((s) => s.vmState === 'deleted')) return {};
  if (!rules.allFilters) throw forbidden('Only administrators may list deleted instances', { code: 'filter.status' });
  return { deleted: statuses.every((s) => s.vmState === 'deleted') ? true : (filters.deleted ?? 'both') };
}

function deletedFilter(query: Query, allowed: (key: string) => boolean): Partial<ServerFilters> {
  const value = query['deleted']?.at(-1);
  return value !== undefined && allowed('deleted') ? { deleted: isTrue(value) } : {};
}

function metadataFilter(query: Query, allowed: (key: string) => boolean): Partial<ServerFilters> {
  const value = query['metadata']?.at(-1);
  if (value === undefined || !allowed('metadata')) return {};
  try {
    const parsed: unknown = JSON.parse(value);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return { metadata: Object.fromEntries(Object.entries(parsed).map(([k, v]) => [k, String(v)])) };
  } catch {
    // told below
  }
  throw invalid('Invalid filter field: metadata. Give a JSON object of strings.', { code: 'filter.metadata' });
}

/** Whose servers: the project's own, or everybody's for those whom policy lets ask for all. */
function scope(ctx: RequestContext, query: Query, rules: ListRules): Partial<ServerFilters> {
  const named = query['project_id']?.at(-1) ?? query['tenant_id']?.at(-1);
  const all = query['all_tenants']?.at(-1);
  const wantsAll = all === undefined ? named !== undefined && rules.allFilters : allTenants(all);
  if (!wantsAll) return { projectId: ctx.projectId ?? '' };
  const rule = `os_compute_api:servers:${rules.detail ? 'detail' : 'index'}:get_all_tenants`;
  if (!rules.may(rule)) throw forbidden(`Policy doesn't allow ${rule} to be performed.`, { code: 'policy' });
  return named === undefined ? {} : { projectId: named };
}

function allTenants(value: string): boolean {
  if (value === '') return true;
  const lower = value.trim().toLowerCase();
  if (TRUE.has(lower)) return true;
  if (FALSE.has(lower)) return false;
  throw invalid(`Unrecognized value '${value.slice(0, 64)}' for all_tenants`, { code: 'filter.all_tenants' });
}

const TRUE = new Set(['1', 't', 'true', 'on', 'y', 'yes']);
const FALSE = new Set(['0', 'f', 'false', 'off', 'n', 'no']);
const isTrue = (value: string): boolean => TRUE.has(value.trim().toLowerCase());

function sorting(query: Query): ServerSort[] {
  const allowed = Object.keys(SERVER_SORT_COLUMNS) as ServerSortKey[];
  return parseSort(query, { allowed, ignored: IGNORED_SORT, defaults: [{ key: 'created_at', dir: 'desc' }] });
}

/** Sort keys that upstream takes and that order by something no client can see. */
const IGNORED_SORT = ['architecture', 'cell_name', 'cleaned', 'default_ephemeral_device', 'default_swap_device', 'deleted', 'deleted_at', 'disable_terminate', 'ephemeral_gb', 'ephemeral_key_uuid', 'id', 'internal_id', 'kernel_id', 'key_data', 'launched_on', 'memory_mb', 'os_type', 'ramdisk_id', 'reservation_id', 'root_gb', 'shutdown_terminate', 'user_data', 'vcpus', 'vm_mode']; // prettier-ignore
