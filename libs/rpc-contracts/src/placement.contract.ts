import { IsBoolean, IsIn, IsInt, IsNumber, IsOptional, IsString, IsUUID, Min } from 'class-validator';
import { ListOf, MapOf, Nested, Nullable } from '@fractus/dto-schema';
import { call, defineContract } from './contract';
import { AllocationResources } from './operations.dto';

const AMOUNTS = { type: 'object', additionalProperties: { type: 'integer' } } as const;

/** Inventory of one resource class; the rules are upstream's (amount = total − reserved, times allocation_ratio). */
export class InventoryRecord {
  @IsInt() total: number;
  @IsInt() reserved: number;
  @IsInt() minUnit: number;
  @IsInt() maxUnit: number;
  @IsInt() stepSize: number;
  @IsNumber() allocationRatio: number;
}

/** A provider with all that hangs on it. */
export class ProviderRecord {
  @IsUUID() providerId: string;
  @IsString() name: string;
  @IsInt() generation: number;
  @Nullable() @IsUUID() parentId: string | null;
  @IsUUID() rootId: string;
  @MapOf(() => InventoryRecord) inventories: Record<string, InventoryRecord>;
  @MapOf('integer') usages: Record<string, number>;
  @ListOf('string') traits: string[];
  @ListOf('string') aggregates: string[];
}
export class ProviderRecords {
  @ListOf(() => ProviderRecord) providers: ProviderRecord[];
}

export class EnsureProvider {
  @IsUUID() providerId: string;
  @IsString() name: string;
  @Nullable() @IsUUID() parentId: string | null;
}
/** Makes those that are missing, leaves the others alone, answers with all. `conflict` if a name belongs to another uuid. */
export class EnsureProviders {
  @ListOf(() => EnsureProvider) providers: EnsureProvider[];
}
export class ProviderIds {
  @ListOf('string') providerIds: string[];
}
export class ProviderId {
  @IsUUID() providerId: string;
}
/** The providers of one or more trees, whole. */
export class TreeIds {
  @ListOf('string') rootIds: string[];
}

/** Whatever is given is set, all in one transaction per provider; `conflict` code `placement.concurrent_update` when the generation moved. */
export class ProviderUpdate {
  @IsUUID() providerId: string;
  @IsInt() generation: number;
  @IsOptional() @MapOf(() => InventoryRecord) inventories?: Record<string, InventoryRecord>;
  @IsOptional() @ListOf('string') traits?: string[];
  @IsOptional() @ListOf('string') aggregates?: string[];
}
export class UpdateProviders {
  @ListOf(() => ProviderUpdate) updates: ProviderUpdate[];
}
export class ProviderUpdateResult {
  @IsUUID() providerId: string;
  /** The new generation, or null when this update failed. */
  @Nullable() @IsInt() generation: number | null;
  /** Code of the failure, if it failed; the others of the batch are not affected. */
  @IsOptional() @IsString() error?: string;
  @IsOptional() @IsString() message?: string;
}
export class ProviderUpdateResults {
  @ListOf(() => ProviderUpdateResult) results: ProviderUpdateResult[];
}

/** One request group. The unsuffixed group has suffix ''. */
export class RequestGroup {
  @IsString() suffix: string;
  @MapOf('integer') resources: Record<string, number>;
  @ListOf('string') required: string[];
  @ListOf('string') forbidden: string[];
  /** Each inner list: at least one of. */
  @ListOf({ type: 'array', items: { type: 'string' } }) anyOf: string[][];
  /** Each inner list: in at least one of these aggregates. */
  @ListOf({ type: 'array', items: { type: 'string' } }) memberOf: string[][];
  @ListOf('string') notMemberOf: string[];
  @IsOptional() @IsString() inTree?: string;
}
export class CandidateQuery {
  @ListOf(() => RequestGroup) groups: RequestGroup[];
  @IsOptional() @IsIn(['none', 'isolate']) groupPolicy?: 'none' | 'isolate';
  @ListOf({ type: 'array', items: { type: 'string' } }) sameSubtree: string[][];
  @ListOf('string') rootRequired: string[];
  @ListOf('string') rootForbidden: string[];
  @IsOptional() @IsInt() @Min(1) limit?: number;
  /**
   * Resource classes whose free units of each root the caller wants to know. With it the answer is an `outline`;
   * `candidates` and `summaries` are empty then, unless Placement is older than this member.
   */
  @IsOptional() @ListOf('string') roomOf?: string[];
}
export class Candidate {
  @MapOf(() => AllocationResources) allocations: Record<string, AllocationResources>;
  /** Suffix → providers that satisfy it. */
  @MapOf({ type: 'array', items: { type: 'string' } }) mappings: Record<string, string[]>;
  /** Root of the (non-sharing) tree this candidate is of: the compute node. */
  @IsUUID() rootId: string;
}
/** What one check of the search let through. Providers for resource and trait checks, roots for root and policy checks. */
export class SearchStage {
  @IsString() group: string;
  /** `resource`, `required`, `forbidden`, `any_of`, `member_of`, `not_member_of`, `in_tree`, `root_required`, `root_forbidden`, `group_policy`, `same_subtree`, `capacity`, `nested`, `budget`. */
  @IsString() check: string;
  @IsString() detail: string;
  @IsInt() in: number;
  @IsInt() out: number;
  /** For resource checks: the most that any provider has free, and its max_unit. */
  @IsOptional() @IsInt() bestFree?: number;
  @IsOptional() @IsInt() bestMaxUnit?: number;
}
export class ResourceSummary {
  @IsInt() used: number;
  @IsInt() capacity: number;
}
export class ProviderSummary {
  @MapOf(() => ResourceSummary) resources: Record<string, ResourceSummary>;
  @ListOf('string') traits: string[];
  @Nullable() @IsUUID() parentId: string | null;
  @IsUUID() rootId: string;
}
/**
 * Candidates in short: what is the same in many is told once, and places in lists (from 0) stand for it. A hundred take
 * a twentieth of what they take in full.
 */
