/**
 * What a search let through, check by check: counted on the way by the very code that decides, so that the explanation
 * can never disagree with the answer.
 *
 * Every part of a query (its roots, each group, the decision over all groups together) is a row of checks that each
 * anchor goes through in the same order until one leaves it nothing. What comes out of a check is what goes into the next.
 */
import { type Shortage, freeOf, shortageOf } from './capacity';
import type { Provider, Tree } from './provider';

export type CheckName =
  | 'root_required'
  | 'root_forbidden'
  | 'inventory'
  | 'in_tree'
  | 'member_of'
  | 'not_member_of'
  | 'required'
  | 'forbidden'
  | 'resource'
  | 'combination'
  | Refusal;

/** Why a decision over all groups together was refused. `budget`: it was not made. */
export type Refusal = 'group_policy' | 'capacity' | 'same_subtree' | 'nested' | 'required' | 'budget';

/** The detail of checks over providers, or groups, together. */
export const TOGETHER = 'together';

/** Each counted once, from however many anchors it is reached. */
export interface Count {
  readonly providers: number;
  readonly trees: number;
  /** Roots that candidates may still be found for. */
  readonly anchors: number;
}

export interface Stage {
  /** Suffix of the group; null for what is asked of roots and of all groups together. */
  readonly group: string | null;
  readonly check: CheckName;
  /** What was asked: `DISK_GB:80`, a trait, aggregates. */
  readonly detail: string;
  readonly in: Count;
  readonly out: Count;
  readonly resource?: ResourceCheck;
  /**
   * What refused how much: at `inventory`, resource class → providers without it; at `resource`, `Shortage` → providers;
   * at `combination`, `Refusal` → anchors.
   */
  readonly reasons: ReadonlyMap<string, number>;
}

export interface ResourceCheck {
  readonly resourceClass: string;
  readonly need: number;
  /** Providers that have such an inventory. */
  readonly offered: number;
  /** The most that any of them has free, and its max_unit. */
  readonly bestFree?: number;
  readonly bestMaxUnit?: number;
}

/** The first check that left a root without a chance. */
export interface Failure {
  readonly root: Provider;
  readonly group: string | null;
  readonly check: CheckName;
  readonly detail: string;
  /** Resource checks: why the provider with most room of this anchor cannot give it. */
  readonly shortage?: Shortage;
  /** Of that provider: its unit rule where the shortage is one of units, what it has free else. */
  readonly have?: number;
  readonly need?: number;
}

export interface TraceOptions {
  /** Roots whose first failing check is kept; all are counted. */
  readonly rootsTold?: number;
}

export const ROOTS_TOLD = 200;

export class Trace {
  private readonly rows = new Map<string | null, Step[]>();
  private readonly ordered: Step[] = [];
  private readonly rootsTold: number;
  /** By uuid of the root, as many as are to be told. */
  readonly firstFailure = new Map<string, Failure>();
  /** Roots without a candidate. */
  failedRoots = 0;

  constructor({ rootsTold = ROOTS_TOLD }: TraceOptions = {}) {
    this.rootsTold = rootsTold;
  }

  /** In the order in which a root goes through them. */
  get stages(): Stage[] {
    return this.ordered.map((s) => s.stage());
  }

  /**
   * Notes that a check let `after` of `before` through for one anchor. `place` is the check's place in its row, which
   * must be the same for every anchor; nothing may be noted in a row after a check that left nothing.
   */
  step(at: StepAt, before: readonly Provider[], after: readonly Provider[], asked?: Asked): void {
    const step = this.passed(at, before, after);
    if (asked?.demand) step.noteShortages(before, asked.demand);
    if (asked?.classes) step.noteAbsent(before, asked.classes);
    if (after.length === 0) this.failed(() => failureOf(at, step.detail, before, asked?.demand));
  }

  /** As `step`, for the decision over all groups; with the refusal where it found no candidate for the anchor. */
  decided(tree: Tree, options: readonly Provider[], refusal: Refusal | undefined): void {
    const at: StepAt = { tree, group: null, place: COMBINATION, check: 'combination', detail: () => TOGETHER };
    const step = this.passed(at, options, refusal ? [] : options);
    if (!refusal) return;
    step.reason(refusal);
    this.failed(() => ({ root: tree.root, group: null, check: refusal, detail: TOGETHER }));
  }

  private passed(at: StepAt, before: readonly Provider[], after: readonly Provider[]): Step {
    const step = this.stepOf(at);
    step.in.add(at.tree, before);
    step.out.add(at.tree, after);
    return step;
  }

  private stepOf({ group, place, check, detail }: StepAt): Step {
    let row = this.rows.get(group);
    if (!row) this.rows.set(group, (row = []));
    let step = row[place];
    if (!step) this.ordered.push((row[place] = step = new Step(group, check, detail())));
    return step;
  }

