/**
 * All ways to decide an anchor's choices, one at a time: depth first with an explicit stack, cut as soon as a provider
 * would be asked for more than it has left (with what is in use), so that the work follows the answer.
 *
 * What is asked of whom is numbered once: a cell for every class of every provider, with its room and what the decision
 * so far has taken of it. A step is then a few reads of arrays.
 */
import { roomOf } from './capacity';
import type { CandidateQuery, RequestGroup } from './candidate-query';
import { type Choice, coversTraits } from './group-options';
import { type Provider, isAncestorOrSelf } from './provider';
import type { Refusal } from './trace';

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

/** A choice, with the cells that each option would be taken from. */
interface Level {
  readonly choice: Choice;
  readonly amounts: readonly number[];
  /** By option: a cell for each class of the demand. */
  readonly cells: readonly (readonly number[])[];
  /** By option: the number of its provider. */
  readonly providers: readonly number[];
  /** `isolate` holds for it. */
  readonly alone: boolean;
  /** The last one of its group. */
  readonly closes: boolean;
  /** Sets of suffixes that share a subtree and that this one is of. */
  readonly subtrees: readonly (readonly string[])[];
}

export class Combinations {
  private readonly choices: Choice[];
  private readonly levels: Level[];
  /** By level: the option that is being looked at. */
  private readonly position: number[];
  private readonly chosen: Provider[] = [];
  private readonly room: number[] = [];
  private readonly taken: number[] = [];
  /** By provider: how many groups that must be alone have it. */
  private readonly held: number[] = [];
  private level = 0;
  /** Checks that refused a whole or partial decision, for the explanation. */
  private readonly refused = new Map<Refusal, number>();

  constructor(
    choices: readonly Choice[],
    private readonly query: CandidateQuery,
    private readonly budget: Budget,
  ) {
    this.choices = [...choices].sort((a, b) => a.options.length - b.options.length);
    this.position = this.choices.map(() => -1);
    const lastOf = new Map(this.choices.map((c, i) => [c.group.suffix, i]));
    const numbers = new Map<Provider, number>();
    const cells = new Map<string, Map<Provider, number>>();
    this.levels = this.choices.map((choice, i) => ({
      choice,
      amounts: choice.demand.map(([, amount]) => amount),
      cells: choice.options.map((p) => choice.demand.map(([rc]) => this.cellOf(cells, p, rc))),
      providers: choice.options.map((p) => this.numberOf(numbers, p)),
      alone: query.groupPolicy === 'isolate' && choice.group.suffix !== '',
      closes: lastOf.get(choice.group.suffix) === i,
      subtrees: query.sameSubtree.filter((suffixes) => suffixes.includes(choice.group.suffix)),
    }));
  }

  /** The next candidate, or undefined when there is none left (or the budget is spent). */
  next(): Pick | undefined {
    const depth = this.levels.length;
    if (this.level === depth) this.retreat();
    while (this.level >= 0) {
      if (this.budget.left-- <= 0) return undefined;
      const level = this.levels[this.level] as Level;
      const at = ++(this.position[this.level] as number);
      if (at >= level.providers.length) {
        this.position[this.level] = -1;
        this.retreat();
        continue;
      }
      if (!this.take(level, at)) continue;
      this.level++;
      if (this.level === depth) {
        this.budget.left -= depth * PER_CHOICE_KEPT;
        return { choices: this.choices, chosen: [...this.chosen] };
      }
    }
    return undefined;
  }

  /** What stood most often between the choices and a candidate, where there was none. */
  get worstRefusal(): Refusal {
    const [worst] = [...this.refused].sort((a, b) => b[1] - a[1]);
    return this.level >= 0 || !worst ? 'budget' : worst[0];
  }

  private cellOf(cells: Map<string, Map<Provider, number>>, provider: Provider, resourceClass: string): number {
    let known = cells.get(resourceClass);
    if (!known) cells.set(resourceClass, (known = new Map()));
    let cell = known.get(provider);
    if (cell === undefined) {
      known.set(provider, (cell = this.room.push(roomOf(provider, resourceClass)) - 1));
      this.taken.push(0);
    }
    return cell;
  }

  private numberOf(numbers: Map<Provider, number>, provider: Provider): number {
    let number = numbers.get(provider);
    if (number === undefined) numbers.set(provider, (number = this.held.push(0) - 1));
    return number;
  }

  private retreat(): void {
    this.level--;
    if (this.level < 0) return;
    this.chosen.pop();
    this.book(this.levels[this.level] as Level, this.position[this.level] as number, -1);
  }

  private book({ cells, amounts, providers, alone }: Level, at: number, sign: 1 | -1): void {
    const own = cells[at] as readonly number[];
    for (let i = 0; i < own.length; i++) (this.taken[own[i] as number] as number) += sign * (amounts[i] as number);
    if (alone) (this.held[providers[at] as number] as number) += sign;
  }

  /** Books the option; false (and nothing booked) when a check refuses it. */
  private take(level: Level, at: number): boolean {
    const refusal = this.refusal(level, at);
    if (refusal) {
      this.refused.set(refusal, (this.refused.get(refusal) ?? 0) + 1);
      return false;
    }
    this.book(level, at, 1);
    this.chosen.push(level.choice.options[at] as Provider);
    return true;
  }

  private refusal(level: Level, at: number): Refusal | undefined {
    if (level.alone && (this.held[level.providers[at] as number] as number) > 0) return 'group_policy';
    const cells = level.cells[at] as readonly number[];
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i] as number;
      if ((this.taken[cell] as number) + (level.amounts[i] as number) > (this.room[cell] as number)) return 'capacity';
    }
    const { group, options } = level.choice;
    const provider = options[at] as Provider;
    if (!this.query.nestedAware && this.chosen.some((p) => p !== provider && p.tree === provider.tree)) return 'nested';
    if (!level.closes) return undefined;
    if (group.suffix === '' && group.required.length && !coversTraits(group, this.providersOf(group, provider)))
      return 'required';
    for (const suffixes of level.subtrees)
      if (this.breaksSubtree(suffixes, group.suffix, provider)) return 'same_subtree';
    return undefined;
  }

  private providersOf(group: RequestGroup, last: Provider): Provider[] {
    const list = [last];
    for (let i = 0; i < this.level; i++) if (this.choices[i]?.group === group) list.push(this.chosen[i] as Provider);
    return list;
  }

  /** Whether this provider, the last one missing for the set, leaves it without a common top among its own members. */
  private breaksSubtree(suffixes: readonly string[], suffix: string, provider: Provider): boolean {
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
