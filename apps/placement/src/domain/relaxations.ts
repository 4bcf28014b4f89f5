/**
 * All ways to ask for one thing less: the query with one of its terms dropped. Every one of them is a query that the
 * API takes too, so a group without resources keeps a term and stays in a same_subtree.
 */
import type { CandidateQuery, RequestGroup } from './candidate-query';

export interface Relaxation {
  readonly relax:
    | 'root_required'
    | 'root_forbidden'
    | 'in_tree'
    | 'member_of'
    | 'not_member_of'
    | 'required'
    | 'forbidden'
    | 'same_subtree'
    | 'group_policy'
    | 'resource';
  /** Suffix of the group; null for what is asked of the whole. */
  readonly group: string | null;
  /** What is dropped, or the resource that is lowered: `DISK_GB:80`. */
  readonly detail: string;
  readonly resource?: LoweredResource;
  /** What is then asked. */
  readonly query: CandidateQuery;
}

export interface LoweredResource {
  readonly resourceClass: string;
  readonly from: number;
  readonly to: number;
}

/** The query without one of its terms, for each of them. Amounts of resources are not among them (`lowered`). */
export function* dropsOf(query: CandidateQuery): Generator<Relaxation> {
  for (const trait of query.rootRequired)
    yield whole(query, 'root_required', trait, { rootRequired: query.rootRequired.filter((t) => t !== trait) });
  for (const trait of query.rootForbidden)
    yield whole(query, 'root_forbidden', trait, { rootForbidden: query.rootForbidden.filter((t) => t !== trait) });
  for (const group of query.groups) {
    if (group.resources.size > 0 || termsOf(group) > 1) yield* dropsOfGroup(query, group);
  }
  for (const [i, suffixes] of query.sameSubtree.entries()) {
    const sameSubtree = without(query.sameSubtree, i);
    const named = new Set(sameSubtree.flat());
    if (query.groups.every((g) => g.resources.size > 0 || named.has(g.suffix)))
      yield whole(query, 'same_subtree', suffixes.join(), { sameSubtree });
  }
  if (query.groupPolicy === 'isolate') yield whole(query, 'group_policy', 'isolate', { groupPolicy: 'none' });
}

/** The query with another amount of one resource of one group. */
export function lowered(query: CandidateQuery, group: RequestGroup, resource: LoweredResource): Relaxation {
  const resources = new Map(group.resources).set(resource.resourceClass, resource.to);
  const detail = `${resource.resourceClass}:${resource.from}`;
  return { ...inGroup(query, group, 'resource', detail, { resources }), resource };
}

/** The query with the group asking for other things. */
export function withGroup(
  query: CandidateQuery,
  { suffix }: RequestGroup,
  change: Partial<RequestGroup>,
): CandidateQuery {
  return { ...query, groups: query.groups.map((g) => (g.suffix === suffix ? { ...g, ...change } : g)) };
}

/** What to change, in words. */
export function sentenceOf({ relax, group, detail, resource }: Relaxation): string {
  const where = group ? ` in group ${group}` : '';
  if (resource) return `ask for ${resource.to} instead of ${resource.from} ${resource.resourceClass}${where}`;
  return `${SENTENCES[relax](detail)}${where}`;
}

const SENTENCES: Record<Relaxation['relax'], (detail: string) => string> = {
  root_required: (trait) => `do not require ${trait} of the root`,
  root_forbidden: (trait) => `do not forbid ${trait} at the root`,
  in_tree: (uuid) => `do not insist on the tree of ${uuid}`,
  member_of: (aggregates) => `do not insist on membership of ${aggregates}`,
  not_member_of: (aggregate) => `do not exclude members of ${aggregate}`,
  required: (traits) => `do not require ${traits}`,
  forbidden: (trait) => `do not forbid ${trait}`,
  same_subtree: (suffixes) => `do not keep ${suffixes} in one subtree`,
  group_policy: () => 'let groups share providers (group_policy none)',
  resource: (amount) => `ask for less than ${amount}`,
};

function* dropsOfGroup(query: CandidateQuery, group: RequestGroup): Generator<Relaxation> {
  const { inTree, ...rest } = group;
  if (inTree !== undefined) {
    const groups = query.groups.map((g) => (g === group ? rest : g));
    yield { relax: 'in_tree', group: group.suffix, detail: inTree, query: { ...query, groups } };
  }
  for (const [i, set] of group.memberOf.entries())
    yield inGroup(query, group, 'member_of', set.join(), { memberOf: without(group.memberOf, i) });
  for (const [i, aggregate] of group.notMemberOf.entries())
    yield inGroup(query, group, 'not_member_of', aggregate, { notMemberOf: without(group.notMemberOf, i) });
  for (const [i, set] of group.required.entries())
    yield inGroup(query, group, 'required', set.join(), { required: without(group.required, i) });
  for (const [i, trait] of group.forbidden.entries())
    yield inGroup(query, group, 'forbidden', trait, { forbidden: without(group.forbidden, i) });
}

function whole(
  query: CandidateQuery,
  relax: Relaxation['relax'],
  detail: string,
  change: Partial<CandidateQuery>,
): Relaxation {
  return { relax, group: null, detail, query: { ...query, ...change } };
}

function inGroup(
  query: CandidateQuery,
  group: RequestGroup,
  relax: Relaxation['relax'],
  detail: string,
  change: Partial<RequestGroup>,
): Relaxation {
  return { relax, group: group.suffix, detail, query: withGroup(query, group, change) };
}

function termsOf(group: RequestGroup): number {
  const { required, forbidden, memberOf, notMemberOf, inTree } = group;
  return required.length + forbidden.length + memberOf.length + notMemberOf.length + (inTree === undefined ? 0 : 1);
}

function without<T>(list: readonly T[], place: number): T[] {
  return list.filter((_, i) => i !== place);
}
