/** Wire shapes in their newest form; older versions are cut from them by the version table. */
import { capacityOf } from '../domain/capacity';
import type { Inventory, Provider } from '../domain/provider';
import type { Candidate, SearchResult } from '../domain/search';
import { INVENTORY_DEFAULTS } from '../domain/provider';
import type { Consumer } from '../services/allocations.types';
import { UNKNOWN_TYPE } from '../services/usages.service';
import type { InventoryBody } from './dto/inventories.dto';
import type { PlacementFlags } from './versions';

const RELS = ['inventories', 'usages', 'aggregates', 'traits', 'allocations'];

export function presentProvider(p: Provider): Record<string, unknown> {
  const self = `/resource_providers/${p.uuid}`;
  return {
    uuid: p.uuid,
    name: p.name,
    generation: p.generation,
    links: [{ rel: 'self', href: self }, ...RELS.map((rel) => ({ rel, href: `${self}/${rel}` }))],
    parent_provider_uuid: p.parent?.uuid ?? null,
    root_provider_uuid: p.tree.root.uuid,
  };
}

export const presentInventory = (i: Inventory): Record<string, number> => ({
  total: i.total,
  reserved: i.reserved,
  min_unit: i.minUnit,
  max_unit: i.maxUnit,
  step_size: i.stepSize,
  allocation_ratio: i.allocationRatio,
});

export const toInventory = (body: InventoryBody): Inventory => ({
  total: body.total,
  reserved: body.reserved ?? INVENTORY_DEFAULTS.reserved,
  minUnit: body.min_unit ?? INVENTORY_DEFAULTS.minUnit,
  maxUnit: body.max_unit ?? INVENTORY_DEFAULTS.maxUnit,
  stepSize: body.step_size ?? INVENTORY_DEFAULTS.stepSize,
  allocationRatio: body.allocation_ratio ?? INVENTORY_DEFAULTS.allocationRatio,
});

export function presentInventories(
  generation: number,
  inventories: ReadonlyMap<string, Inventory>,
): Record<string, unknown> {
  return {
    resource_provider_generation: generation,
    inventories: Object.fromEntries([...inventories].map(([rc, i]) => [rc, presentInventory(i)])),
  };
}

export const presentUsages = (p: Provider): Record<string, unknown> => ({
  resource_provider_generation: p.generation,
  usages: Object.fromEntries([...p.inventories.keys()].map((rc) => [rc, p.used.get(rc) ?? 0])),
});

export function presentConsumer(consumer: Consumer | undefined): Record<string, unknown> {
  if (!consumer) return { allocations: {} };
  const allocations = [...consumer.allocations].map(([uuid, { generation, resources }]) => [
    uuid,
    { resources: Object.fromEntries(resources), generation },
  ]);
  return {
    allocations: Object.fromEntries(allocations),
    project_id: consumer.projectId,
    user_id: consumer.userId,
    consumer_generation: consumer.generation,
    consumer_type: consumer.consumerType ?? UNKNOWN_TYPE,
  };
}

export function presentProviderAllocations(
  of: { generation: number; consumers: readonly Consumer[] },
  flags: PlacementFlags,
): Record<string, unknown> {
  const allocations = of.consumers.map((c) => {
    const [held] = c.allocations.values();
    return [
      c.uuid,
      {
        resources: Object.fromEntries(held?.resources ?? []),
        ...(flags.consumerGeneration ? { consumer_generation: c.generation } : {}),
      },
    ];
  });
  return { allocations: Object.fromEntries(allocations), resource_provider_generation: of.generation };
}

export function presentCandidates(
  result: SearchResult,
  asked: ReadonlySet<string>,
  flags: PlacementFlags,
): Record<string, unknown> {
  const inReach = result.trees.flatMap((t) => t.providers);
  const used = flags.nestedCandidates ? undefined : new Set(result.candidates.flatMap((c) => c.givers));
  const providers = used ? inReach.filter((p) => used.has(p)) : inReach;
  return {
    allocation_requests: result.candidates.map(presentCandidate),
    provider_summaries: Object.fromEntries(providers.map((p) => [p.uuid, presentSummary(p, asked, flags)])),
  };
}

function presentCandidate(c: Candidate): Record<string, unknown> {
  return {
    allocations: Object.fromEntries(
      [...c.allocations].map(([p, resources]) => [p.uuid, { resources: Object.fromEntries(resources) }]),
    ),
    mappings: Object.fromEntries([...c.mappings].map(([suffix, providers]) => [suffix, providers.map((p) => p.uuid)])),
  };
}

function presentSummary(p: Provider, asked: ReadonlySet<string>, flags: PlacementFlags): Record<string, unknown> {
  const shown = [...p.inventories].filter(([rc]) => flags.summaryAllClasses || asked.has(rc));
  return {
    resources: Object.fromEntries(shown.map(([rc, i]) => [rc, { capacity: capacityOf(i), used: p.used.get(rc) ?? 0 }])),
    ...(flags.summaryTraits ? { traits: [...p.traits] } : {}),
    ...(flags.nestedCandidates
      ? { parent_provider_uuid: p.parent?.uuid ?? null, root_provider_uuid: p.tree.root.uuid }
      : {}),
  };
}
