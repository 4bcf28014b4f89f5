import { Controller } from '@nestjs/common';
import { ZONE_KEY } from '@fractus/compute-db';
import type { ActionRequest } from '@fractus/microversions';
import type { RequestContext } from '@fractus/objects';
import { Aggregates } from '../../app/aggregates/aggregates';
import { Api, ApiActions, type ApiRequest } from '../api';
import { requireInteger } from '../path-ids';
import { AGGREGATE_ACTIONS, type AggregateAction } from './aggregate-actions';
import { AggregateQuery, CacheImagesBody, CreateAggregateBody, UpdateAggregateBody } from './aggregates.dto';
import { aggregateView, newAggregateView } from './aggregates.presenter';

const one = { aggregate: 'aggregate' };

@Controller()
export class AggregatesController {
  constructor(private readonly aggregates: Aggregates) {}

  @Api('GET /os-aggregates', {
    query: AggregateQuery,
    views: { 'aggregates[]': 'aggregate' },
    policy: 'os_compute_api:os-aggregates:index',
  })
  async list(): Promise<object> {
    return { aggregates: (await this.aggregates.list()).map(aggregateView) };
  }

  @Api('POST /os-aggregates', { body: CreateAggregateBody, views: one, policy: 'os_compute_api:os-aggregates:create' })
  async create(ctx: RequestContext, { body }: ApiRequest<CreateAggregateBody>): Promise<object> {
    const { name, availability_zone } = body.aggregate;
    const made = await this.aggregates.create(ctx, name.trim(), availability_zone?.trim() ?? null);
    return { aggregate: newAggregateView(made) };
  }

  @Api('GET /os-aggregates/{id}', { query: AggregateQuery, views: one, policy: 'os_compute_api:os-aggregates:show' })
  async show(_ctx: RequestContext, { params }: ApiRequest<unknown, AggregateQuery>): Promise<object> {
    return { aggregate: aggregateView(await this.aggregates.get(idOf(params))) };
  }

  @Api('PUT /os-aggregates/{id}', {
    body: UpdateAggregateBody,
    views: one,
    policy: 'os_compute_api:os-aggregates:update',
  })
  async update(ctx: RequestContext, { params, body }: ApiRequest<UpdateAggregateBody>): Promise<object> {
    const { name, availability_zone } = body.aggregate;
    const changed = await this.aggregates.update(ctx, idOf(params), {
      ...(name === undefined ? {} : { name: name.trim() }),
      ...(availability_zone === undefined ? {} : { metadata: { [ZONE_KEY]: availability_zone } }),
    });
    return { aggregate: aggregateView(changed) };
  }

  @Api('DELETE /os-aggregates/{id}', { policy: 'os_compute_api:os-aggregates:delete' })
  async remove(ctx: RequestContext, { params }: ApiRequest): Promise<void> {
    await this.aggregates.delete(ctx, idOf(params));
  }

  @ApiActions('POST /os-aggregates/{id}/action', AGGREGATE_ACTIONS)
  async act(ctx: RequestContext, { params, action, body }: ActionRequest<AggregateAction>): Promise<object> {
    return { aggregate: aggregateView(await action.run(this.aggregates, ctx, idOf(params), body as object)) };
  }

  /** 2.81 */
  @Api('POST /os-aggregates/{id}/images', {
    since: '2.81',
    body: CacheImagesBody,
    success: 202,
    policy: 'compute:aggregates:images',
  })
  async cacheImages(_ctx: RequestContext, { params, body }: ApiRequest<CacheImagesBody>): Promise<void> {
    await this.aggregates.cacheImages(
      idOf(params),
      body.cache.map((i) => i.id),
    );
  }
}

const idOf = (params: Record<string, string>): number => requireInteger(params['id'] ?? '');
