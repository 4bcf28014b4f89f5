/**
 * Which providers could satisfy which part of a query for one anchor (the root of a non-sharing tree).
 *
 * A suffixed group becomes one choice among providers that meet it alone. The unsuffixed group becomes one choice per
 * resource class: each may come from another provider of the tree, or from one that shares with it.
 */
import { canGive, freeOf } from './capacity';
import type { CandidateQuery, RequestGroup } from './candidate-query';
import type { Provider, Tree } from './provider';
import type { CheckName, Trace } from './trace';

/** One thing to be decided: who gives `demand` in the name of `group`. */
export interface Choice {
  readonly group: RequestGroup;
  readonly demand: readonly (readonly [resourceClass: string, amount: number])[];
  readonly options: readonly Provider[];
}

/** The anchor's own providers and those that share with it. */
export interface Reach {
  readonly tree: Tree;
  readonly shared: readonly Provider[];
}

/** All choices of the query for this anchor, or undefined when some part cannot be met at all. */
export function choicesFor(
  query: CandidateQuery,
  reach: Reach,
  treeOf: (uuid: string) => Tree | undefined,
  trace?: Trace,
): Choice[] | undefined {
  const choices: Choice[] = [];
  for (const group of query.groups) {
    const found = group.suffix === '' ? spread(group, reach, treeOf, trace) : single(group, reach, treeOf, trace);
    if (!found) return undefined;
    choices.push(...found);
  }
  return choices;
}

/** Filters one list through named checks, counting as it goes. */
class Funnel {
  constructor(
    private readonly root: Provider,
    private readonly group: RequestGroup,
    public list: Provider[],
    private readonly trace: Trace | undefined,
  ) {}

  keep(check: CheckName, detail: () => string, test: (p: Provider) => boolean): this {
    const before = this.list.length;
    if (before === 0) return this;
    this.list = this.list.filter(test);
    if (this.trace) {
      this.trace.count(this.group.suffix, check, detail(), before, this.list.length);
      if (this.list.length === 0) this.trace.failed(this.root, this.group.suffix, check, detail());
    }
    return this;
  }

  resource(resourceClass: string, amount: number): this {
    const asked = this.list;
    this.keep(
      'resource',
      () => `${resourceClass}:${amount}`,
      (p) => canGive(p, resourceClass, amount),
    );
    if (this.trace && asked.length > 0) {
      const stage = this.trace.count(this.group.suffix, 'resource', `${resourceClass}:${amount}`, 0, 0);
      for (const p of asked)
        this.trace.best(stage, freeOf(p, resourceClass), p.inventories.get(resourceClass)?.maxUnit ?? 0);
    }
    return this;
  }
}

const hasAny = (set: ReadonlySet<string>, names: readonly string[]): boolean => names.some((n) => set.has(n));

/** A suffixed group: one provider has it all. Aggregates are the provider's own; the root's do not count here. */
function single(
  group: RequestGroup,
  reach: Reach,
  treeOf: (uuid: string) => Tree | undefined,
  trace?: Trace,
): Choice[] | undefined {
  const demand = [...group.resources];
  const all = [...reach.tree.providers, ...reach.shared].filter((p) => demand.every(([rc]) => p.inventories.has(rc)));
  const funnel = new Funnel(reach.tree.root, group, all, trace);
  if (all.length === 0) noInventory(group, demand, reach, trace);
  if (group.inTree !== undefined) {
    const tree = treeOf(group.inTree);
    funnel.keep(
      'in_tree',
      () => group.inTree ?? '',
      (p) => p.tree === tree,
    );
  }
  for (const set of group.memberOf)
    funnel.keep(
      'member_of',
      () => set.join(','),
      (p) => hasAny(p.aggregates, set),
    );
  if (group.notMemberOf.length)
    funnel.keep(
      'not_member_of',
      () => group.notMemberOf.join(','),
      (p) => !hasAny(p.aggregates, group.notMemberOf),
    );
  for (const set of group.required)
    funnel.keep(
      'required',
      () => set.join(','),
      (p) => hasAny(p.traits, set),
    );
  if (group.forbidden.length)
    funnel.keep(
      'forbidden',
      () => group.forbidden.join(','),
      (p) => !hasAny(p.traits, group.forbidden),
    );
  for (const [rc, amount] of demand) funnel.resource(rc, amount);
  return funnel.list.length ? [{ group, demand, options: funnel.list }] : undefined;
}

