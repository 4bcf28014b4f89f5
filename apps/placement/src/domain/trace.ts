/**
 * What a search let through, check by check: counted on the way by the very code that decides, so that the explanation
 * can never disagree with the answer.
 */
import type { Provider } from './provider';

export type CheckName =
  | 'resource'
  | 'required'
  | 'forbidden'
  | 'member_of'
  | 'not_member_of'
  | 'in_tree'
  | 'root_required'
  | 'root_forbidden'
  | 'group_policy'
  | 'same_subtree'
  | 'capacity'
  | 'nested';

export interface Stage {
  readonly group: string;
  readonly check: CheckName;
  /** What was asked: `DISK_GB:80`, a trait, aggregates. */
  readonly detail: string;
  in: number;
  out: number;
  /** Resource checks: the most that any provider asked has free, and its max_unit. */
  bestFree?: number;
  bestMaxUnit?: number;
}

export interface FailedCheck {
  readonly group: string;
  readonly check: CheckName;
  readonly detail: string;
}

export class Trace {
  private readonly byKey = new Map<string, Stage>();
  /** The first check that left a root without a chance. */
  readonly firstFailure = new Map<string, FailedCheck>();

  /** Stages in the order in which they were first met. */
  get stages(): Stage[] {
    return [...this.byKey.values()];
  }

  count(group: string, check: CheckName, detail: string, into: number, out: number): Stage {
    const key = `${group}\0${check}\0${detail}`;
    let stage = this.byKey.get(key);
    if (!stage) this.byKey.set(key, (stage = { group, check, detail, in: 0, out: 0 }));
    stage.in += into;
    stage.out += out;
    return stage;
  }

  best(stage: Stage, free: number, maxUnit: number): void {
    if (stage.bestFree !== undefined && stage.bestFree >= free) return;
    stage.bestFree = free;
    stage.bestMaxUnit = maxUnit;
  }

  failed(root: Provider, group: string, check: CheckName, detail: string): void {
    if (!this.firstFailure.has(root.uuid)) this.firstFailure.set(root.uuid, { group, check, detail });
  }
}
