/** Checks of the table itself, at import: a mistake in it stops every process that would act on it. */
import { VM_STATES, type VmState } from '@fractus/objects';
import { ACTION_KEYS, actionRow, type Change, TASK_TYPES } from './actions';
import { clientName } from './evaluate-all';
import { GUARDS } from './guards';
import { GUEST_EVENTS, PROGRESS } from './transitions';
import { UNBUILT_ACTIONS } from './unbuilt';

/** States that actions to come lead to: nothing leads there yet, and no row may wait for them. */
export const UNREACHED_VM_STATES: readonly VmState[] = [
  'rescued',
  'resized',
  'soft-delete',
  'shelved',
  'shelved_offloaded',
];

/** Every vm_state that some row leads to. */
export function reachedVmStates(): ReadonlySet<VmState> {
  const changes: Change[] = ACTION_KEYS.flatMap((key) => [
    actionRow(key).begin,
    actionRow(key).done,
    actionRow(key).failed,
  ]);
  const reached = new Set(changes.flatMap((c) => (c.vmState === 'same' ? [] : [c.vmState])));
  for (const { effect } of GUEST_EVENTS) if (effect.kind === 'become') reached.add(effect.vmState);
  return reached;
}

/** What is wrong with the table; empty when it is sound. */
export function tableFaults(): string[] {
  const faults: string[] = [];
  const reached = reachedVmStates();
  for (const state of VM_STATES) {
    const listed = UNREACHED_VM_STATES.includes(state);
    if (!reached.has(state) && !listed) faults.push(`nothing leads to vm_state ${state}`);
    if (reached.has(state) && listed)
      faults.push(`vm_state ${state} is reached: take it off the list of those that are not`);
  }
  const waitsFor = (what: string, state: VmState): void => {
    if (!reached.has(state)) faults.push(`${what} waits for vm_state ${state}, which nothing leads to`);
  };
  for (const key of ACTION_KEYS) {
    const { vmStates } = actionRow(key);
    if (vmStates !== 'any') vmStates.forEach((state) => waitsFor(`action ${key}`, state));
    faults.push(...rowFaults(key));
  }
  for (const row of PROGRESS) waitsFor(`progress ${row.phase}`, row.vmState);
  for (const row of GUEST_EVENTS) waitsFor('a guest event', row.vmState);
  for (const type of TASK_TYPES) {
    const leading = ACTION_KEYS.filter((key) => actionRow(key).task === type);
    if (leading.length !== 1) faults.push(`${leading.length} actions lead to task ${type}`);
  }
  const built = new Set(ACTION_KEYS.map((key) => clientName(key).name));
  for (const { name } of UNBUILT_ACTIONS)
    if (built.has(name)) faults.push(`action ${name} is built: take it off the list of those that are not`);
  for (const guard of Object.keys(GUARDS)) {
    if (!ACTION_KEYS.some((key) => (actionRow(key).guards as readonly string[]).includes(guard)))
      faults.push(`no action uses guard ${guard}`);
  }
  return faults;
}

function rowFaults(key: (typeof ACTION_KEYS)[number]): string[] {
  const row = actionRow(key);
  const has = (guard: string): boolean => (row.guards as readonly string[]).includes(guard);
  const faults: string[] = [];
  const must = (ok: boolean, what: string): void => void (ok || faults.push(`action ${key}: ${what}`));
  must((row.vmStates === 'any') !== has('vmState'), 'guard vmState exactly where the states are limited');
  must((row.taskStates === 'any') !== has('taskState'), 'guard taskState exactly where the task states are limited');
  must(
    row.task === null || (row.begin.taskState !== null && row.begin.taskState !== 'same'),
    'a task shows in task_state',
  );
  must(row.task === null || row.done.taskState === null, 'a task that is done leaves no task_state');
  must(row.task === null || row.failed.taskState === null, 'a task that failed leaves no task_state');
  must((row.task === null) === (row.silenceSeconds === 0), 'a silence limit exactly where there is a task');
  return faults;
}

/** Throws where `tableFaults` finds any. */
export function requireSoundTable(): void {
  const faults = tableFaults();
  if (faults.length > 0) throw new Error(`the lifecycle table is wrong:\n${faults.join('\n')}`);
}