  private failed(told: () => Failure): void {
    this.failedRoots++;
    if (this.firstFailure.size >= this.rootsTold) return;
    const failure = told();
    this.firstFailure.set(failure.root.uuid, failure);
  }
}

/** After any check of roots. */
const COMBINATION = 10_000;

export interface StepAt {
  readonly tree: Tree;
  readonly group: string | null;
  readonly place: number;
  readonly check: CheckName;
  readonly detail: () => string;
}

/** What a check is about, for its reasons. */
export interface Asked {
  readonly demand?: readonly [resourceClass: string, amount: number];
  readonly classes?: readonly string[];
}

/** Counts what is there once: whatever is shared may be met at many anchors, all else is met at its own only. */
class Tally {
  private own = 0;
  private ownTrees = 0;
  private anchors = 0;
  private readonly sharers = new Set<Provider>();
  private readonly sharerTrees = new Set<Tree>();

  add(anchor: Tree, providers: readonly Provider[]): void {
    if (providers.length === 0) return;
    this.anchors++;
    let own = false;
    for (const provider of providers) {
      if (provider.sharing) this.sharers.add(provider);
      else this.own++;
      if (provider.tree === anchor) own = true;
      else this.sharerTrees.add(provider.tree);
    }
    if (own && anchor.sharing) this.sharerTrees.add(anchor);
    else if (own) this.ownTrees++;
  }

  count(): Count {
    return {
      providers: this.own + this.sharers.size,
      trees: this.ownTrees + this.sharerTrees.size,
      anchors: this.anchors,
    };
  }
}

class Step {
  readonly in = new Tally();
  readonly out = new Tally();
  private readonly reasons = new Map<string, number>();
  private readonly seen = new Set<Provider>();
  private demand: readonly [string, number] | undefined;
  private offered = 0;
  private best: Provider | undefined;

  constructor(
    private readonly group: string | null,
    private readonly check: CheckName,
    readonly detail: string,
  ) {}

  reason(name: string): void {
    this.reasons.set(name, (this.reasons.get(name) ?? 0) + 1);
  }

  noteShortages(providers: readonly Provider[], demand: readonly [string, number]): void {
    this.demand = demand;
    const [resourceClass, amount] = demand;
    for (const provider of this.fresh(providers)) {
      const shortage = shortageOf(provider, resourceClass, amount);
      if (shortage) this.reason(shortage);
      if (shortage === 'no_inventory') continue;
      this.offered++;
      if (!this.best || freeOf(provider, resourceClass) > freeOf(this.best, resourceClass)) this.best = provider;
    }
  }

  noteAbsent(providers: readonly Provider[], classes: readonly string[]): void {
    for (const provider of this.fresh(providers))
      for (const name of classes) if (!provider.inventories.has(name)) this.reason(name);
  }

  /** Those that were not met here from another anchor. */
  private fresh(providers: readonly Provider[]): readonly Provider[] {
    if (!providers.some((p) => p.sharing)) return providers;
    return providers.filter((p) => {
      if (!p.sharing) return true;
      const known = this.seen.has(p);
      this.seen.add(p);
      return !known;
    });
  }

  stage(): Stage {
    const { group, check, detail, reasons } = this;
    const resource = this.demand && this.resource(this.demand);
    return { group, check, detail, in: this.in.count(), out: this.out.count(), reasons, ...(resource && { resource }) };
  }

  private resource([resourceClass, need]: readonly [string, number]): ResourceCheck {
    const best = this.best && {
      bestFree: freeOf(this.best, resourceClass),
      bestMaxUnit: this.best.inventories.get(resourceClass)?.maxUnit ?? 0,
    };
    return { resourceClass, need, offered: this.offered, ...best };
  }
}

function failureOf(
  { tree, group, check }: StepAt,
  detail: string,
  before: readonly Provider[],
  demand: Asked['demand'],
): Failure {
  const failure = { root: tree.root, group, check, detail };
  if (!demand) return failure;
  const [resourceClass, need] = demand;
  let nearest: Provider | undefined;
  for (const p of before) {
    if (!p.inventories.has(resourceClass)) continue;
    if (!nearest || freeOf(p, resourceClass) > freeOf(nearest, resourceClass)) nearest = p;
  }
  if (!nearest) return { ...failure, shortage: 'no_inventory', have: 0, need };
  const shortage = shortageOf(nearest, resourceClass, need);
  return { ...failure, ...(shortage && { shortage }), have: haveOf(nearest, resourceClass, shortage), need };
}

function haveOf(provider: Provider, resourceClass: string, shortage: Shortage | undefined): number {
  const inventory = provider.inventories.get(resourceClass);
  if (inventory && shortage === 'min_unit') return inventory.minUnit;
  if (inventory && shortage === 'max_unit') return inventory.maxUnit;
  if (inventory && shortage === 'step_size') return inventory.stepSize;
  return freeOf(provider, resourceClass);
}
