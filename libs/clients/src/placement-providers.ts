/**
 * Providers over REST. What the contract reads and writes in one message is five requests here: a provider and its
 * inventories, usages, traits and aggregates. Their answers carry the provider's generation, and a record is told with
 * the lowest of them: a write that builds on it is refused if anything in it changed while it was read.
 */
import { isFractusError, type RequestContext } from '@fractus/objects';
import type {
  Deleted,
  EnsureProvider,
  EnsureProviders,
  InventoryRecord,
  ProviderId,
  ProviderIds,
  ProviderRecord,
  ProviderRecords,
  ProviderUpdate,
  ProviderUpdateResult,
  ProviderUpdateResults,
  TreeIds,
  UpdateProviders,
} from '@fractus/rpc-contracts';
import { inLanes } from './in-lanes';
import type { PlacementApi } from './placement-api';
import { accepted, REFUSALS, refusalOf, UNKNOWN_TRAIT } from './placement-refusals';
import { segment } from './rest';

interface WireProvider {
  uuid: string;
  name: string;
  generation: number;
  parent_provider_uuid: string | null;
  root_provider_uuid: string;
}
interface WireInventory {
  total: number;
  reserved: number;
  min_unit: number;
  max_unit: number;
  step_size: number;
  allocation_ratio: number;
}
interface Part {
  resource_provider_generation: number;
}

const at = (uuid: string, part = ''): string => `/resource_providers/${segment(uuid)}${part}`;

export class PlacementProviders {
  constructor(
    private readonly api: PlacementApi,
    private readonly warn: (facts: object, text: string) => void,
  ) {}

  async ensure(ctx: RequestContext, { providers }: EnsureProviders): Promise<ProviderRecords> {
    const found = await inLanes(this.api.width, providers, (p) => this.record(ctx, p.providerId));
    const missing = providers.filter((_, i) => !found[i]);
    const waits = ({ parentId }: EnsureProvider): boolean => missing.some((m) => m.providerId === parentId);
    const create = (p: EnsureProvider): Promise<ProviderRecord | undefined> => this.create(ctx, p);
    const independent = missing.filter((p) => !waits(p));
    const made = [
      ...(await inLanes(this.api.width, independent, create)),
      ...(await inLanes(1, missing.filter(waits), create)),
    ];
    const byId = new Map(made.flatMap((r): [string, ProviderRecord][] => (r ? [[r.providerId, r]] : [])));
    return { providers: providers.flatMap((p, i) => found[i] ?? byId.get(p.providerId) ?? []) };
  }

  async get(ctx: RequestContext, { providerIds }: ProviderIds): Promise<ProviderRecords> {
    return {
      providers: await this.records(
        ctx,
        providerIds.map((providerId) => ({ providerId })),
      ),
    };
  }

  async trees(ctx: RequestContext, { rootIds }: TreeIds): Promise<ProviderRecords> {
    const lists = await inLanes(this.api.width, rootIds, async (uuid) => {
      const { body } = await this.api.call(ctx, {
        method: 'GET',
        path: '/resource_providers',
        query: { in_tree: uuid },
      });
      return (body as { resource_providers: WireProvider[] }).resource_providers;
    });
    const heads = [...new Map(lists.flat().map((p) => [p.uuid, p])).values()];
    return {
      providers: (await inLanes(this.api.width, heads, (head) => this.whole(ctx, head))).filter((r) => r !== undefined),
    };
  }

  /** Each in up to three requests: aggregates, traits and, so that nothing is offered too early, inventories last. */
  async update(ctx: RequestContext, { updates }: UpdateProviders): Promise<ProviderUpdateResults> {
    await this.ensureNames(ctx, updates);
    const each = new Set(updates.map((u) => u.providerId)).size === updates.length;
    return { results: await inLanes(each ? this.api.width : 1, updates, (u) => this.result(ctx, u)) };
  }

  async delete(ctx: RequestContext, { providerId }: ProviderId): Promise<Deleted> {
    const answer = await this.api.call(ctx, { method: 'DELETE', path: at(providerId), accept: REFUSALS });
    if (answer.status === 404) return { deleted: false };
    accepted(answer);
    return { deleted: true };
  }

  private async records(ctx: RequestContext, wanted: readonly { providerId: string }[]): Promise<ProviderRecord[]> {
    const found = await inLanes(this.api.width, wanted, (p) => this.record(ctx, p.providerId));
    return found.filter((r) => r !== undefined);
  }

  private async record(ctx: RequestContext, uuid: string): Promise<ProviderRecord | undefined> {
    const { status, body } = await this.api.call(ctx, { method: 'GET', path: at(uuid), accept: [404] });
    return status === 404 ? undefined : this.whole(ctx, body as WireProvider);
  }

