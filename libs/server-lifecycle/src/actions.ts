/**
 * THE table of what can be done to a server (D4). Action handlers, the capabilities endpoint, the conductor's tasks and
 * docs/lifecycle.md all derive from it; facts are upstream's (nova/compute/api.py, decorators of each method).
 *
 * Who writes what: the API's handler swaps (vm_state, task_state) from what it evaluated to `begin` and creates the
 * task in one transaction; from then on only the task's lease holder writes: `done` when it succeeds, `failed` when it
 * does not. `same` keeps the vm_state as it is at that moment. A row without a task is done within the API's transaction.
 */
import type { TaskState, VmState } from '@fractus/objects';
import type { GuardKey } from './guards';

export const TASK_TYPES = [
  'build-server',
  'delete-server',
  'start-server',
  'stop-server',
  'soft-reboot-server',
  'hard-reboot-server',
  'pause-server',
  'unpause-server',
  'suspend-server',
  'resume-server',
] as const;
export type TaskType = (typeof TASK_TYPES)[number];

export interface StatePair {
  readonly vmState: VmState;
  readonly taskState: TaskState | null;
}
export interface Change {
  readonly vmState: VmState | 'same';
  readonly taskState: TaskState | null | 'same';
}

export interface ActionRow {
  /** The word in upstream's sentence "Cannot '<verb>' instance …". */
  readonly verb: string;
  /** Key of the action's body (`os-start`), or the method and path. */
  readonly api: string;
  /** Name of the instance action record. */
  readonly record: string;
  readonly policy: string;
  readonly vmStates: readonly VmState[] | 'any';
  readonly taskStates: readonly (TaskState | null)[] | 'any';
  /** In this order; `vmState` and `taskState` check the two columns above. */
  readonly guards: readonly GuardKey[];
  /** In these task states the request is accepted and changes nothing: it is already being done. */
  readonly alreadyIn?: readonly TaskState[];
  readonly begin: Change;
  readonly task: TaskType | null;
  readonly done: Change;
  readonly failed: Change;
  /** What the action does to the project's usage, and when. */
  readonly quota: 'none' | 'add' | 'remove';
  /** Seconds without a sign of life from the agent after which the guest operation is given up. */
  readonly silenceSeconds: number;
}

const IDLE: readonly null[] = [null];
const KEEP: Change = { vmState: 'same', taskState: 'same' };
const REVERT: Change = { vmState: 'same', taskState: null };
const to = (vmState: VmState): Change => ({ vmState, taskState: null });
const doing = (taskState: TaskState): Change => ({ vmState: 'same', taskState });

/** While one of these is under way a hard reboot may still cut in (upstream ALLOW_REBOOT). */
const HARD_REBOOT_CUTS_IN: readonly (TaskState | null)[] = [
  null,
  'rebooting',
  'reboot_pending',
  'reboot_started',
  'rebooting_hard',
  'reboot_pending_hard',
  'reboot_started_hard',
  'resuming',
  'unpausing',
  'pausing',
  'suspending',
];