/** The unsuffixed group. An aggregate of the anchor's root spans its tree; what is shared must be in the aggregate itself. */
function spread(
  group: RequestGroup,
  reach: Reach,
  treeOf: (uuid: string) => Tree | undefined,
  trace?: Trace,
): Choice[] | undefined {
  const { tree } = reach;
  const root = tree.root;
  const own = (p: Provider): boolean => p.tree === tree;
  const shared = group.inTree === undefined ? reach.shared : []; // in_tree turns sharing off
  const all = [...tree.providers, ...shared].filter((p) =>
    [...group.resources.keys()].some((rc) => p.inventories.has(rc)),
  );
  if (all.length === 0) noInventory(group, [...group.resources], reach, trace);
  const funnel = new Funnel(root, group, all, trace);
  if (group.inTree !== undefined)
    funnel.keep(
      'in_tree',
      () => group.inTree ?? '',
      (p) => treeOf(group.inTree ?? '') === p.tree,
    );
  for (const set of group.memberOf)
    funnel.keep(
      'member_of',
      () => set.join(','),
      (p) => hasAny(p.aggregates, set) || (own(p) && hasAny(root.aggregates, set)),
    );
  if (group.notMemberOf.length) {
    const bad = group.notMemberOf;
    funnel.keep(
      'not_member_of',
      () => bad.join(','),
      (p) => !hasAny(p.aggregates, bad) && !hasAny(root.aggregates, bad),
    );
  }
  if (group.forbidden.length)
    funnel.keep(
      'forbidden',
      () => group.forbidden.join(','),
      (p) => !hasAny(p.traits, group.forbidden),
    );
  if (funnel.list.length === 0 || !coverable(group, funnel.list, root, trace)) return undefined;
  const choices: Choice[] = [];
  for (const [rc, amount] of group.resources) {
    const options = new Funnel(
      root,
      group,
      funnel.list.filter((p) => p.inventories.has(rc)),
      trace,
    );
    if (options.list.length === 0) noInventory(group, [[rc, amount]], reach, trace);
    options.resource(rc, amount);
    if (options.list.length === 0) return undefined;
    choices.push({ group, demand: [[rc, amount]], options: options.list });
  }
  const givers = choices.flatMap((c) => c.options);
  if (coversTraits(group, givers)) return choices;
  trace?.count(group.suffix, 'required', 'together', 1, 0);
  trace?.failed(root, group.suffix, 'required', 'together');
  return undefined;
}

/** Whether the required traits can be had together from these providers at all; counted in roots. */
function coverable(group: RequestGroup, providers: readonly Provider[], root: Provider, trace?: Trace): boolean {
  for (const set of group.required) {
    const ok = providers.some((p) => hasAny(p.traits, set));
    trace?.count(group.suffix, 'required', set.join(','), 1, ok ? 1 : 0);
    if (ok) continue;
    trace?.failed(root, group.suffix, 'required', set.join(','));
    return false;
  }
  return true;
}

function noInventory(
  group: RequestGroup,
  demand: readonly (readonly [string, number])[],
  reach: Reach,
  trace?: Trace,
): void {
  if (!trace) return;
  for (const [rc, amount] of demand) {
    trace.count(group.suffix, 'resource', `${rc}:${amount}`, 0, 0);
    trace.failed(reach.tree.root, group.suffix, 'resource', `${rc}:${amount}`);
  }
}

/** Whether one candidate's providers cover the unsuffixed group's required traits together. */
export function coversTraits(group: RequestGroup, providers: readonly Provider[]): boolean {
  return group.required.every((set) => providers.some((p) => hasAny(p.traits, set)));
}
