import { Controller } from '@nestjs/common';
import type { ApiRequest } from '@fractus/microversions';
import type { RequestContext } from '@fractus/objects';
import { AggregatesService } from '../services/aggregates.service';
import { PutAggregates } from './dto/providers.dto';
import { type Reply, modified } from './reply';
import { Api, type PlacementFlags } from './versions';

const PATH = '/resource_providers/{uuid}/aggregates';
const VIEWS = { '': 'aggregates' };

@Controller()
export class AggregatesController {
  constructor(private readonly aggregates: AggregatesService) {}

  @Api(`GET ${PATH}`, { policy: 'placement:resource_providers:aggregates:list', since: '1.1', views: VIEWS })
  async show(ctx: RequestContext, { params }: ApiRequest): Promise<Reply> {
    const provider = await this.aggregates.ofProvider(ctx, params['uuid'] ?? '');
    return modified({ aggregates: [...provider.aggregates], resource_provider_generation: provider.generation });
  }

  @Api(`PUT ${PATH}`, {
    policy: 'placement:resource_providers:aggregates:update',
    since: '1.1',
    body: PutAggregates,
    views: VIEWS,
  })
  async replace(
    ctx: RequestContext,
    { params, body }: ApiRequest<PutAggregates>,
    flags: PlacementFlags,
  ): Promise<Reply> {
    const aggregates = flags.aggregateGeneration ? body.aggregates : (body.root ?? []);
    const generation = await this.aggregates.setOnProvider(
      ctx,
      params['uuid'] ?? '',
      aggregates,
      flags.aggregateGeneration ? body.resource_provider_generation : undefined,
    );
    return modified({ aggregates, resource_provider_generation: generation });
  }
}