export const ACTIONS = {
  create: {
    verb: 'create',
    api: 'POST /servers',
    record: 'create',
    policy: 'os_compute_api:servers:create',
    vmStates: 'any',
    taskStates: 'any',
    guards: ['policy', 'quota'],
    begin: { vmState: 'building', taskState: 'scheduling' },
    task: 'build-server',
    done: to('active'),
    failed: to('error'),
    quota: 'add',
    silenceSeconds: 300,
  },
  delete: {
    verb: 'delete',
    api: 'DELETE /servers/{id}',
    record: 'delete',
    policy: 'os_compute_api:servers:delete',
    vmStates: 'any',
    taskStates: 'any',
    guards: ['policy', 'lock'],
    alreadyIn: ['deleting'],
    begin: doing('deleting'),
    task: 'delete-server',
    done: to('deleted'),
    failed: to('error'),
    quota: 'remove',
    silenceSeconds: 120,
  },
  start: {
    verb: 'start',
    api: 'os-start',
    record: 'start',
    policy: 'os_compute_api:servers:start',
    vmStates: ['stopped'],
    taskStates: IDLE,
    guards: ['policy', 'lock', 'hasHost', 'vmState', 'taskState', 'launched'],
    begin: doing('powering-on'),
    task: 'start-server',
    done: to('active'),
    failed: REVERT,
    quota: 'none',
    silenceSeconds: 120,
  },
  stop: {
    verb: 'stop',
    api: 'os-stop',
    record: 'stop',
    policy: 'os_compute_api:servers:stop',
    vmStates: ['active', 'error'],
    taskStates: IDLE,
    guards: ['policy', 'lock', 'hasHost', 'vmState', 'taskState', 'launched'],
    begin: doing('powering-off'),
    task: 'stop-server',
    done: to('stopped'),
    failed: REVERT,
    quota: 'none',
    silenceSeconds: 120,
  },
  'reboot-soft': {
    verb: 'reboot',
    api: 'reboot (SOFT)',
    record: 'reboot',
    policy: 'os_compute_api:servers:reboot',
    vmStates: ['active'],
    taskStates: IDLE,
    guards: ['policy', 'lock', 'vmState', 'taskState', 'launched'],
    begin: doing('rebooting'),
    task: 'soft-reboot-server',
    done: to('active'),
    failed: REVERT,
    quota: 'none',
    silenceSeconds: 120,
  },
  'reboot-hard': {
    verb: 'reboot',
    api: 'reboot (HARD)',
    record: 'reboot',
    policy: 'os_compute_api:servers:reboot',
    vmStates: ['active', 'stopped', 'paused', 'suspended', 'error'],
    taskStates: HARD_REBOOT_CUTS_IN,
    guards: ['policy', 'lock', 'vmState', 'taskState', 'launched'],
    begin: doing('rebooting_hard'),
    task: 'hard-reboot-server',
    done: to('active'),
    failed: to('error'),
    quota: 'none',
    silenceSeconds: 120,
  },
  pause: {
    verb: 'pause',
    api: 'pause',
    record: 'pause',
    policy: 'os_compute_api:os-pause-server:pause',
    vmStates: ['active'],
    taskStates: IDLE,
    guards: ['policy', 'lock', 'vmState', 'taskState', 'launched', 'driverPause'],
    begin: doing('pausing'),
    task: 'pause-server',
    done: to('paused'),
    failed: REVERT,
    quota: 'none',
    silenceSeconds: 60,
  },
  unpause: {
    verb: 'unpause',
    api: 'unpause',
    record: 'unpause',
    policy: 'os_compute_api:os-pause-server:unpause',
    vmStates: ['paused'],
    taskStates: IDLE,
    guards: ['policy', 'lock', 'vmState', 'taskState', 'launched'],
    begin: doing('unpausing'),
    task: 'unpause-server',
    done: to('active'),
    failed: REVERT,
    quota: 'none',
    silenceSeconds: 60,
  },
  suspend: {
    verb: 'suspend',
    api: 'suspend',
    record: 'suspend',
    policy: 'os_compute_api:os-suspend-server:suspend',
    vmStates: ['active'],
    taskStates: IDLE,
    guards: [
      'policy',
      'noShares',
      'noAccelerators',
      'noSev',
      'lock',
      'vmState',
      'taskState',
      'launched',
      'driverSuspend',
    ],
    begin: doing('suspending'),
    task: 'suspend-server',
    done: to('suspended'),
    failed: REVERT,
    quota: 'none',
    silenceSeconds: 300,
  },
  resume: {
    verb: 'resume',
    api: 'resume',
    record: 'resume',
    policy: 'os_compute_api:os-suspend-server:resume',
    vmStates: ['suspended'],
    taskStates: IDLE,
    guards: ['policy', 'lock', 'vmState', 'taskState', 'launched'],
    begin: doing('resuming'),
    task: 'resume-server',
    done: to('active'),
    failed: REVERT,
    quota: 'none',
    silenceSeconds: 300,
  },
  lock: {
    verb: 'lock',
    api: 'lock',
    record: 'lock',
    policy: 'os_compute_api:os-lock-server:lock',
    vmStates: 'any',
    taskStates: 'any',
    guards: ['policy'],
    begin: KEEP,
    task: null,
    done: KEEP,
    failed: KEEP,
    quota: 'none',
    silenceSeconds: 0,
  },
  unlock: {
    verb: 'unlock',
    api: 'unlock',
    record: 'unlock',
    policy: 'os_compute_api:os-lock-server:unlock',
    vmStates: 'any',
    taskStates: 'any',
    guards: ['policy', 'lockOwner'],
    begin: KEEP,
    task: null,
    done: KEEP,
    failed: KEEP,
    quota: 'none',
    silenceSeconds: 0,
  },
} as const satisfies Record<string, ActionRow>;

export type ActionKey = keyof typeof ACTIONS;
export const ACTION_KEYS = Object.keys(ACTIONS) as ActionKey[];

export const actionRow = (action: ActionKey): ActionRow => ACTIONS[action];

/** The action whose task this is. */
export function actionOfTask(type: string): ActionKey | null {
  return ACTION_KEYS.find((key) => ACTIONS[key].task === type) ?? null;
}

/** The states after a change, seen from where the server is. */
export function applyChange(change: Change, from: StatePair): StatePair {
  return {
    vmState: change.vmState === 'same' ? from.vmState : change.vmState,
    taskState: change.taskState === 'same' ? from.taskState : change.taskState,
  };
}