  private async whole(ctx: RequestContext, head: WireProvider): Promise<ProviderRecord | undefined> {
    const part = async <T extends object>(name: string): Promise<(T & Part) | undefined> => {
      const { status, body } = await this.api.call(ctx, { method: 'GET', path: at(head.uuid, name), accept: [404] });
      return status === 404 ? undefined : (body as T & Part);
    };
    const [stock, usage, traits, aggregates] = await Promise.all([
      part<{ inventories: Record<string, WireInventory> }>('/inventories'),
      part<{ usages: Record<string, number> }>('/usages'),
      part<{ traits: string[] }>('/traits'),
      part<{ aggregates: string[] }>('/aggregates'),
    ]);
    if (!stock || !usage || !traits || !aggregates) return undefined; // gone meanwhile
    const generations = [stock, usage, traits, aggregates].map((p) => p.resource_provider_generation);
    const classes = Object.keys(stock.inventories);
    return {
      ...headOf(head),
      generation: Math.min(head.generation, ...generations),
      inventories: Object.fromEntries(Object.entries(stock.inventories).map(([rc, i]) => [rc, inventoryOf(i)])),
      usages: Object.fromEntries(classes.map((rc) => [rc, usage.usages[rc] ?? 0])),
      traits: traits.traits,
      aggregates: aggregates.aggregates,
    };
  }

  /** Somebody else may make it at the same time; a name that another provider bears is a `conflict`. */
  private async create(
    ctx: RequestContext,
    { providerId, name, parentId }: EnsureProvider,
  ): Promise<ProviderRecord | undefined> {
    const json = { uuid: providerId, name, ...(parentId === null ? {} : { parent_provider_uuid: parentId }) };
    const answer = await this.api.call(ctx, { method: 'POST', path: '/resource_providers', json, accept: REFUSALS });
    if (answer.status !== 409) return newRecord(accepted(answer).body as WireProvider);
    const there = await this.record(ctx, providerId);
    if (!there) throw refusalOf(answer);
    return there;
  }

  private async result(ctx: RequestContext, update: ProviderUpdate): Promise<ProviderUpdateResult> {
    const { providerId } = update;
    try {
      return { providerId, generation: await this.apply(ctx, update) };
    } catch (e) {
      if (!isFractusError(e, 'conflict', 'invalid', 'not_found')) throw e;
      return { providerId, generation: null, error: e.code, message: e.message };
    }
  }

  private async apply(ctx: RequestContext, update: ProviderUpdate): Promise<number> {
    const { providerId, aggregates, traits, inventories } = update;
    let { generation } = update;
    const put = async (part: string, fields: object): Promise<void> => {
      const json = { resource_provider_generation: generation, ...fields };
      const path = at(providerId, part);
      const { body } = accepted(await this.api.call(ctx, { method: 'PUT', path, json, accept: REFUSALS }));
      generation = (body as Part).resource_provider_generation;
    };
    if (aggregates) await put('/aggregates', { aggregates });
    if (traits) {
      await put('/traits', { traits }).catch(async (e: unknown) => {
        if (!isFractusError(e, 'invalid') || e.code !== UNKNOWN_TRAIT) throw e;
        await put('/traits', { traits: await this.known(ctx, traits) });
      });
    }
    const wire = Object.entries(inventories ?? {}).map(([rc, i]) => [rc, wireOf(i)]);
    if (inventories) await put('/inventories', { inventories: Object.fromEntries(wire) as object });
    return generation;
  }

  /** Standard traits that a Placement of other days does not know are left out: nobody could ask it for them either. */
  private async known(ctx: RequestContext, traits: readonly string[]): Promise<string[]> {
    const query = { name: `in:${traits.join(',')}` };
    const { body } = await this.api.call(ctx, { method: 'GET', path: '/traits', query });
    const there = new Set((body as { traits: string[] }).traits);
    const unknown = traits.filter((t) => !there.has(t));
    this.warn({ traits: unknown }, 'Placement does not know these traits; they are left out');
    return traits.filter((t) => there.has(t));
  }

  /** Custom traits and classes that are new come into being. */
  private async ensureNames(ctx: RequestContext, updates: readonly ProviderUpdate[]): Promise<void> {
    const custom = (names: string[]): string[] => [...new Set(names)].filter((name) => name.startsWith('CUSTOM_'));
    const traits = custom(updates.flatMap((u) => u.traits ?? [])).map((name) => `/traits/${segment(name)}`);
    const classes = custom(updates.flatMap((u) => Object.keys(u.inventories ?? {})));
    const paths = [...traits, ...classes.map((name) => `/resource_classes/${segment(name)}`)];
    await inLanes(this.api.width, paths, async (path) => {
      accepted(await this.api.call(ctx, { method: 'PUT', path, accept: REFUSALS }));
    });
  }
}

const headOf = (p: WireProvider) => ({
  providerId: p.uuid,
  name: p.name,
  generation: p.generation,
  parentId: p.parent_provider_uuid,
  rootId: p.root_provider_uuid,
});

const newRecord = (p: WireProvider): ProviderRecord => ({
  ...headOf(p),
  inventories: {},
  usages: {},
  traits: [],
  aggregates: [],
});

const inventoryOf = (i: WireInventory): InventoryRecord => ({
  total: i.total,
  reserved: i.reserved,
  minUnit: i.min_unit,
  maxUnit: i.max_unit,
  stepSize: i.step_size,
  allocationRatio: i.allocation_ratio,
});

const wireOf = (i: InventoryRecord): WireInventory => ({
  total: i.total,
  reserved: i.reserved,
  min_unit: i.minUnit,
  max_unit: i.maxUnit,
  step_size: i.stepSize,
  allocation_ratio: i.allocationRatio,
});
