/**
 * What could be asked less of, one thing at a time. These are proposals: whether one helps is found out by running the
 * request without that thing, and only what helped is told.
 *
 * The request's own terms (zone, hints, the named host, properties that filters read) are listed here. Terms of the
 * question to Placement are proposed by Placement, which knows how much there is; `relaxedQuery` applies them.
 */
import type { CandidateQuery, RequestGroup } from './candidate-query';
import type { ScheduleRequest } from './types';

export interface Proposal {
  /** `availability_zone`, `host`, `scheduler_hint`, `server_group`, `extra_spec`, `image_property`, `excluded_host`. */
  readonly relax: string;
  readonly detail: string;
  /** What to change, in words. */
  readonly sentence: string;
  /** Names hosts, or is nothing that the server's owner could do. */
  readonly operatorsOnly?: true;
  readonly request: ScheduleRequest;
}

/** Every single term that the request could go without, those that users know best first. */
export function* proposalsOf(request: ScheduleRequest): Generator<Proposal> {
  yield* placeProposals(request);
  yield* hintProposals(request);
  yield* propertyProposals(request);
  for (const host of request.excludeHosts) {
    const excludeHosts = request.excludeHosts.filter((h) => h !== host);
    const sentence = `allow ${host}`;
    yield {
      relax: 'excluded_host',
      detail: host,
      sentence,
      operatorsOnly: true,
      request: { ...request, excludeHosts },
    };
  }
}

function* placeProposals(request: ScheduleRequest): Generator<Proposal> {
  const { availabilityZone: zone, requestedHost, requestedNode } = request;
  if (zone !== null) {
    const sentence = `do not insist on the availability zone ${zone}`;
    yield { relax: 'availability_zone', detail: zone, sentence, request: { ...request, availabilityZone: null } };
  }
  const detail = requestedHost ?? requestedNode;
  if (detail === null) return;
  const anywhere = { ...request, requestedHost: null, requestedNode: null };
  yield { relax: 'host', detail, sentence: `do not insist on the host ${detail}`, request: anywhere };
}

/** Hints that only have a meaning together go together. */
const TOGETHER = ['build_near_host_ip', 'cidr'];

function* hintProposals(request: ScheduleRequest): Generator<Proposal> {
  const { schedulerHints, serverGroup } = request;
  if (serverGroup) {
    const sentence = `leave the server out of its server group (${serverGroup.policy})`;
    const { serverGroup: _, ...rest } = request;
    yield { relax: 'server_group', detail: serverGroup.policy, sentence, request: rest };
  }
  for (const name of Object.keys(schedulerHints)) {
    if (name === 'cidr' && 'build_near_host_ip' in schedulerHints) continue;
    const gone = TOGETHER.includes(name) ? TOGETHER : [name];
    const left = Object.fromEntries(Object.entries(schedulerHints).filter(([key]) => !gone.includes(key)));
    const sentence = `drop the scheduler hint ${name}`;
    yield { relax: 'scheduler_hint', detail: name, sentence, request: { ...request, schedulerHints: left } };
  }
}

/** Extra specs that make the question to Placement: Placement proposes to relax those. */
const PLACEMENT_SPECS = /^(resources|trait|group_policy)/;

function* propertyProposals(request: ScheduleRequest): Generator<Proposal> {
  const { flavor, image } = request;
  for (const name of Object.keys(flavor.extraSpecs)) {
    if (PLACEMENT_SPECS.test(name)) continue;
    const { [name]: _, ...extraSpecs } = flavor.extraSpecs;
    const sentence = `use a flavor without the extra spec ${name}`;
    yield { relax: 'extra_spec', detail: name, sentence, request: { ...request, flavor: { ...flavor, extraSpecs } } };
  }
  for (const name of Object.keys(image?.properties ?? {})) {
    if (image === null || name.startsWith('trait:')) continue;
    const { [name]: _, ...properties } = image.properties;
    const sentence = `use an image without the property ${name}`;
    yield { relax: 'image_property', detail: name, sentence, request: { ...request, image: { ...image, properties } } };
  }
}

/** A term of a query as Placement names it when it says what would help; `to` is the amount that is asked instead. */
export interface QueryTerm {
  readonly relax: string;
  /** Suffix of the group; null for what is asked of roots or of all groups together. */
  readonly group: string | null;
  readonly detail: string;
  readonly resourceClass?: string;
  readonly to?: number;
}

/** The query without the term; undefined where it has no such term. */
export function relaxedQuery(query: CandidateQuery, term: QueryTerm): CandidateQuery | undefined {
  if (term.relax === 'root_required' || term.relax === 'root_forbidden') {
    const key = term.relax === 'root_required' ? 'rootRequired' : 'rootForbidden';
    const left = query[key].filter((trait) => trait !== term.detail);
    return left.length < query[key].length ? { ...query, [key]: left } : undefined;
  }
  if (term.relax === 'group_policy') return { ...query, groupPolicy: 'none' };
  if (term.relax === 'same_subtree') {
    const left = query.sameSubtree.filter((set) => !isSet(set, term.detail));
    return left.length < query.sameSubtree.length ? { ...query, sameSubtree: left } : undefined;
  }
  const group = query.groups.find((g) => g.suffix === (term.group ?? ''));
  const changed = group && relaxedGroup(group, term);
  return changed && { ...query, groups: query.groups.map((g) => (g === group ? changed : g)) };
}

function relaxedGroup(group: RequestGroup, term: QueryTerm): RequestGroup | undefined {
  const { relax, detail, resourceClass = '', to } = term;
  const { inTree, ...rest } = group;
  const without = <T>(list: readonly T[], is: (item: T) => boolean): T[] | undefined =>
    list.some(is) ? list.filter((item) => !is(item)) : undefined;
  const asSet = (set: readonly string[]): boolean => isSet(set, detail);
  switch (relax) {
    case 'resource':
      if (to === undefined || group.resources[resourceClass] === undefined) return undefined;
      return { ...group, resources: { ...group.resources, [resourceClass]: to } };
    case 'required': {
      const required = without(group.required, (trait) => trait === detail);
      if (required) return { ...group, required };
      const anyOf = without(group.anyOf, asSet);
      return anyOf && { ...group, anyOf };
    }
    case 'forbidden': {
      const forbidden = without(group.forbidden, (trait) => trait === detail);
      return forbidden && { ...group, forbidden };
    }
    case 'member_of': {
      const memberOf = without(group.memberOf, asSet);
      return memberOf && { ...group, memberOf };
    }
    case 'not_member_of': {
      const notMemberOf = without(group.notMemberOf, (id) => id === detail);
      return notMemberOf && { ...group, notMemberOf };
    }
    case 'in_tree':
      return inTree === detail ? rest : undefined;
    default:
      return undefined;
  }
}

/** Placement names a set by its members, with commas, in an order of its own. */
function isSet(set: readonly string[], detail: string): boolean {
  const named = new Set(detail.split(','));
  return set.length === named.size && set.every((member) => named.has(member));
}
