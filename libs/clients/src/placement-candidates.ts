/** The search for candidates over REST: the contract's question as a query, the answer as the contract tells it. */
import { unimplemented, type RequestContext } from '@fractus/objects';
import type { AllocationResources, Candidate, CandidateQuery, Candidates, RequestGroup } from '@fractus/rpc-contracts';
import { ANY_TRAITS, type PlacementApi } from './placement-api';
import { accepted, REFUSALS } from './placement-refusals';
import type { QueryValue } from './rest';

interface WireCandidates {
  allocation_requests: {
    allocations: Record<string, AllocationResources>;
    mappings?: Record<string, string[]>;
  }[];
  provider_summaries: Record<
    string,
    {
      resources: Record<string, { capacity: number; used: number }>;
      traits: string[];
      parent_provider_uuid: string | null;
      root_provider_uuid: string;
    }
  >;
}

/** Providers with it serve other trees: the compute node is somewhere else. */
const SHARING = 'MISC_SHARES_VIA_AGGREGATE';

/** Always in full: a Placement elsewhere knows no outline. Nor does it tell why it found nothing, so `stages` are empty. */
export async function findCandidates(
  api: PlacementApi,
  ctx: RequestContext,
  asked: CandidateQuery,
): Promise<Candidates> {
  const query = await candidatesQuery(api, ctx, asked);
  const call = { method: 'GET', path: '/allocation_candidates', query, accept: REFUSALS } as const;
  const wire = accepted(await api.call(ctx, call)).body as WireCandidates;
  return {
    candidates: wire.allocation_requests.map((r) => candidateOf(r, wire.provider_summaries)),
    summaries: Object.fromEntries(
      Object.entries(wire.provider_summaries).map(([uuid, s]) => [
        uuid,
        { resources: s.resources, traits: s.traits, parentId: s.parent_provider_uuid, rootId: s.root_provider_uuid },
      ]),
    ),
    stages: [],
  };
}

/** The question as a query. @throws unimplemented `placement.version` for one of several traits, before 1.39. */
export async function candidatesQuery(
  api: PlacementApi,
  ctx: RequestContext,
  asked: CandidateQuery,
): Promise<Record<string, QueryValue>> {
  const anyOf = asked.groups.some((g) => g.anyOf.some((traits) => traits.length > 1));
  if (!anyOf || (await api.minor(ctx)) >= ANY_TRAITS) return queryOf(asked);
  const sentence = `Placement offers less than 1.${ANY_TRAITS}, in which one of several traits can be asked for.`;
  throw unimplemented(sentence, { code: 'placement.version' });
}

function queryOf(asked: CandidateQuery): Record<string, QueryValue> {
  const { groups, groupPolicy, sameSubtree, rootRequired, rootForbidden, limit } = asked;
  const granular = groups.filter((g) => g.suffix !== '' && Object.keys(g.resources).length > 0);
  // without a word several may meet in one provider; over REST that must be said
  const policy = groupPolicy ?? (granular.length > 1 ? 'none' : undefined);
  const roots = [...rootRequired, ...forbid(rootForbidden)];
  return {
    ...Object.assign({}, ...groups.map(groupQuery)),
    group_policy: policy,
    same_subtree: some(sameSubtree.map((suffixes) => suffixes.join(','))),
    root_required: roots.length > 0 ? roots.join(',') : undefined,
    limit,
  };
}

function groupQuery(g: RequestGroup): Record<string, QueryValue> {
  const single = g.anyOf.filter((traits) => traits.length === 1).flat();
  const traits = [...g.required, ...single, ...forbid(g.forbidden)];
  const anyOf = g.anyOf.filter((list) => list.length > 1).map((list) => `in:${list.join(',')}`);
  const within = g.memberOf.map((list) => `in:${list.join(',')}`);
  const outside = g.notMemberOf.length > 0 ? [`!in:${g.notMemberOf.join(',')}`] : [];
  const resources = Object.entries(g.resources).map(([rc, units]) => `${rc}:${units}`);
  return {
    [`resources${g.suffix}`]: resources.length > 0 ? resources.join(',') : undefined,
    [`required${g.suffix}`]: some([...(traits.length > 0 ? [traits.join(',')] : []), ...anyOf]),
    [`member_of${g.suffix}`]: some([...within, ...outside]),
    [`in_tree${g.suffix}`]: g.inTree,
  };
}

const forbid = (traits: readonly string[]): string[] => traits.map((t) => `!${t}`);
const some = (list: string[]): string[] | undefined => (list.length > 0 ? list : undefined);

function candidateOf(
  { allocations, mappings = {} }: WireCandidates['allocation_requests'][number],
  summaries: WireCandidates['provider_summaries'],
): Candidate {
  const named = [...Object.keys(allocations), ...Object.values(mappings).flat()];
  const own = named.find((uuid) => !summaries[uuid]?.traits.includes(SHARING)) ?? named[0] ?? '';
  return { allocations: bare(allocations), mappings, rootId: summaries[own]?.root_provider_uuid ?? own };
}

const bare = (allocations: Record<string, AllocationResources>): Record<string, AllocationResources> =>
  Object.fromEntries(Object.entries(allocations).map(([uuid, { resources }]) => [uuid, { resources }]));
