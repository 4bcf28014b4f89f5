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
  'status',
  'image',
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
  locked: (value) => ({ locked: strictly(value, 'locked') }),
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
    const read = Object.hasOwn(READERS, key) ? READERS[key] : undefined;
    const value = values.at(-1);
    if (read && value !== undefined && allowed(key)) filters = { ...filters, ...read(value, key) };
  }
  if (rules.allFilters) refuseJoined(query);
  filters = { ...filters, ...deletedFilter(query, allowed) };
  const { changesSince, changesBefore } = filters;
  if (changesSince !== undefined && changesBefore !== undefined && changesSince > changesBefore)
    throw invalid('The value of changes-since must be less than or equal to changes-before.', {
      code: 'filter.changes-since',
    });
  const statuses = readStatuses(query['status'] ?? [], rules);
  if (statuses) filters = { ...filters, statuses, ...deletedStatus(ctx, statuses) };
  return {
    filters: { ...filters, ...scope(ctx, query, rules) },
    sort: sorting(ctx, query),
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

/** Who asks for deleted servers and nothing else must be an administrator. Among others, DELETED adds nothing. */
function deletedStatus(ctx: RequestContext, statuses: readonly StatusFilter[]): Partial<ServerFilters> {
  if (statuses.length === 0 || !statuses.every((s) => s.vmState === 'deleted')) return {};
  if (!ctx.roles.includes('admin'))
    throw forbidden('Only administrators may list deleted instances', { code: 'filter.status' });
  return { deleted: true };
}

function deletedFilter(query: Query, allowed: (key: string) => boolean): Partial<ServerFilters> {
  const value = query['deleted']?.at(-1);
  return value !== undefined && allowed('deleted') ? { deleted: isTrue(value) } : {};
}

/** Known as parameters, and as filters of nothing (upstream JOINED_TABLE_QUERY_PARAMS_SERVERS). */
const JOINED = ['block_device_mapping', 'services', 'metadata', 'system_metadata', 'info_cache', 'security_groups', 'pci_devices']; // prettier-ignore

function refuseJoined(query: Query): void {
  const found = Object.keys(query).find((key) => JOINED.includes(key) || key.startsWith('_'));
  if (found !== undefined) throw invalid(`Invalid filter field: ${found.slice(0, 100)}.`, { code: 'filter.unknown' });
}

/**
 * Whose servers: the project's own, or everybody's for those whom policy lets ask for all. A project is named only
 * together with `all_tenants`; by itself it is passed over (upstream bug 1185290).
 */
function scope(ctx: RequestContext, query: Query, rules: ListRules): Partial<ServerFilters> {
  const named = query['project_id']?.at(-1) ?? query['tenant_id']?.at(-1);
  const all = query['all_tenants']?.at(-1);
  if (all === undefined || (all !== '' && !strictly(all, 'all_tenants'))) return { projectId: ctx.projectId ?? '' };
  const rule = `os_compute_api:servers:${rules.detail ? 'detail' : 'index'}:get_all_tenants`;
  if (!rules.may(rule)) throw forbidden(`Policy doesn't allow ${rule} to be performed.`, { code: 'policy' });
  return named === undefined ? {} : { projectId: named };
}

function strictly(value: string, name: string): boolean {
  const lower = value.trim().toLowerCase();
  if (TRUE.has(lower)) return true;
  if (FALSE.has(lower)) return false;
  throw invalid(`Unrecognized value '${value.slice(0, 64)}' for ${name}`, { code: `filter.${name}` });
}

const TRUE = new Set(['1', 't', 'true', 'on', 'y', 'yes']);
const FALSE = new Set(['0', 'f', 'false', 'off', 'n', 'no']);
const isTrue = (value: string): boolean => TRUE.has(value.trim().toLowerCase());

function sorting(ctx: RequestContext, query: Query): ServerSort[] {
  const allowed = Object.keys(SERVER_SORT_COLUMNS) as ServerSortKey[];
  const sort = parseSort(query, { allowed, ignored: IGNORED_SORT, defaults: [{ key: 'created_at', dir: 'desc' }] });
  const secret = sort.find(({ key }) => key === 'host' || key === 'node');
  if (secret && !ctx.roles.includes('admin'))
    throw forbidden(`Only administrators can sort servers by ${secret.key}`, { code: 'query.sort_key' });
  return sort;
}

/** Sort keys that upstream takes and that order by something no client can see. */
const IGNORED_SORT = ['architecture', 'cell_name', 'cleaned', 'default_ephemeral_device', 'default_swap_device', 'deleted', 'deleted_at', 'disable_terminate', 'ephemeral_gb', 'ephemeral_key_uuid', 'id', 'internal_id', 'kernel_id', 'key_data', 'launched_on', 'memory_mb', 'os_type', 'ramdisk_id', 'reservation_id', 'root_gb', 'shutdown_terminate', 'user_data', 'vcpus', 'vm_mode']; // prettier-ignore
