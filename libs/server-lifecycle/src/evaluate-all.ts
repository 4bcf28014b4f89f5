/** Every action on one server at once, by the names under which clients ask for them. */
import { ACTION_KEYS, type ActionKey, type StatePair, actionRow, applyChange } from './actions';
import { type Verdict, evaluate } from './evaluate';
import type { Facts } from './facts';

export interface ClientName {
  /** Key of the body of `POST /servers/{id}/action`; the table's own word for what is no such action (`delete`). */
  readonly name: string;
  /** What tells actions of one name apart: `SOFT` and `HARD` of `reboot`. */
  readonly variant: string | null;
}

export function clientName(action: ActionKey): ClientName {
  const [, name = action, variant = null] = /^(\S+)(?: \((\w+)\))?$/.exec(actionRow(action).api) ?? [];
  return { name, variant };
}

/** What can be done to a server that is there: all rows of the table but `create`. */
export const SERVER_ACTION_KEYS: readonly ActionKey[] = ACTION_KEYS.filter((key) => key !== 'create');

export interface ActionVerdict extends ClientName {
  readonly action: ActionKey;
  readonly verdict: Verdict;
  /** The states when it is done, where it may begin now. */
  readonly done: StatePair | null;
}

/** `evaluate` of each action, in the order of the table. With `only`: of those with that name. */
export function evaluateAll(facts: Facts, only?: string): ActionVerdict[] {
  return SERVER_ACTION_KEYS.map((action) => ({ action, ...clientName(action) }))
    .filter(({ name }) => only === undefined || name === only)
    .map((named) => {
      const verdict = evaluate(named.action, facts);
      const done = verdict.allowed ? applyChange(actionRow(named.action).done, verdict.next) : null;
      return { ...named, verdict, done };
    });
}
