/**
 * All ways to decide an anchor's choices, one at a time: depth first with an explicit stack, cut as soon as a provider
 * would be asked for more than it has left (with what is in use), so that the work follows the answer.
 */
import { capacityOf } from './capacity';
import type { CandidateQuery, RequestGroup } from './candidate-query';
import { type Choice, coversTraits } from './group-options';
import { type Provider, isAncestorOrSelf } from './provider';
import type { CheckName, Trace } from './trace';

/** A decided anchor: who gives what. */
export interface Pick {
  readonly choices: readonly Choice[];
  readonly chosen: readonly Provider[];
}

/**
 * Shared by all anchors of one search: how many partial decisions may still be looked at. A whole one costs more, by
 * its size, because it is kept and written out: eight groups over forty functions have more candidates than memory.
 */
export interface Budget {
  left: number;
}
export const PER_CHOICE_KEPT = 10;

export class Combinations {
  private readonly choices: Choice[];
  private readonly position: number[];
  private readonly chosen: Provider[];
  private readonly taken = new Map<string, number>();
  private level = 0;
  private readonly lastLevelOf = new Map<string, number>();
  /** Checks that refused a whole or partial decision, for the explanation. */
  readonly refused = new Map<CheckName, number>();
  found = 0;

  constructor(
    choices: readonly Choice[],
    private readonly query: CandidateQuery,
    private readonly budget: Budget,
  ) {
    this.choices = [...choices].sort((a, b) => a.options.length - b.options.length);
    this.position = this.choices.map(() => -1);
    this.chosen = [];
    this.choices.forEach((c, i) => this.lastLevelOf.set(c.group.suffix, i));
  }

  /** The next candidate, or undefined when there is none left (or the budget is spent). */
  next(): Pick | undefined {
    const depth = this.choices.length;
    if (this.level === depth) this.retreat();
    while (this.level >= 0) {
      if (this.budget.left-- <= 0) return undefined;
      const choice = this.choices[this.level] as Choice;
      const option = choice.options[++(this.position[this.level] as number)];
      if (!option) {
        this.position[this.level] = -1;
        this.retreat();
        continue;
      }
      if (!this.take(choice, option)) continue;
      this.level++;
      if (this.level === depth) {
        this.found++;
        this.budget.left -= depth * PER_CHOICE_KEPT;
        return { choices: this.choices, chosen: [...this.chosen] };
      }
    }
    return undefined;
  }

  private retreat(): void {
    this.level--;
    if (this.level < 0) return;
    const provider = this.chosen.pop() as Provider;
    for (const [rc, amount] of (this.choices[this.level] as Choice).demand) {
      const key = `${provider.id}/${rc}`;
      this.taken.set(key, (this.taken.get(key) ?? 0) - amount);
    }
  }

  /** Books the option; false (and nothing booked) when a check refuses it. */
  private take(choice: Choice, provider: Provider): boolean {
    const refusal = this.refusal(choice, provider);
    if (refusal) {
      this.refused.set(refusal, (this.refused.get(refusal) ?? 0) + 1);
      return false;
    }
    for (const [rc, amount] of choice.demand) {
      const key = `${provider.id}/${rc}`;
      this.taken.set(key, (this.taken.get(key) ?? 0) + amount);
    }
    this.chosen.push(provider);
    return true;
  }

  private refusal(choice: Choice, provider: Provider): CheckName | undefined {
    const { group } = choice;
    if (this.query.groupPolicy === 'isolate' && group.suffix !== '') {
      for (let i = 0; i < this.level; i++)
        if (this.chosen[i] === provider && this.choices[i]?.group.suffix !== '') return 'group_policy';
    }
    for (const [rc, amount] of choice.demand) {
      const inventory = provider.inventories.get(rc);
      if (!inventory) return 'capacity';
      const sum = amount + (this.taken.get(`${provider.id}/${rc}`) ?? 0);
      if (sum > inventory.maxUnit || (provider.used.get(rc) ?? 0) + sum > capacityOf(inventory)) return 'capacity';
    }
    if (!this.query.nestedAware && this.chosen.some((p) => p !== provider && p.tree === provider.tree)) return 'nested';
    if (this.lastLevelOf.get(group.suffix) !== this.level) return undefined;
    if (group.suffix === '' && !coversTraits(group, this.providersOf(group, provider))) return 'required';
    return this.query.sameSubtree.some((suffixes) => this.breaksSubtree(suffixes, group.suffix, provider))
      ? 'same_subtree'
      : undefined;
  }

  private providersOf(group: RequestGroup, last: Provider): Provider[] {
    const list = [last];
    for (let i = 0; i < this.level; i++) if (this.choices[i]?.group === group) list.push(this.chosen[i] as Provider);
    return list;
  }

  /** Whether this provider, the last one missing for the set, leaves it without a common top among its own members. */
  private breaksSubtree(suffixes: readonly string[], suffix: string, provider: Provider): boolean {
    if (!suffixes.includes(suffix)) return false;
    const members = [provider];
    for (let i = 0; i < this.choices.length; i++) {
      const other = this.choices[i]?.group.suffix ?? '';
      if (other === suffix || !suffixes.includes(other)) continue;
      if (i > this.level) return false; // not complete yet: judged when it is
      members.push(this.chosen[i] as Provider);
    }
    return !members.some((top) => members.every((p) => isAncestorOrSelf(top, p)));
  }
}

/** Books the counts of an exhausted anchor: what stood between its choices and a candidate. */
export function traceCombinations(trace: Trace, root: Provider, combinations: Combinations): void {
  for (const [check, n] of combinations.refused)
    trace.count('', check, 'together', n + combinations.found, combinations.found);
  if (combinations.found > 0) return;
  const worst = [...combinations.refused].sort((a, b) => b[1] - a[1])[0];
  if (worst) trace.failed(root, '', worst[0], 'together');
}
