import { Module, type DynamicModule } from '@nestjs/common';
import { conflict, type RequestContext, unimplemented } from '@fractus/objects';
import { RpcHandlers } from '@fractus/rpc';
import {
  type CandidateExplanation,
  type CandidateOutline,
  type CandidateQuery,
  type Candidates,
  type ConsumerId,
  type ConsumerRecord,
  type ConsumerRecords,
  type DeleteAllocations,
  type Deleted,
  type Handlers,
  placementContract,
  type WriteAllocations,
} from '@fractus/rpc-contracts';
import { type Candidate, FlatPlacement, type FlatProvider } from '@fractus/scheduling';

/**
 * A Placement of flat providers that keeps the contract's promises that the scheduler relies on: capacity, consumer
 * generations, fences. `beforeWrite` and `loseAnswers` let a test interfere.
 */
export class TestPlacement {
  readonly flat: FlatPlacement;
  beforeWrite: (serverId: string) => Promise<void> | void = () => undefined;
  /** Answers of writes that do not reach the caller although the write was done. */
  loseAnswers = 0;
  writes = 0;
  /** Knows of no outlines, as the release before them. */
  older = false;
  /** Whether it can say why it finds nothing; upstream's cannot. */
  explains = true;
  /** Thrown at the next searches. */
  refuse?: Error;
  private readonly generations = new Map<string, number>();
  private readonly fences = new Map<string, number>();

  constructor(providers: readonly FlatProvider[]) {
    this.flat = new FlatPlacement(providers);
    this.providers = providers;
  }
  private readonly providers: readonly FlatProvider[];

  search(query: CandidateQuery): Candidates {
    if (this.refuse) throw this.refuse;
    const { candidates, stages } = this.flat.candidates(query);
    if (query.roomOf && !this.older)
      return { candidates: [], summaries: {}, stages, outline: this.outline(candidates, query.roomOf) };
    const summaries: Candidates['summaries'] = {};
    for (const { rootId } of candidates) {
      const { capacity = {}, traits = [] } = this.providers.find((p) => p.id === rootId) ?? {};
      const resources = Object.fromEntries(
        Object.entries(capacity).map(([name, n]) => [name, { capacity: n, used: n - this.flat.free(rootId, name) }]),
      );
      summaries[rootId] = { resources, traits: [...traits], parentId: null, rootId };
    }
    return { candidates: candidates.map((c) => ({ ...c, mappings: { '': [c.rootId] } })), summaries, stages };
  }

  /** As the real one, as far as traits of the root and amounts go: whoever fails is alone with the query. */
  explain(query: CandidateQuery): CandidateExplanation {
    if (!this.explains) throw unimplemented('no explanation', { code: 'placement.explain' });
    const count = (n: number) => ({ providers: n, trees: n, anchors: n });
    const { candidates, stages } = this.flat.candidates({ ...query, limit: undefined });
    const fit = new Set(candidates.map((c) => c.rootId));
    const failed = this.providers.filter((p) => !fit.has(p.id));
    return {
      candidates: candidates.length,
      more: false,
      asked: count(this.providers.length),
      stages: stages.map(({ in: before, out, bestFree: _, bestMaxUnit: __, ...s }) => ({
        ...s,
        in: count(before),
        out: count(out),
        reasons: {},
      })),
      failedRoots: failed.length,
      roots: failed.map((p) => this.firstFailure(p, query)),
      wouldFitIf: candidates.length > 0 ? [] : this.lowered(query),
      truncated: false,
    };
  }

  private firstFailure(p: FlatProvider, query: CandidateQuery): CandidateExplanation['roots'][number] {
    const root = { rootId: p.id, name: p.id, group: null };
    const forbidden = query.rootForbidden.find((t) => p.traits.includes(t));
    if (forbidden) return { ...root, check: 'root_forbidden', detail: forbidden };
    for (const group of query.groups) {
      const at = { ...root, group: group.suffix };
      if (group.inTree !== undefined && group.inTree !== p.id) return { ...at, check: 'in_tree', detail: group.inTree };
      for (const [name, need] of Object.entries(group.resources)) {
        const have = this.flat.free(p.id, name);
        const detail = `${name}:${need}`;
        if (have < need) return { ...at, check: 'resource', detail, shortage: 'total', have, need };
      }
    }
    return { ...root, check: 'capacity', detail: 'together' };
  }

