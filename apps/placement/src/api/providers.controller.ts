import { Controller } from '@nestjs/common';
import type { ApiRequest, RawQuery } from '@fractus/microversions';
import type { RequestContext } from '@fractus/objects';
import { ProvidersService } from '../services/providers.service';
import { PostProvider, PutProvider } from './dto/providers.dto';
import { parseInTree, parseMemberOf, parseResources, parseTraits } from './parameters';
import { presentProvider } from './presenters';
import { Reply, modified } from './reply';
import { canonicalUuid } from './uuids';
import { Api, type PlacementFlags } from './versions';

@Controller()
export class ProvidersController {
  constructor(private readonly providers: ProvidersService) {}

  @Api<object, RawQuery>('GET /resource_providers', {
    policy: 'placement:resource_providers:list',
    views: { 'resource_providers[]': 'provider' },
  })
  async list(ctx: RequestContext, { query }: ApiRequest<unknown, RawQuery>, flags: PlacementFlags): Promise<Reply> {
    const last = (name: string): string | undefined => query[name]?.at(-1);
    const [uuid, name, inTree, resources] = ['uuid', 'name', 'in_tree', 'resources'].map(last);
    const found = await this.providers.list(ctx, {
      ...(query['member_of'] ? parseMemberOf(query['member_of'], flags) : {}),
      ...(query['required'] ? parseTraits(query['required'], flags) : {}),
      ...(uuid === undefined ? {} : { uuid: canonicalUuid(uuid) }),
      ...(name === undefined ? {} : { name }),
      ...(inTree === undefined ? {} : { inTree: parseInTree(inTree) }),
      ...(resources === undefined ? {} : { resources: parseResources(resources) }),
    });
    return modified(
      { resource_providers: found.map(presentProvider) },
      found.map((p) => p.updatedAt),
    );
  }

  @Api('POST /resource_providers', {
    policy: 'placement:resource_providers:create',
    body: PostProvider,
    success: { '-1.19': 201, '1.20-': 200 },
    views: { '': 'provider' },
  })
  async create(ctx: RequestContext, { body }: ApiRequest<PostProvider>, flags: PlacementFlags): Promise<Reply> {
    const parent = body.parent_provider_uuid;
    const made = await this.providers.create(ctx, {
      name: body.name,
      ...(body.uuid === undefined ? {} : { uuid: canonicalUuid(body.uuid) }),
      ...(parent === undefined ? {} : { parentUuid: parent === null ? null : canonicalUuid(parent) }),
    });
    const location = `/resource_providers/${made.uuid}`;
    return flags.createdProvider
      ? new Reply(presentProvider(made), { location, modified: made.updatedAt })
      : new Reply(undefined, { location });
  }

  @Api('GET /resource_providers/{uuid}', { policy: 'placement:resource_providers:show', views: { '': 'provider' } })
  async show(ctx: RequestContext, { params }: ApiRequest): Promise<Reply> {
    const provider = await this.providers.get(ctx, params['uuid'] ?? '');
    return modified(presentProvider(provider), [provider.updatedAt]);
  }

  @Api('PUT /resource_providers/{uuid}', {
    policy: 'placement:resource_providers:update',
    body: PutProvider,
    views: { '': 'provider' },
  })
  async update(ctx: RequestContext, { params, body }: ApiRequest<PutProvider>, flags: PlacementFlags): Promise<Reply> {
    const parent = body.parent_provider_uuid;
    const change = {
      name: body.name,
      ...(parent === undefined ? {} : { parentUuid: parent === null ? null : canonicalUuid(parent) }),
    };
    const provider = await this.providers.update(ctx, params['uuid'] ?? '', change, { reparent: flags.reparent });
    return modified(presentProvider(provider), [provider.updatedAt]);
  }

  @Api('DELETE /resource_providers/{uuid}', { policy: 'placement:resource_providers:delete', success: 204 })
  async remove(ctx: RequestContext, { params }: ApiRequest): Promise<void> {
    await this.providers.remove(ctx, params['uuid'] ?? '');
  }
}
