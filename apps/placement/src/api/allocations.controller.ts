import { Controller } from '@nestjs/common';
import { FORMATS } from '@fractus/dto-schema';
import type { ApiRequest } from '@fractus/microversions';
import { type RequestContext, invalid } from '@fractus/objects';
import { AllocationsService } from '../services/allocations.service';
import { type ConsumerWrite, INCOMPLETE_ID } from '../services/allocations.types';
import { POST_WORDING } from '../services/claim';
import { type ConsumerBody, PostAllocations, PutAllocations } from './dto/allocations.dto';
import { presentConsumer, presentProviderAllocations } from './presenters';
import { type Reply, modified } from './reply';
import { canonicalId, canonicalUuid } from './uuids';
import { Api, type PlacementFlags } from './versions';

@Controller()
export class AllocationsController {
  constructor(private readonly allocations: AllocationsService) {}

  @Api('GET /allocations/{consumer_uuid}', { policy: 'placement:allocations:list', views: { '': 'consumer' } })
  async show(ctx: RequestContext, { params }: ApiRequest): Promise<Reply> {
    const consumer = await this.allocations.ofConsumer(ctx, canonicalId(params['consumer_uuid'] ?? ''));
    return modified(presentConsumer(consumer), consumer ? [consumer.updatedAt] : []);
  }

  @Api('PUT /allocations/{consumer_uuid}', {
    policy: 'placement:allocations:update',
    body: PutAllocations,
    success: 204,
  })
  async replace(
    ctx: RequestContext,
    { params, body }: ApiRequest<PutAllocations>,
    flags: PlacementFlags,
  ): Promise<void> {
    const uuid = params['consumer_uuid'] ?? '';
    if (!FORMATS.uuid.check(uuid)) throw invalid(`Malformed consumer_uuid: ${uuid}`, { code: 'consumer.uuid' });
    await this.allocations.write(ctx, [toWrite(canonicalUuid(uuid), body, flags)]);
  }

  @Api('DELETE /allocations/{consumer_uuid}', { policy: 'placement:allocations:delete', success: 204 })
  async remove(ctx: RequestContext, { params }: ApiRequest): Promise<void> {
    await this.allocations.removeExisting(ctx, canonicalId(params['consumer_uuid'] ?? ''));
  }

  @Api('POST /allocations', {
    policy: 'placement:allocations:manage',
    since: '1.13',
    body: PostAllocations,
    success: 204,
  })
  async writeMany(ctx: RequestContext, { body }: ApiRequest<PostAllocations>, flags: PlacementFlags): Promise<void> {
    await this.allocations.write(ctx, toWrites(body.root, flags), POST_WORDING);
  }

  @Api('GET /resource_providers/{uuid}/allocations', { policy: 'placement:resource_providers:allocations:list' })
  async ofProvider(ctx: RequestContext, { params }: ApiRequest, flags: PlacementFlags): Promise<Reply> {
    const held = await this.allocations.ofProvider(ctx, params['uuid'] ?? '');
    return modified(
      presentProviderAllocations(held, flags),
      held.consumers.map((c) => c.updatedAt),
    );
  }
}

/** A consumer is known by one spelling of its uuid; 400 for a body that names it by two. */
export function toWrites(byConsumer: Record<string, ConsumerBody>, flags: PlacementFlags): ConsumerWrite[] {
  const named = new Set<string>();
  return Object.entries(byConsumer).map(([given, body]) => {
    const uuid = canonicalId(given);
    if (named.has(uuid))
      throw invalid(`Consumer ${uuid} is named twice, in two spellings of its uuid.`, { code: 'consumer.uuid' });
    named.add(uuid);
    return toWrite(uuid, body, flags);
  });
}

function toWrite(uuid: string, body: ConsumerBody | PutAllocations, flags: PlacementFlags): ConsumerWrite {
  return {
    uuid,
    ...(flags.consumerGeneration ? { generation: body.consumer_generation ?? null } : {}),
    projectId: body.project_id ?? INCOMPLETE_ID,
    userId: body.user_id ?? INCOMPLETE_ID,
    ...(body.consumer_type === undefined ? {} : { consumerType: body.consumer_type }),
    allocations: new Map(
      Object.entries(body.allocations).map(([provider, { resources }]) => [
        provider,
        new Map(Object.entries(resources)),
      ]),
    ),
  };
}