export class CandidateOutline {
  /** Uuids, each once: first the roots that candidates are of, then other providers that they name. */
  @ListOf('string') providers: string[];
  /** What is taken of one provider: resource class → units. Each once. */
  @ListOf(AMOUNTS) demands: Record<string, number>[];
  /** Of each candidate: the place of its root in `providers`, then by turns places of a provider and of its demand. */
  @ListOf({ type: 'array', items: { type: 'integer' } }) candidates: number[][];
  /** Resource class of `roomOf` → free units of each root, in their order; null where it has no such inventory. */
  @MapOf({ type: 'array', items: { type: ['integer', 'null'] } }) room: Record<string, (number | null)[]>;
}
export class Candidates {
  @ListOf(() => Candidate) candidates: Candidate[];
  @MapOf(() => ProviderSummary) summaries: Record<string, ProviderSummary>;
  @ListOf(() => SearchStage) stages: SearchStage[];
  @IsOptional() @Nested(() => CandidateOutline) outline?: CandidateOutline;
}

/** In whose name an allocation is written: a lower fence than one already seen for the consumer is refused (`claim.stale_fence`). */
export class ClaimOwner {
  @IsUUID() taskId: string;
  @IsInt() @Min(1) fence: number;
}
export class ConsumerAllocations {
  @IsUUID() consumerId: string;
  /** Null: the consumer must not exist. Left out: not checked. */
  @IsOptional() @Nullable() @IsInt() consumerGeneration?: number | null;
  @IsString() projectId: string;
  @IsString() userId: string;
  @IsOptional() @IsString() consumerType?: string;
  /** Provider uuid → resources. Empty: the consumer's allocations are removed. */
  @MapOf(() => AllocationResources) allocations: Record<string, AllocationResources>;
  @IsOptional() @Nested(() => ClaimOwner) owner?: ClaimOwner;
}
/** All or nothing, over every consumer given. */
export class WriteAllocations {
  @ListOf(() => ConsumerAllocations) consumers: ConsumerAllocations[];
}
export class ConsumerId {
  @IsUUID() consumerId: string;
}
export class ConsumerRecord {
  @IsUUID() consumerId: string;
  /** Null when the consumer does not exist; allocations are then empty. */
  @Nullable() @IsInt() consumerGeneration: number | null;
  @IsOptional() @IsString() projectId?: string;
  @IsOptional() @IsString() userId?: string;
  @IsOptional() @IsString() consumerType?: string;
  @MapOf(() => AllocationResources) allocations: Record<string, AllocationResources>;
  /** Epoch milliseconds of the last write. */
  @IsOptional() @IsInt() updatedAt?: number;
}
export class ConsumerRecords {
  @ListOf(() => ConsumerRecord) consumers: ConsumerRecord[];
}
/** Removes whatever the consumer holds, whether or not it holds anything; with an owner, later writes of lower fences are refused. */
export class DeleteAllocations {
  @IsUUID() consumerId: string;
  @IsOptional() @Nested(() => ClaimOwner) owner?: ClaimOwner;
  /** Delete only if the consumer's generation is still this; `conflict` else. */
  @IsOptional() @IsInt() consumerGeneration?: number;
}
export class Deleted {
  @IsBoolean() deleted: boolean;
}
/** Consumers in order of uuid, for reconcilers. */
export class ListConsumers {
  @IsOptional() @IsUUID() marker?: string;
  @IsInt() @Min(1) limit: number;
}

