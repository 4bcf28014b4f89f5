import {
  conflict,
  forbidden,
  invalid,
  notFound,
  unavailable,
  unimplemented,
  type ErrorOptions,
  type FractusError,
} from '@fractus/objects';
import { type ActionKey, type ActionRow, type StatePair, type TaskType, actionRow, applyChange } from './actions';
import type { Facts } from './facts';
import { GUARDS } from './guards';
import type { Reason } from './reasons';

export interface Allowed {
  readonly allowed: true;
  /** The states to swap to; equal to the present ones for an action that is done at once. */
  readonly next: StatePair;
  readonly task: TaskType | null;
  /** True: it is being done already; answer success and change nothing. */
  readonly already: boolean;
}
export interface Refused {
  readonly allowed: false;
  /** In guard order; never empty. The first is the one the action's HTTP answer tells. */
  readonly reasons: readonly Reason[];
}
export type Verdict = Allowed | Refused;

const NOWHERE: StatePair = { vmState: 'building', taskState: null };

/** Whether `action` may start now, and with which states; else every reason why not. */
export function evaluate(action: ActionKey, facts: Facts): Verdict {
  const row = actionRow(action);
  const reasons = row.guards.map((key) => GUARDS[key](row, facts)).filter((r): r is Reason => r !== null);
  if (reasons.length > 0) return { allowed: false, reasons };
  const from = facts.server ?? NOWHERE;
  const already = facts.server?.taskState != null && (row.alreadyIn ?? []).includes(facts.server.taskState);
  return { allowed: true, next: already ? pairOf(from) : applyChange(row.begin, from), task: row.task, already };
}

/** As `evaluate`, but a refusal is thrown as the error whose HTTP form is upstream's. */
export function requireAllowed(action: ActionKey, facts: Facts): Allowed {
  const verdict = evaluate(action, facts);
  if (verdict.allowed) return verdict;
  throw refusal(action, verdict.reasons);
}

/** The error of a refusal: the first reason's sentence and kind; all reasons in `details.reasons`. */
export function refusal(action: ActionKey, reasons: readonly Reason[]): FractusError {
  const first = reasons[0];
  if (!first) throw new Error(`refusal of ${action} without a reason`);
  const options: ErrorOptions = { code: `server.${first.code}`, details: { action, reasons } };
  switch (first.code) {
    case 'policy':
      return forbidden(first.message, { ...options, code: 'policy' });
    case 'quota.instances':
    case 'quota.cores':
    case 'quota.ram':
      return forbidden(first.message, { ...options, code: first.code });
    case 'microversion':
      return notFound(first.message, options);
    case 'host.down':
      return unavailable(first.message, options);
    case 'trait.missing':
      return invalid(first.message, options);
    case 'driver.unsupported':
      return unimplemented(first.message, options);
    default:
      return conflict(first.message, options);
  }
}

/**
 * The error for a loser of the compare-and-swap: somebody else changed the server between evaluation and write. Give it
 * the state that is there now.
 */
export function lostRace(action: ActionKey, serverId: string, now: StatePair): FractusError {
  const row: ActionRow = actionRow(action);
  const [attr, state] = now.taskState === null ? ['vm_state', now.vmState] : ['task_state', now.taskState];
  return conflict(`Cannot '${row.verb}' instance ${serverId} while it is in ${attr} ${state}`, {
    code: `server.state.${attr}`,
    details: { action, have: state },
  });
}

const pairOf = ({ vmState, taskState }: StatePair): StatePair => ({ vmState, taskState });
