/** docs/lifecycle.md, from the table; written by tools/generators/lifecycle.mjs. */
import { POWER_STATES, TASK_STATES, VM_STATES } from '@fractus/objects';
import { ACTION_KEYS, actionRow, type Change } from './actions';
import { statusOf } from './status';
import { GUEST_EVENTS, type GuestEffect, PROGRESS } from './transitions';

export function renderLifecycle(): string {
  return [
    '# The lifecycle of a server',
    '<!-- Written by `node tools/generators/lifecycle.mjs` from libs/server-lifecycle; do not edit. -->',
    'A server has a stable `vm_state`, a `task_state` while something is being done to it, and a `power_state` as its hypervisor sees it.',
    '## Actions',
    'Where an action is possible, what it shows while it runs, and where it leads. Guards are checked in this order; the first that objects is the answer.',
    table(['action', 'from vm_state', 'from task_state', 'guards', 'while it runs', 'when done', 'when it failed', 'task', 'silence'], ACTION_KEYS.map(actionLine)), // prettier-ignore
    '## Progress',
    'Phases that a task or its host reports, and what they show.',
    table(['vm_state', 'phase', 'task_state', 'progress'], PROGRESS.map((p) => [p.vmState, p.phase, p.taskState, `${p.progress} %`])), // prettier-ignore
    '## Guests that change by themselves',
    'Only while no task is open. What is not listed is written down as power state, and nothing more.',
    table(['vm_state', 'guest becomes', 'effect', 'why'], GUEST_EVENTS.map((r) => [r.vmState, r.power.map(powerName).join(', '), effect(r.effect), r.why])), // prettier-ignore
    '## Status',
    'What the API shows as `status`.',
    table(['vm_state', 'status', 'and while'], VM_STATES.map(statusLine)), // prettier-ignore
    '',
  ].join('\n\n');
}

function actionLine(key: (typeof ACTION_KEYS)[number]): string[] {
  const row = actionRow(key);
  const states = (list: readonly (string | null)[] | 'any'): string =>
    list === 'any' ? 'any' : list.map((s) => s ?? 'none').join(', ');
  const silence = row.silenceSeconds === 0 ? '–' : `${row.silenceSeconds} s`;
  const from = key === 'create' ? ['–', '–'] : [states(row.vmStates), states(row.taskStates)];
  return [
    `${key} (\`${row.api}\`)`,
    ...from,
    row.guards.join(', '),
    change(row.begin),
    change(row.done),
    change(row.failed),
    row.task ?? '–',
    silence,
  ];
}

function change({ vmState, taskState }: Change): string {
  if (vmState === 'same' && taskState === 'same') return 'unchanged';
  return `${vmState === 'same' ? 'same' : vmState}${taskState === null || taskState === 'same' ? '' : ` / ${taskState}`}`;
}

function effect(e: GuestEffect): string {
  if (e.kind === 'become') return `vm_state ${e.vmState}`;
  return e.kind === 'enforce' ? `task ${e.action}` : 'recorded';
}

function statusLine(vmState: (typeof VM_STATES)[number]): string[] {
  const plain = statusOf(vmState, null);
  const others = new Map<string, string[]>();
  for (const task of TASK_STATES) {
    const status = statusOf(vmState, task);
    if (status !== plain) others.set(status, [...(others.get(status) ?? []), task]);
  }
  return [vmState, plain, [...others].map(([status, tasks]) => `${status}: ${tasks.join(', ')}`).join('; ') || '–'];
}

const powerName = (power: number): string =>
  Object.entries(POWER_STATES).find(([, n]) => n === power)?.[0] ?? String(power);

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
