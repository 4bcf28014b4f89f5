/**
 * Placement for clouds without nesting: every host is one provider with VCPU, MEMORY_MB and DISK_GB. For the simulator
 * and for tests; it enforces capacity as the real one does, and counts stages as it does.
 */
import type { Allocations, Candidate, CandidateQuery, RequestGroup, SearchStage } from './candidate-query';

export interface FlatProvider {
  readonly id: string;
  /** Resource class → amount that may be claimed in all. */
  readonly capacity: Readonly<Record<string, number>>;
  readonly traits: readonly string[];
  readonly aggregates: readonly string[];
}

export interface FlatAnswer {
  candidates: Candidate[];
  stages: SearchStage[];
}

export class FlatPlacement {
  private readonly consumers = new Map<string, Allocations>();
  private readonly usages = new Map<string, Record<string, number>>();

  constructor(private readonly providers: readonly FlatProvider[]) {}

  free(providerId: string, resourceClass: string): number {
    const capacity = this.providers.find((p) => p.id === providerId)?.capacity[resourceClass] ?? 0;
    return capacity - (this.usages.get(providerId)?.[resourceClass] ?? 0);
  }

  candidates(query: CandidateQuery): FlatAnswer {
    const stages: SearchStage[] = [];
    let left = [...this.providers];
    const check = (
      group: string,
      name: string,
      detail: string,
      keep: (p: FlatProvider) => boolean,
      best?: string,
    ): void => {
      const before = left;
      left = left.filter(keep);
      const stage: SearchStage = { group, check: name, detail, in: before.length, out: left.length };
      if (best !== undefined) stage.bestFree = Math.max(0, ...before.map((p) => this.free(p.id, best)));
      stages.push(stage);
    };
    for (const trait of query.rootRequired) check('', 'root_required', trait, (p) => p.traits.includes(trait));
    for (const trait of query.rootForbidden) check('', 'root_forbidden', trait, (p) => !p.traits.includes(trait));
    for (const group of query.groups) this.checkGroup(group, check);
    const wanted = total(query.groups);
    if (query.groups.length > 1) check('', 'capacity', '', (p) => this.fits(p.id, wanted));
    const limited = query.limit === undefined ? left : left.slice(0, query.limit);
    return {
      candidates: limited.map((p) => ({ rootId: p.id, allocations: { [p.id]: { resources: wanted } } })),
      stages,
    };
  }

  private checkGroup(
    g: RequestGroup,
    check: (group: string, name: string, detail: string, keep: (p: FlatProvider) => boolean, best?: string) => void,
  ): void {
    const within = (lists: readonly string[]) => (p: FlatProvider) => lists.some((a) => p.aggregates.includes(a));
    if (g.inTree !== undefined) check(g.suffix, 'in_tree', g.inTree, (p) => p.id === g.inTree);
    for (const list of g.memberOf) check(g.suffix, 'member_of', list.join(), within(list));
    if (g.notMemberOf.length) check(g.suffix, 'not_member_of', g.notMemberOf.join(), (p) => !within(g.notMemberOf)(p));
    for (const trait of g.required) check(g.suffix, 'required', trait, (p) => p.traits.includes(trait));
    for (const list of g.anyOf) check(g.suffix, 'any_of', list.join(), (p) => list.some((t) => p.traits.includes(t)));
    for (const trait of g.forbidden) check(g.suffix, 'forbidden', trait, (p) => !p.traits.includes(trait));
    for (const [name, amount] of Object.entries(g.resources)) {
      check(g.suffix, 'resource', `${name}:${amount}`, (p) => this.free(p.id, name) >= amount, name);
    }
  }

  private fits(providerId: string, resources: Readonly<Record<string, number>>): boolean {
    return Object.entries(resources).every(([name, amount]) => this.free(providerId, name) >= amount);
  }

  /** Replaces what the consumer holds; false, and nothing changed, when it would not fit. */
  claim(consumerId: string, allocations: Allocations): boolean {
    const former = this.consumers.get(consumerId) ?? {};
    this.apply(former, -1);
    const fits = Object.entries(allocations).every(([id, { resources }]) => this.fits(id, resources));
    this.apply(fits ? allocations : former, 1);
    if (fits) this.consumers.set(consumerId, allocations);
    return fits;
  }

  release(consumerId: string): void {
    this.apply(this.consumers.get(consumerId) ?? {}, -1);
    this.consumers.delete(consumerId);
  }

  held(consumerId: string): Allocations | undefined {
    return this.consumers.get(consumerId);
  }

  private apply(allocations: Allocations, sign: 1 | -1): void {
    for (const [id, { resources }] of Object.entries(allocations)) {
      const usage = this.usages.get(id) ?? {};
      for (const [name, amount] of Object.entries(resources)) usage[name] = (usage[name] ?? 0) + sign * amount;
      this.usages.set(id, usage);
    }
  }
}

function total(groups: readonly RequestGroup[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const { resources } of groups) {
    for (const [name, amount] of Object.entries(resources)) sum[name] = (sum[name] ?? 0) + amount;
  }
  return sum;
}
