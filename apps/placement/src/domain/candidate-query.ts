/** What a candidates query asks for, free of microversions and wire forms. */

/** One request group. The unsuffixed group may be spread over a tree and what is shared with it; a suffixed one is met by one provider. */
export interface RequestGroup {
  /** '' for the unsuffixed group. */
  readonly suffix: string;
  /** Resource class → units. May be empty only for a suffixed group that a same_subtree names. */
  readonly resources: ReadonlyMap<string, number>;
  /** Each inner list: at least one of these traits. A plain required trait is a list of one. */
  readonly required: readonly (readonly string[])[];
  readonly forbidden: readonly string[];
  /** Each inner list: in at least one of these aggregates. */
  readonly memberOf: readonly (readonly string[])[];
  readonly notMemberOf: readonly string[];
  /** Uuid of any provider of the tree that must satisfy the group. */
  readonly inTree?: string;
}

export interface CandidateQuery {
  readonly groups: readonly RequestGroup[];
  /** `isolate`: every suffixed group on a provider of its own. */
  readonly groupPolicy?: 'none' | 'isolate';
  /** Each inner list of suffixes: one of their providers is ancestor-or-self of all the others. */
  readonly sameSubtree: readonly (readonly string[])[];
  /** Traits that the root of the (non-sharing) tree must have, or must not. */
  readonly rootRequired: readonly string[];
  readonly rootForbidden: readonly string[];
  readonly limit?: number;
  /** False (before 1.29): candidates that use two providers of one tree are left out. */
  readonly nestedAware: boolean;
}

/** The query's parts with their usual values, to be spread over. */
export const EMPTY_QUERY: CandidateQuery = {
  groups: [],
  sameSubtree: [],
  rootRequired: [],
  rootForbidden: [],
  nestedAware: true,
};
export const EMPTY_GROUP: RequestGroup = {
  suffix: '',
  resources: new Map(),
  required: [],
  forbidden: [],
  memberOf: [],
  notMemberOf: [],
};
