/** A server's `status` as the API shows it: a function of (vm_state, task_state); upstream nova/api/openstack/common.py. */
import type { TaskState, VmState } from '@fractus/objects';

export const SERVER_STATUSES = [
  'ACTIVE', 'BUILD', 'DELETED', 'ERROR', 'HARD_REBOOT', 'MIGRATING', 'PASSWORD', 'PAUSED', 'REBOOT', 'REBUILD', 'RESCUE',
  'RESIZE', 'REVERT_RESIZE', 'SHELVED', 'SHELVED_OFFLOADED', 'SHUTOFF', 'SOFT_DELETED', 'SUSPENDED', 'VERIFY_RESIZE',
] as const; // prettier-ignore
export type ServerStatus = (typeof SERVER_STATUSES)[number];

type TaskMap = Partial<Record<TaskState, ServerStatus>>;

const each = (status: ServerStatus, ...tasks: TaskState[]): TaskMap =>
  Object.fromEntries(tasks.map((t) => [t, status]));
const REBUILD = each('REBUILD', 'rebuilding', 'rebuild_block_device_mapping', 'rebuild_spawning');
const RESIZE = each('RESIZE', 'resize_prep', 'resize_migrating', 'resize_migrated', 'resize_finish');
const MIGRATING = each('MIGRATING', 'migrating');

/** vm_state → the status it has by itself, and the task states that show as something else. */
const STATUS: Record<VmState, readonly [ServerStatus, TaskMap]> = {
  active: [
    'ACTIVE',
    {
      ...each('REBOOT', 'rebooting', 'reboot_pending', 'reboot_started'),
      ...each('HARD_REBOOT', 'rebooting_hard', 'reboot_pending_hard', 'reboot_started_hard'),
      ...each('PASSWORD', 'updating_password'),
      ...REBUILD,
      ...RESIZE,
      ...MIGRATING,
    },
  ],
  building: ['BUILD', {}],
  stopped: ['SHUTOFF', { ...REBUILD, ...RESIZE }],
  resized: ['VERIFY_RESIZE', each('REVERT_RESIZE', 'resize_reverting')],
  paused: ['PAUSED', MIGRATING],
  suspended: ['SUSPENDED', {}],
  rescued: ['RESCUE', {}],
  error: ['ERROR', REBUILD],
  deleted: ['DELETED', {}],
  'soft-delete': ['SOFT_DELETED', {}],
  shelved: ['SHELVED', {}],
  shelved_offloaded: ['SHELVED_OFFLOADED', {}],
};

export function statusOf(vmState: VmState, taskState: TaskState | null): ServerStatus {
  const [plain, byTask] = STATUS[vmState];
  return (taskState !== null && byTask[taskState]) || plain;
}

/** One vm_state and the task states that make up a status there: `in` lists them, `notIn` all but these (null included). */
export interface StatusFilter {
  readonly vmState: VmState;
  readonly taskStates: { readonly in: readonly TaskState[] } | { readonly notIn: readonly TaskState[] };
}

/**
 * The inverse, for list filters: exact, so that a server is listed under the status it shows (upstream lists a
 * rebooting server under ACTIVE too). Case does not matter. Null: there is no such status.
 */
export function statesOfStatus(status: string): readonly StatusFilter[] | null {
  const wanted = status.toUpperCase();
  if (!(SERVER_STATUSES as readonly string[]).includes(wanted)) return null;
  const filters: StatusFilter[] = [];
  for (const [vmState, [plain, byTask]] of Object.entries(STATUS) as [VmState, readonly [ServerStatus, TaskMap]][]) {
    const others = Object.keys(byTask) as TaskState[];
    if (plain === wanted) filters.push({ vmState, taskStates: { notIn: others } });
    const tasks = others.filter((t) => byTask[t] === wanted);
    if (tasks.length > 0) filters.push({ vmState, taskStates: { in: tasks } });
  }
  return filters;
}

const WITH_PROGRESS: ReadonlySet<ServerStatus> = new Set([
  'ACTIVE',
  'BUILD',
  'REBUILD',
  'RESIZE',
  'VERIFY_RESIZE',
  'MIGRATING',
]);
const WITH_FAULT: ReadonlySet<ServerStatus> = new Set(['ERROR', 'DELETED']);

/** Whether `progress` is shown in this status. */
export const showsProgress = (status: ServerStatus): boolean => WITH_PROGRESS.has(status);
/**
 * The `progress` to show, in per cent, where it is shown: 0 until the server is up, as with upstream's drivers. Clients
 * that wait (`openstack server create --wait -f json`) print any other figure into what they answer.
 */
export const shownProgress = (status: ServerStatus, progress: number): number => (status === 'ACTIVE' ? progress : 0);
/** Whether `fault` is shown in this status. */
export const showsFault = (status: ServerStatus): boolean => WITH_FAULT.has(status);
