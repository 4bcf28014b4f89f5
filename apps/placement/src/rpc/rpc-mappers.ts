/** Between the RPC contract's messages and the domain. */
import type {
  CandidateQuery as QueryMessage,
  Candidates,
  ConsumerAllocations,
  ConsumerRecord,
  InventoryRecord,
  ProviderRecord,
  ProviderUpdate,
} from '@fractus/rpc-contracts';
import type { CandidateQuery } from '../domain/candidate-query';
import { capacityOf } from '../domain/capacity';
import type { Inventory, Provider } from '../domain/provider';
import type { Candidate, SearchResult } from '../domain/search';
import type { Stage } from '../domain/trace';
import type { Consumer, ConsumerWrite } from '../services/allocations.types';
import type { ProviderChange } from '../services/provider-updates.service';
import { toOutline } from './outline';
import { toSearchStages } from './search-stages';

export function toProviderRecord(p: Provider): ProviderRecord {
  return {
    providerId: p.uuid,
    name: p.name,
    generation: p.generation,
    parentId: p.parent?.uuid ?? null,
    rootId: p.tree.root.uuid,
    inventories: Object.fromEntries([...p.inventories].map(([rc, i]) => [rc, { ...i }])),
    usages: Object.fromEntries([...p.inventories.keys()].map((rc) => [rc, p.used.get(rc) ?? 0])),
    traits: [...p.traits],
    aggregates: [...p.aggregates],
  };
}

const toInventories = (records: Record<string, InventoryRecord>): Map<string, Inventory> =>
  new Map(
    Object.entries(records).map(([rc, { total, reserved, minUnit, maxUnit, stepSize, allocationRatio }]) => [
      rc,
      { total, reserved, minUnit, maxUnit, stepSize, allocationRatio },
    ]),
  );

export function toChange({ providerId, generation, inventories, traits, aggregates }: ProviderUpdate): ProviderChange {
  return {
    uuid: providerId,
    generation,
    ...(inventories === undefined ? {} : { inventories: toInventories(inventories) }),
    ...(traits === undefined ? {} : { traits }),
    ...(aggregates === undefined ? {} : { aggregates }),
  };
}

export function toQuery(message: QueryMessage): CandidateQuery {
  return {
    groups: message.groups.map((g) => ({
      suffix: g.suffix,
      resources: new Map(Object.entries(g.resources)),
      required: [...g.required.map((t) => [t]), ...g.anyOf],
      forbidden: g.forbidden,
      memberOf: g.memberOf,
      notMemberOf: g.notMemberOf,
      ...(g.inTree === undefined ? {} : { inTree: g.inTree }),
    })),
    ...(message.groupPolicy === undefined ? {} : { groupPolicy: message.groupPolicy }),
    sameSubtree: message.sameSubtree,
    rootRequired: message.rootRequired,
    rootForbidden: message.rootForbidden,
    ...(message.limit === undefined ? {} : { limit: message.limit }),
    nestedAware: true,
  };
}

/** In full, or as an outline where the room of roots was asked for. */
export function toCandidates(result: SearchResult, stages: readonly Stage[], roomOf?: readonly string[]): Candidates {
  const told = stages.flatMap(toSearchStages);
  if (roomOf) return { candidates: [], summaries: {}, stages: told, outline: toOutline(result.candidates, roomOf) };
  const summaries: Candidates['summaries'] = {};
  for (const tree of result.trees) {
    for (const p of tree.providers) {
      summaries[p.uuid] = {
        resources: Object.fromEntries(
          [...p.inventories].map(([rc, i]) => [rc, { used: p.used.get(rc) ?? 0, capacity: capacityOf(i) }]),
        ),
        traits: [...p.traits],
        parentId: p.parent?.uuid ?? null,
        rootId: tree.root.uuid,
      };
    }
  }
  return { candidates: result.candidates.map(toCandidate), summaries, stages: told };
}

function toCandidate(c: Candidate): Candidates['candidates'][number] {
  return {
    allocations: Object.fromEntries(
      [...c.allocations].map(([p, resources]) => [p.uuid, { resources: Object.fromEntries(resources) }]),
    ),
    mappings: Object.fromEntries([...c.mappings].map(([suffix, providers]) => [suffix, providers.map((p) => p.uuid)])),
    rootId: c.anchor.uuid,
  };
}

export function toWrite(message: ConsumerAllocations): ConsumerWrite {
  return {
    uuid: message.consumerId,
    ...(message.consumerGeneration === undefined ? {} : { generation: message.consumerGeneration }),
    projectId: message.projectId,
    userId: message.userId,
    ...(message.consumerType === undefined ? {} : { consumerType: message.consumerType }),
    allocations: new Map(
      Object.entries(message.allocations).map(([uuid, { resources }]) => [uuid, new Map(Object.entries(resources))]),
    ),
    ...(message.owner === undefined ? {} : { owner: { taskId: message.owner.taskId, fence: message.owner.fence } }),
  };
}

export function toConsumerRecord(consumerId: string, consumer: Consumer | undefined): ConsumerRecord {
  if (!consumer) return { consumerId, consumerGeneration: null, allocations: {} };
  return {
    consumerId,
    consumerGeneration: consumer.generation,
    projectId: consumer.projectId,
    userId: consumer.userId,
    ...(consumer.consumerType === null ? {} : { consumerType: consumer.consumerType }),
    allocations: Object.fromEntries(
      [...consumer.allocations].map(([uuid, { resources }]) => [uuid, { resources: Object.fromEntries(resources) }]),
    ),
    updatedAt: consumer.updatedAt,
  };
}
