import { type RequestContext, isFractusError } from '@fractus/objects';
import { RpcHandlers } from '@fractus/rpc';
import {
  type CandidateExplanation,
  type CandidateQuery,
  type Candidates,
  type ConsumerId,
  type ConsumerRecord,
  type ConsumerRecords,
  type DeleteAllocations,
  type Deleted,
  type EnsureProviders,
  type Handlers,
  type ListConsumers,
  type ProviderId,
  type ProviderIds,
  type ProviderRecords,
  type ProviderUpdateResult,
  type ProviderUpdateResults,
  type TreeIds,
  type UpdateProviders,
  type WriteAllocations,
  placementContract,
} from '@fractus/rpc-contracts';
import { AllocationsService } from '../services/allocations.service';
import { CandidatesService } from '../services/candidates.service';
import { PlacementCore } from '../services/placement-core';
import { ProviderUpdatesService } from '../services/provider-updates.service';
import { ProvidersService } from '../services/providers.service';
import { toExplanationMessage } from './explanation';
import { toCandidates, toChange, toConsumerRecord, toProviderRecord, toQuery, toWrite } from './rpc-mappers';

/** The `placement` contract, over the same use cases as REST. */
@RpcHandlers(placementContract)
export class PlacementRpcController implements Handlers<typeof placementContract> {
  constructor(
    private readonly core: PlacementCore,
    private readonly providers: ProvidersService,
    private readonly updates: ProviderUpdatesService,
    private readonly candidates: CandidatesService,
    private readonly allocations: AllocationsService,
  ) {}

  async ensureProviders(ctx: RequestContext, request: EnsureProviders): Promise<ProviderRecords> {
    const wanted = request.providers.map((p) => ({ uuid: p.providerId, name: p.name, parentUuid: p.parentId }));
    return { providers: (await this.providers.ensure(ctx, wanted)).map(toProviderRecord) };
  }

  /** Those that exist; unknown ids are left out. */
  async getProviders(_ctx: RequestContext, request: ProviderIds): Promise<ProviderRecords> {
    await this.core.replica.sync();
    const found = request.providerIds
      .map((uuid) => this.core.replica.estate.provider(uuid))
      .filter((p) => p !== undefined);
    return { providers: found.map(toProviderRecord) };
  }

  /** Any provider of a tree stands for the tree. */
  async getTrees(_ctx: RequestContext, request: TreeIds): Promise<ProviderRecords> {
    await this.core.replica.sync();
    const trees = new Set(
      request.rootIds.map((uuid) => this.core.replica.estate.provider(uuid)?.tree).filter((t) => t !== undefined),
    );
    return { providers: [...trees].flatMap((t) => t.providers.map(toProviderRecord)) };
  }

  async updateProviders(ctx: RequestContext, request: UpdateProviders): Promise<ProviderUpdateResults> {
    const results = await this.updates.applyAll(ctx, request.updates.map(toChange));
    return {
      results: results.map((r, i): ProviderUpdateResult => {
        const providerId = request.updates[i]?.providerId ?? '';
        return typeof r === 'number'
          ? { providerId, generation: r }
          : { providerId, generation: null, error: r.code, message: r.message };
      }),
    };
  }

  async deleteProvider(ctx: RequestContext, request: ProviderId): Promise<Deleted> {
    return this.providers.remove(ctx, request.providerId).then(
      () => ({ deleted: true }),
      (e: unknown) => {
        if (isFractusError(e, 'not_found')) return { deleted: false };
        throw e;
      },
    );
  }

  async getCandidates(ctx: RequestContext, request: CandidateQuery): Promise<Candidates> {
    const { result, stages } = await this.candidates.findTraced(ctx, toQuery(request));
    return toCandidates(result, stages, request.roomOf);
  }

  async explainCandidates(ctx: RequestContext, request: CandidateQuery): Promise<CandidateExplanation> {
    return toExplanationMessage(await this.candidates.explain(ctx, toQuery(request)));
  }

  async writeAllocations(ctx: RequestContext, request: WriteAllocations): Promise<ConsumerRecords> {
    const written = await this.allocations.write(ctx, request.consumers.map(toWrite));
    const holding = new Map(written.map((c) => [c.uuid, c]));
    return { consumers: request.consumers.map((c) => toConsumerRecord(c.consumerId, holding.get(c.consumerId))) };
  }

  async getAllocations(ctx: RequestContext, request: ConsumerId): Promise<ConsumerRecord> {
    return toConsumerRecord(request.consumerId, await this.allocations.ofConsumer(ctx, request.consumerId));
  }

  async deleteAllocations(ctx: RequestContext, request: DeleteAllocations): Promise<Deleted> {
    const { consumerId, owner, consumerGeneration } = request;
    const deleted = await this.allocations.remove(ctx, consumerId, {
      ...(owner === undefined ? {} : { owner }),
      ...(consumerGeneration === undefined ? {} : { generation: consumerGeneration }),
    });
    return { deleted };
  }

  async listConsumers(ctx: RequestContext, request: ListConsumers): Promise<ConsumerRecords> {
    const page = await this.allocations.list(ctx, request.limit, request.marker);
    return { consumers: page.map((c) => toConsumerRecord(c.uuid, c)) };
  }
}
