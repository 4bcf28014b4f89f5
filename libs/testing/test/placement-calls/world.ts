/** What the suite needs of a Placement that it is run against, and the short words that its tests are written in. */
import { randomUUID } from 'node:crypto';
import type { PlacementCaller } from '@fractus/clients';
import { systemContext, type RequestContext } from '@fractus/objects';
import type {
  AllocationResources,
  CandidateExplanation,
  Candidates,
  CandidateQuery,
  ConsumerAllocations,
  InventoryRecord,
  ProviderRecord,
  RequestGroup,
} from '@fractus/rpc-contracts';

export interface PlacementUnderTest {
  readonly calls: PlacementCaller;
  /** As if a task of the consumer had been leased: no lower fence may write from then on. */
  leased(consumerId: string, fence: number): void;
  /** Whether it can say why it finds nothing. */
  readonly explains: boolean;
  close(): Promise<void>;
}
export type OpenPlacement = () => Promise<PlacementUnderTest>;

type Demands = Record<string, Record<string, number>>;
type Asked = Partial<Omit<CandidateQuery, 'groups'>>;

export const PROJECT = randomUUID();
export const USER = randomUUID();

export const inventory = (total: number, more: Partial<InventoryRecord> = {}): InventoryRecord => ({
  total,
  reserved: 0,
  minUnit: 1,
  maxUnit: total,
  stepSize: 1,
  allocationRatio: 1,
  ...more,
});

export const group = (resources: Record<string, number>, more: Partial<RequestGroup> = {}): RequestGroup => ({
  suffix: '',
  resources,
  required: [],
  forbidden: [],
  anyOf: [],
  memberOf: [],
  notMemberOf: [],
  ...more,
});

/** Resources by provider, as allocations are written. */
export const of = (demands: Demands): Record<string, AllocationResources> =>
  Object.fromEntries(Object.entries(demands).map(([uuid, resources]) => [uuid, { resources }]));

/** Many Placements are shared by many tests: each has a mark of its own on the roots it looks for. */
export class PlacementWorld {
  readonly mark = `CUSTOM_${randomUUID().replace(/-/g, '').toUpperCase()}`;
  readonly ctx: RequestContext = { ...systemContext(`req-${randomUUID()}`), deadline: Date.now() + 60_000 };

  constructor(readonly under: PlacementUnderTest) {}

  get calls(): PlacementCaller {
    return this.under.calls;
  }

  /** A new provider; `traits` beside this world's mark, which only roots bear. */
  async provider(
    inventories: Record<string, InventoryRecord>,
    more: { parent?: string; traits?: string[]; aggregates?: string[] } = {},
  ): Promise<string> {
    const providerId = randomUUID();
    const { parent = null, traits = [], aggregates = [] } = more;
    await this.calls.ensureProviders(this.ctx, { providers: [{ providerId, name: providerId, parentId: parent }] });
    const all = parent === null ? [...traits, this.mark] : traits;
    const update = { providerId, generation: 0, inventories, traits: all, aggregates };
    const { results } = await this.calls.updateProviders(this.ctx, { updates: [update] });
    if (results[0]?.error !== undefined) throw new Error(`${results[0].error}: ${results[0].message ?? ''}`);
    return providerId;
  }

  async read(providerId: string): Promise<ProviderRecord> {
    const [record] = (await this.calls.getProviders(this.ctx, { providerIds: [providerId] })).providers;
    if (!record) throw new Error(`no provider ${providerId}`);
    return record;
  }

  /** Candidates among this world's roots. */
  async candidates(groups: RequestGroup[], asked: Asked = {}): Promise<Candidates> {
    const rootRequired = [this.mark, ...(asked.rootRequired ?? [])];
    return this.calls.getCandidates(this.ctx, { groups, sameSubtree: [], rootForbidden: [], ...asked, rootRequired });
  }

  /** Why there are none. */
  explain(groups: RequestGroup[]): Promise<CandidateExplanation> {
    const query = { groups, sameSubtree: [], rootForbidden: [], rootRequired: [this.mark] };
    return this.calls.explainCandidates(this.ctx, query);
  }

  /** The roots that candidates are of, sorted. */
  async roots(groups: RequestGroup[], asked: Asked = {}): Promise<string[]> {
    const { candidates } = await this.candidates(groups, asked);
    return [...new Set(candidates.map((c) => c.rootId))].sort();
  }

  consumer(allocations: Demands, more: Partial<ConsumerAllocations> = {}): ConsumerAllocations {
    return {
      consumerId: randomUUID(),
      projectId: PROJECT,
      userId: USER,
      consumerType: 'INSTANCE',
      allocations: of(allocations),
      ...more,
    };
  }

  /** Writes all or nothing; answers with the records. */
  async write(...consumers: ConsumerAllocations[]) {
    return (await this.calls.writeAllocations(this.ctx, { consumers })).consumers;
  }

  /** Generation and units by provider of what a consumer holds. */
  async held(consumerId: string): Promise<{ generation: number | null; holds: Demands }> {
    const record = await this.calls.getAllocations(this.ctx, { consumerId });
    const holds = Object.entries(record.allocations).map(([uuid, { resources }]) => [uuid, resources] as const);
    return { generation: record.consumerGeneration, holds: Object.fromEntries(holds) };
  }
}