/** Each counted once, from however many roots it is reached. */
export class SearchCount {
  @IsInt() providers: number;
  @IsInt() trees: number;
  /** Roots that candidates may still be found for. */
  @IsInt() anchors: number;
}
/** What one check of the search let through, whole; each root goes through them in this order until one leaves it nothing. */
export class ExplainedStage {
  /** Suffix of the group; null for what is asked of roots and of all groups together. */
  @Nullable() @IsString() group: string | null;
  /** `root_required`, `root_forbidden`, `inventory`, `in_tree`, `member_of`, `not_member_of`, `required`, `forbidden`, `resource`, `combination`. */
  @IsString() check: string;
  /** What was asked: `DISK_GB:80`, a trait, aggregates; `together` for what is judged over several providers. */
  @IsString() detail: string;
  @Nested(() => SearchCount) in: SearchCount;
  @Nested(() => SearchCount) out: SearchCount;
  /**
   * At `inventory`: resource class → providers without it. At `resource`: `no_inventory`, `min_unit`, `max_unit`,
   * `step_size`, `total`, `reserved`, `used` → providers. At `combination`: `group_policy`, `capacity`, `same_subtree`,
   * `nested`, `required`, `budget` → roots.
   */
  @MapOf('integer') reasons: Record<string, number>;
  /** For resource checks, from here on: the class, the units asked of one provider, and providers that have the class. */
  @IsOptional() @IsString() resourceClass?: string;
  @IsOptional() @IsInt() need?: number;
  @IsOptional() @IsInt() offered?: number;
  /** The most that any of them has free, and its max_unit; left out where nobody has the class. */
  @IsOptional() @IsInt() bestFree?: number;
  @IsOptional() @IsInt() bestMaxUnit?: number;
}
/** The check that ended a root's chance. */
export class ExplainedRoot {
  @IsUUID() rootId: string;
  @IsString() name: string;
  @Nullable() @IsString() group: string | null;
  /** Of a stage, or the reason of a `combination`. */
  @IsString() check: string;
  @IsString() detail: string;
  /** For resource checks: the reason at the provider of this root that has most free. */
  @IsOptional() @IsString() shortage?: string;
  /** Its min_unit, max_unit or step_size where that is the reason; what it has free else. */
  @IsOptional() @IsInt() have?: number;
  @IsOptional() @IsInt() need?: number;
}
/** One thing less that alone gives candidates. */
export class QueryRelaxation {
  /** `resource` (an amount is lowered), or what is dropped: `required`, `forbidden`, `member_of`, `not_member_of`, `in_tree`, `root_required`, `root_forbidden`, `same_subtree`, `group_policy`. */
  @IsString() relax: string;
  @Nullable() @IsString() group: string | null;
  @IsString() detail: string;
  /** What to change, in words. */
  @IsString() sentence: string;
  /** Roots that would have a candidate. */
  @IsInt() anchors: number;
  /** There may be more of them: not all were looked at. */
  @IsBoolean() atLeast: boolean;
  /** For `resource`: the class, the units asked, and the most that fits instead. */
  @IsOptional() @IsString() resourceClass?: string;
  @IsOptional() @IsInt() from?: number;
  @IsOptional() @IsInt() to?: number;
}
/** Why a query has the candidates it has, whatever its limit, or has none. */
export class CandidateExplanation {
  /** Counted up to 1000; `more` when there are more. */
  @IsInt() candidates: number;
  @IsBoolean() more: boolean;
  /** The whole estate. */
  @Nested(() => SearchCount) asked: SearchCount;
  @ListOf(() => ExplainedStage) stages: ExplainedStage[];
  /** Roots without a candidate, and the first 200 of them. */
  @IsInt() failedRoots: number;
  @ListOf(() => ExplainedRoot) roots: ExplainedRoot[];
  /** Up to 8, those that help most roots first; empty where there are candidates. */
  @ListOf(() => QueryRelaxation) wouldFitIf: QueryRelaxation[];
  /** The search's budget was spent, or there are more relaxations than are told. */
  @IsBoolean() truncated: boolean;
}

export const placementContract = defineContract('placement', 'queue', {
  ensureProviders: call(EnsureProviders, ProviderRecords, 60_000),
  getProviders: call(ProviderIds, ProviderRecords),
  getTrees: call(TreeIds, ProviderRecords),
  updateProviders: call(UpdateProviders, ProviderUpdateResults, 60_000),
  deleteProvider: call(ProviderId, Deleted),
  getCandidates: call(CandidateQuery, Candidates),
  writeAllocations: call(WriteAllocations, ConsumerRecords),
  getAllocations: call(ConsumerId, ConsumerRecord),
  deleteAllocations: call(DeleteAllocations, Deleted),
  listConsumers: call(ListConsumers, ConsumerRecords),
  explainCandidates: call(CandidateQuery, CandidateExplanation),
});