  /** Amounts lowered to what some provider has free. */
  private lowered(query: CandidateQuery): CandidateExplanation['wouldFitIf'] {
    return query.groups.flatMap((group) =>
      Object.entries(group.resources).flatMap(([name, from]) => {
        const amounts = this.providers.map((p) => this.flat.free(p.id, name)).filter((n) => n > 0 && n < from);
        for (const to of amounts.sort((a, b) => b - a)) {
          const lower = { ...group, resources: { ...group.resources, [name]: to } };
          const groups = query.groups.map((g) => (g === group ? lower : g));
          const anchors = this.flat.candidates({ ...query, groups, limit: undefined }).candidates.length;
          const sentence = `ask for ${to} instead of ${from} ${name}`;
          const told = { relax: 'resource', group: group.suffix, detail: `${name}:${from}`, sentence };
          if (anchors > 0) return [{ ...told, anchors, atLeast: false, resourceClass: name, from, to }];
        }
        return [];
      }),
    );
  }

  private outline(candidates: readonly Candidate[], roomOf: readonly string[]): CandidateOutline {
    const roots = [...new Set(candidates.map((c) => c.rootId))];
    const demands = candidates.map((c) => c.allocations[c.rootId]?.resources ?? {});
    const free = (name: string, root: string): number | null =>
      this.providers.find((p) => p.id === root)?.capacity?.[name] === undefined ? null : this.flat.free(root, name);
    return {
      providers: roots,
      demands,
      candidates: candidates.map((c, i) => [roots.indexOf(c.rootId), roots.indexOf(c.rootId), i]),
      room: Object.fromEntries(roomOf.map((name) => [name, roots.map((root) => free(name, root))])),
    };
  }

  async write({ consumers }: WriteAllocations): Promise<ConsumerRecords> {
    const [c] = consumers;
    if (!c) return { consumers: [] };
    this.writes++;
    await this.beforeWrite(c.consumerId);
    const generation = this.generations.get(c.consumerId) ?? null;
    if (c.consumerGeneration !== undefined && c.consumerGeneration !== generation) {
      throw conflict('consumer generation conflict', { code: 'placement.concurrent_update' });
    }
    const fence = c.owner?.fence ?? 0;
    if (fence < (this.fences.get(c.consumerId) ?? 0)) throw conflict('stale fence', { code: 'claim.stale_fence' });
    if (!this.flat.claim(c.consumerId, c.allocations)) throw conflict('No room.', { code: 'inventory.capacity' });
    this.generations.set(c.consumerId, (generation ?? 0) + 1);
    this.fences.set(c.consumerId, fence);
    if (this.loseAnswers > 0) {
      this.loseAnswers--;
      throw new Error('the answer is lost');
    }
    return { consumers: [this.record(c.consumerId)] };
  }

  record(consumerId: string): ConsumerRecord {
    const consumerGeneration = this.generations.get(consumerId) ?? null;
    return { consumerId, consumerGeneration, allocations: this.flat.held(consumerId) ?? {} };
  }

  delete({ consumerId, owner }: DeleteAllocations): Deleted {
    const deleted = this.flat.held(consumerId) !== undefined;
    this.flat.release(consumerId);
    this.generations.delete(consumerId);
    if (owner) this.fences.set(consumerId, owner.fence);
    return { deleted };
  }
}

const notNeeded = (): never => {
  throw unimplemented('the scheduler does not call this');
};

@RpcHandlers(placementContract)
class PlacementController implements Handlers<typeof placementContract> {
  constructor(private readonly placement: TestPlacement) {}
  async getCandidates(_ctx: RequestContext, query: CandidateQuery): Promise<Candidates> {
    return this.placement.search(query);
  }
  async explainCandidates(_ctx: RequestContext, query: CandidateQuery): Promise<CandidateExplanation> {
    return this.placement.explain(query);
  }
  writeAllocations(_ctx: RequestContext, request: WriteAllocations): Promise<ConsumerRecords> {
    return this.placement.write(request);
  }
  async getAllocations(_ctx: RequestContext, { consumerId }: ConsumerId): Promise<ConsumerRecord> {
    return this.placement.record(consumerId);
  }
  async deleteAllocations(_ctx: RequestContext, request: DeleteAllocations): Promise<Deleted> {
    return this.placement.delete(request);
  }
  async ensureProviders(): Promise<never> {
    return notNeeded();
  }
  async getProviders(): Promise<never> {
    return notNeeded();
  }
  async getTrees(): Promise<never> {
    return notNeeded();
  }
  async updateProviders(): Promise<never> {
    return notNeeded();
  }
  async deleteProvider(): Promise<never> {
    return notNeeded();
  }
  async listConsumers(): Promise<never> {
    return notNeeded();
  }
}

@Module({})
export class TestPlacementModule {
  static with(placement: TestPlacement): DynamicModule {
    return {
      module: TestPlacementModule,
      controllers: [PlacementController],
      providers: [{ provide: TestPlacement, useValue: placement }],
    };
  }
}
