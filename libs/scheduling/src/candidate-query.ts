/**
 * What is asked of Placement, and what it answers. The shapes are those of the placement contract; they are declared
 * here again because this library depends on no contract.
 */
export interface RequestGroup {
  /** '' names the unsuffixed group. */
  suffix: string;
  /** Resource class → amount. */
  resources: Record<string, number>;
  required: string[];
  forbidden: string[];
  /** Each inner list: at least one of. */
  anyOf: string[][];
  /** Each inner list: in at least one of these aggregates. */
  memberOf: string[][];
  notMemberOf: string[];
  /** Root (or any member) of the only tree that may answer. */
  inTree?: string;
}

export interface CandidateQuery {
  groups: RequestGroup[];
  groupPolicy?: 'none' | 'isolate';
  sameSubtree: string[][];
  rootRequired: string[];
  rootForbidden: string[];
  /** Left out: no limit. */
  limit?: number;
}

export type Allocations = Record<string, { resources: Record<string, number> }>;

export interface Candidate {
  /** Provider → resources to claim there. */
  allocations: Allocations;
  /** Root of the tree this candidate is of: the uuid of the compute node. */
  rootId: string;
}

/** What one check of the candidate search let through. */
export interface SearchStage {
  group: string;
  check: string;
  detail: string;
  in: number;
  out: number;
  bestFree?: number;
  bestMaxUnit?: number;
}

export const emptyGroup = (suffix: string): RequestGroup => ({
  suffix,
  resources: {},
  required: [],
  forbidden: [],
  anyOf: [],
  memberOf: [],
  notMemberOf: [],
});
