/** Reads the whole query string of GET /allocation_candidates, groups and request-wide parameters. */
import { invalid } from '@fractus/objects';
import type { CandidateQuery, RequestGroup } from '../domain/candidate-query';
import { parseInTree, parseMemberOf, parseResources, parseTraits } from './parameters';
import { GROUP_NAME } from './query-schemas';
import type { PlacementFlags } from './versions';

const BAD_VALUE = { code: 'placement.query.bad_value' };
type Query = Record<string, string[]>;
type Draft = { -readonly [K in keyof RequestGroup]: RequestGroup[K] };

export function parseCandidateQuery(query: Query, flags: PlacementFlags): CandidateQuery {
  const groups = readGroups(query, flags);
  const sameSubtree = (query['same_subtree'] ?? []).map(parseSubtree);
  if (flags.sameSubtree) checkSubtrees(groups, sameSubtree);
  else checkOrphans(groups);
  if (flags.forbiddenTraits) checkConflicts(groups);
  const policy = query['group_policy']?.[0];
  if (policy === undefined && [...groups.keys()].filter((s) => s !== '').length > 1) {
    throw invalid('The "group_policy" parameter is required when specifying more than one "resources{N}" parameter.', {
      code: 'query.group_policy',
    });
  }
  const limit = query['limit']?.[0]; // of several the first counts, as upstream has it
  return {
    groups: [...groups.values()],
    ...(policy === 'isolate' || policy === 'none' ? { groupPolicy: policy } : {}),
    sameSubtree,
    ...rootTraits(query['root_required'] ?? []),
    ...(limit === undefined ? {} : { limit: Math.min(Number(limit), Number.MAX_SAFE_INTEGER) }),
    nestedAware: flags.nestedCandidates,
  };
}

function readGroups(query: Query, flags: PlacementFlags): Map<string, Draft> {
  const pattern = new RegExp(
    `^(resources|required|member_of|in_tree)(${flags.namedGroups ? GROUP_NAME : '[1-9][0-9]*'})?$`,
  );
  const groups = new Map<string, Draft>();
  for (const [name, values] of Object.entries(query)) {
    const m = pattern.exec(name);
    if (!m) continue;
    const suffix = m[2] ?? '';
    let group = groups.get(suffix);
    if (!group)
      groups.set(
        suffix,
        (group = { suffix, resources: new Map(), required: [], forbidden: [], memberOf: [], notMemberOf: [] }),
      );
    const last = values.at(-1) ?? '';
    if (m[1] === 'resources') group.resources = parseResources(last);
    else if (m[1] === 'required') Object.assign(group, parseTraits(values, flags));
    else if (m[1] === 'member_of') Object.assign(group, parseMemberOf(values, flags, suffix));
    else group.inTree = parseInTree(last);
  }
  return groups;
}

function parseSubtree(value: string): string[] {
  const suffixes = value.split(',').map((s) => s.trim());
  if (suffixes.some((s) => s === '')) {
    throw invalid('Empty string (unsuffixed group) can not be specified in `same_subtree`', BAD_VALUE);
  }
  return [...new Set(suffixes)];
}

function checkSubtrees(groups: ReadonlyMap<string, Draft>, sameSubtree: readonly string[][]): void {
  const bare = [...groups.values()].filter((g) => g.resources.size === 0).map((g) => g.suffix);
  if (bare.length === groups.size) {
    throw invalid('There must be at least one resources or resources[$S] parameter.', {
      code: 'placement.query.missing_value',
    });
  }
  const named = new Set(sameSubtree.flat());
  const loose = bare.filter((s) => !named.has(s));
  if (loose.length) {
    throw invalid(
      `Resourceless suffixed group request should be specified in \`same_subtree\` query param: bad group(s) - ${loose.map((s) => `'${s}'`).join(', ')}.`,
      BAD_VALUE,
    );
  }
  const unreal = [...named].filter((s) => !groups.has(s));
  if (unreal.length) {
    throw invalid(
      `Real suffixes should be specified in \`same_subtree\`: ${unreal.join(', ')} not found in ${[...groups.keys()].join(', ')}.`,
      BAD_VALUE,
    );
  }
}

/** Before 1.36 every group needs resources. */
function checkOrphans(groups: ReadonlyMap<string, Draft>): void {
  const bare = [...groups.values()].filter((g) => g.resources.size === 0);
  const traits = bare.filter((g) => g.required.length).map((g) => `required${g.suffix}`);
  if (traits.length) {
    throw invalid(
      `All traits parameters must be associated with resources.  Found the following orphaned traits keys: ${traits.join(', ')}`,
      { code: 'query.orphans' },
    );
  }
  const aggregates = bare.filter((g) => g.memberOf.length || g.notMemberOf.length).map((g) => `member_of${g.suffix}`);
  if (aggregates.length) {
    throw invalid(
      `All member_of parameters must be associated with resources. Found the following orphaned member_of keys: ${aggregates.join(', ')}`,
      { code: 'query.orphans' },
    );
  }
  if (bare.length) throw invalid('All request groups must specify resources.', { code: 'query.orphans' });
  if (groups.size === 0)
    throw invalid('At least one request group (`resources` or `resources{$S}`) is required.', {
      code: 'query.orphans',
    });
}

function checkConflicts(groups: ReadonlyMap<string, Draft>): void {
  const clashes: string[] = [];
  for (const group of groups.values()) {
    for (const set of group.required) {
      if (set.every((t) => group.forbidden.includes(t)))
        clashes.push(`required${group.suffix}: (${[...set].sort().join(', ')})`);
    }
  }
  if (clashes.length)
    throw invalid(
      `Conflicting required and forbidden traits found in the following traits keys: ${clashes.sort().join(', ')}`,
      { code: 'query.conflict' },
    );
}

function rootTraits(values: readonly string[]): { rootRequired: string[]; rootForbidden: string[] } {
  if (values.length === 0) return { rootRequired: [], rootForbidden: [] };
  if (values.length > 1)
    throw invalid("Query parameter 'root_required' may be specified only once.", {
      code: 'placement.query.duplicate_key',
    });
  const { required, forbidden } = parseTraits(values, { forbiddenTraits: true, anyTraits: false });
  const names = required.flat();
  const both = names.filter((t) => forbidden.includes(t)).sort();
  if (both.length)
    throw invalid(`Conflicting required and forbidden traits found in root_required: ${both.join(', ')}`, BAD_VALUE);
  return { rootRequired: [...new Set(names)], rootForbidden: [...new Set(forbidden)] };
}
