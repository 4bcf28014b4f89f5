/**
 * Which providers could satisfy which part of a query for one anchor (the root of a non-sharing tree).
 *
 * A suffixed group becomes one choice among providers that meet it alone. The unsuffixed group becomes one choice per
 * resource class: each may come from another provider of the tree, or from one that shares with it.
 */
import { canGive } from './capacity';
import type { CandidateQuery, RequestGroup } from './candidate-query';
import type { Provider, Tree } from './provider';
import { type Asked, type CheckName, TOGETHER, type Trace } from './trace';

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

/** Takes one anchor's providers through a group's checks, in the same order for every anchor. */
class Funnel {
  private place = 0;

  constructor(
    private readonly tree: Tree,
    private readonly group: RequestGroup,
    public list: readonly Provider[],
    private readonly trace: Trace | undefined,
  ) {}

  /** Keeps what passes; once nothing is left, nothing is asked any more. */
  keep(check: CheckName, detail: () => string, test: (p: Provider) => boolean, asked?: Asked): this {
    return this.list.length === 0 ? this : this.narrow(check, detail, this.list.filter(test), asked);
  }

  /** For checks that judge more than one provider at a time. */
  narrow(check: CheckName, detail: () => string, after: readonly Provider[], asked?: Asked): this {
    const before = this.list;
    this.list = after;
    const { tree, group, place } = this;
    this.trace?.step({ tree, group: group.suffix, place, check, detail }, before, after, asked);
    this.place++;
    return this;
  }

  get isTraced(): boolean {
    return this.trace !== undefined;
  }

  get isEmpty(): boolean {
    return this.list.length === 0;
  }
}

const hasAny = (set: ReadonlySet<string>, names: readonly string[]): boolean => names.some((n) => set.has(n));
const amountOf = ([rc, amount]: readonly [string, number]) => `${rc}:${amount}`;

/** A suffixed group: one provider has it all. Aggregates are the provider's own; the root's do not count here. */
function single(
  group: RequestGroup,
  { tree, shared }: Reach,
  treeOf: (uuid: string) => Tree | undefined,
  trace?: Trace,
): Choice[] | undefined {
  const demand = [...group.resources];
  const classes = [...group.resources.keys()];
  const funnel = new Funnel(tree, group, shared.length ? [...tree.providers, ...shared] : tree.providers, trace);
  if (classes.length)
    funnel.keep(
      'inventory',
      () => demand.map(amountOf).join(),
      (p) => classes.every((rc) => p.inventories.has(rc)),
      { classes },
    );
  inTree(funnel, group, treeOf);
  for (const set of group.memberOf)
    funnel.keep(
      'member_of',
      () => set.join(),
      (p) => hasAny(p.aggregates, set),
    );
  if (group.notMemberOf.length)
    funnel.keep(
      'not_member_of',
      () => group.notMemberOf.join(),
      (p) => !hasAny(p.aggregates, group.notMemberOf),
    );
  for (const set of group.required)
    funnel.keep(
      'required',
      () => set.join(),
      (p) => hasAny(p.traits, set),
    );
  forbidden(funnel, group);
  for (const of of demand)
    funnel.keep(
      'resource',
      () => amountOf(of),
      (p) => canGive(p, ...of),
      { demand: of },
    );
  return funnel.isEmpty ? undefined : [{ group, demand, options: funnel.list }];
}

function inTree(funnel: Funnel, group: RequestGroup, treeOf: (uuid: string) => Tree | undefined): void {
  const { inTree: uuid } = group;
  if (uuid === undefined) return;
  const tree = treeOf(uuid);
  funnel.keep(
    'in_tree',
    () => uuid,
    (p) => p.tree === tree,
  );
}

function forbidden(funnel: Funnel, group: RequestGroup): void {
  for (const trait of group.forbidden)
    funnel.keep(
      'forbidden',
      () => trait,
      (p) => !p.traits.has(trait),
    );
}

/** The unsuffixed group. An aggregate of the anchor's root spans its tree; what is shared must be in the aggregate itself. */
function spread(
  group: RequestGroup,
  reach: Reach,
  treeOf: (uuid: string) => Tree | undefined,
  trace?: Trace,
): Choice[] | undefined {
  const { tree } = reach;
  const { root } = tree;
  const shared = group.inTree === undefined ? reach.shared : []; // in_tree turns sharing off
  const classes = [...group.resources.keys()];
  const funnel = new Funnel(tree, group, shared.length ? [...tree.providers, ...shared] : tree.providers, trace);
  funnel.keep(
    'inventory',
    () => [...group.resources].map(amountOf).join(),
    (p) => classes.some((rc) => p.inventories.has(rc)),
    { classes },
  );
  inTree(funnel, group, treeOf);
  for (const set of group.memberOf)
    funnel.keep(
      'member_of',
      () => set.join(),
      (p) => hasAny(p.aggregates, set) || (p.tree === tree && hasAny(root.aggregates, set)),
    );
  if (group.notMemberOf.length) {
    const bad = group.notMemberOf;
    funnel.keep(
      'not_member_of',
      () => bad.join(),
      (p) => !hasAny(p.aggregates, bad) && !hasAny(root.aggregates, bad),
    );
  }
  forbidden(funnel, group);
  for (const set of group.required) {
    if (funnel.isEmpty) return undefined;
    const { list } = funnel;
    const had = list.some((p) => hasAny(p.traits, set)); // whether it can be had at all
    funnel.narrow('required', () => set.join(), had ? list : []);
  }
  return funnel.isEmpty ? undefined : perClass(funnel, group);
}

/** One choice per resource class. */
function perClass(funnel: Funnel, group: RequestGroup): Choice[] | undefined {
  const asked = funnel.list;
  const choices: Choice[] = [];
  for (const demand of group.resources) {
    const options = asked.filter((p) => canGive(p, ...demand));
    if (funnel.isTraced)
      funnel.narrow('resource', () => amountOf(demand), leftOf(funnel, group, demand, options), { demand });
    if (options.length === 0) return undefined;
    choices.push({ group, demand: [demand], options });
  }
  if (group.required.length === 0) return choices;
  const covered = coversTraits(
    group,
    choices.flatMap((c) => c.options),
  );
  if (funnel.isTraced) funnel.narrow('required', () => TOGETHER, covered ? funnel.list : []);
  return covered ? choices : undefined;
}

/** What may still give something after the check of one class: what can give one checked so far, or has one to come. */
function leftOf(
  funnel: Funnel,
  group: RequestGroup,
  demand: readonly [string, number],
  options: readonly Provider[],
): readonly Provider[] {
  if (options.length === 0) return [];
  const demands = [...group.resources];
  const place = demands.findIndex(([rc]) => rc === demand[0]);
  return funnel.list.filter((p) => demands.some((d, i) => (i <= place ? canGive(p, ...d) : p.inventories.has(d[0]))));
}

/** Whether one candidate's providers cover the unsuffixed group's required traits together. */
export function coversTraits(group: RequestGroup, providers: readonly Provider[]): boolean {
  return group.required.every((set) => providers.some((p) => hasAny(p.traits, set)));
}
