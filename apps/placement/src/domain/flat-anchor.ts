/**
 * The common case, at a tenth of the cost: a query of one group, and an anchor that is its whole tree and that nothing
 * is shared with. There is one provider to ask, and one candidate at most; the tests hold it to the general search.
 */
import { canGive } from './capacity';
import type { CandidateQuery, RequestGroup } from './candidate-query';
import type { Provider, Tree } from './provider';
import type { Candidate } from './search';

/** The group of a query that can be answered so. */
export function onlyGroup(query: CandidateQuery): RequestGroup | undefined {
  const [group] = query.groups;
  return query.groups.length === 1 && group && group.resources.size > 0 ? group : undefined;
}

/** What comes from a sharing provider alone is found from other anchors too, and is one candidate: not here. */
export const isFlat = (tree: Tree): boolean => tree.providers.length === 1 && !tree.root.sharing;

/** Whether the root alone satisfies the group. `treeOf`: the tree that a uuid is of. */
export function meetsAlone(root: Provider, group: RequestGroup, treeOf: (uuid: string) => Tree | undefined): boolean {
  for (const [rc, amount] of group.resources) if (!canGive(root, rc, amount)) return false;
  for (const set of group.required) if (!hasAny(root.traits, set)) return false;
  for (const set of group.memberOf) if (!hasAny(root.aggregates, set)) return false;
  if (hasAny(root.traits, group.forbidden) || hasAny(root.aggregates, group.notMemberOf)) return false;
  return group.inTree === undefined || treeOf(group.inTree) === root.tree;
}

/** What is asked of the root, as a candidate; its parts are made when they are looked at. */
export class FlatCandidate implements Candidate {
  constructor(
    readonly anchor: Provider,
    private readonly group: RequestGroup,
  ) {}

  get givers(): readonly Provider[] {
    return [this.anchor];
  }

  get allocations(): Candidate['allocations'] {
    return new Map([[this.anchor, this.group.resources]]);
  }

  get mappings(): Candidate['mappings'] {
    return new Map([[this.group.suffix, [this.anchor]]]);
  }
}

function hasAny(set: ReadonlySet<string>, names: readonly string[]): boolean {
  for (const name of names) if (set.has(name)) return true;
  return false;
}
