import { Controller } from '@nestjs/common';
import type { ApiRequest, RawQuery } from '@fractus/microversions';
import { type RequestContext, invalid } from '@fractus/objects';
import { type NamedSince, type TraitFilter, TraitsService } from '../services/traits.service';
import { PutProviderTraits } from './dto/providers.dto';
import { Reply, modified } from './reply';
import { Api } from './versions';

const OF_PROVIDER = '/resource_providers/{uuid}/traits';
const names = (traits: readonly NamedSince[]): string[] => traits.map((t) => t.name);
const instants = (traits: readonly NamedSince[]): number[] => traits.map((t) => t.updatedAt);

@Controller()
export class TraitsController {
  constructor(private readonly traits: TraitsService) {}

  @Api<object, RawQuery>('GET /traits', { policy: 'placement:traits:list', since: '1.6' })
  async list(ctx: RequestContext, { query }: ApiRequest<unknown, RawQuery>): Promise<Reply> {
    const found = await this.traits.list(ctx, {
      ...parseName(query['name']?.at(-1)),
      ...parseAssociated(query['associated']?.at(-1)),
    });
    return modified({ traits: names(found) }, instants(found));
  }

  @Api('GET /traits/{name}', { policy: 'placement:traits:show', since: '1.6', success: 204 })
  async show(ctx: RequestContext, { params }: ApiRequest): Promise<Reply> {
    return modified(undefined, [(await this.traits.get(ctx, params['name'] ?? '')).updatedAt]);
  }

  @Api('PUT /traits/{name}', { policy: 'placement:traits:update', since: '1.6' })
  async create(ctx: RequestContext, { params }: ApiRequest): Promise<Reply> {
    const { created, trait } = await this.traits.create(ctx, params['name'] ?? '');
    return new Reply(undefined, {
      status: created ? 201 : 204,
      location: `/traits/${trait.name}`,
      modified: trait.updatedAt,
    });
  }

  @Api('DELETE /traits/{name}', { policy: 'placement:traits:delete', since: '1.6', success: 204 })
  async remove(ctx: RequestContext, { params }: ApiRequest): Promise<void> {
    await this.traits.remove(ctx, params['name'] ?? '');
  }

  @Api(`GET ${OF_PROVIDER}`, { policy: 'placement:resource_providers:traits:list', since: '1.6' })
  async ofProvider(ctx: RequestContext, { params }: ApiRequest): Promise<Reply> {
    const { provider, traits } = await this.traits.ofProvider(ctx, params['uuid'] ?? '');
    return modified({ traits: names(traits), resource_provider_generation: provider.generation }, instants(traits));
  }

  @Api(`PUT ${OF_PROVIDER}`, {
    policy: 'placement:resource_providers:traits:update',
    since: '1.6',
    body: PutProviderTraits,
  })
  async setOnProvider(ctx: RequestContext, { params, body }: ApiRequest<PutProviderTraits>): Promise<Reply> {
    const { generation, traits } = await this.traits.setOnProvider(
      ctx,
      params['uuid'] ?? '',
      body.resource_provider_generation,
      body.traits,
    );
    return modified({ traits: names(traits), resource_provider_generation: generation }, instants(traits));
  }

  @Api(`DELETE ${OF_PROVIDER}`, { policy: 'placement:resource_providers:traits:delete', since: '1.6', success: 204 })
  async clearOnProvider(ctx: RequestContext, { params }: ApiRequest): Promise<void> {
    await this.traits.clearOnProvider(ctx, params['uuid'] ?? '');
  }
}

function parseName(value: string | undefined): TraitFilter {
  if (value === undefined) return {};
  const [op, ...rest] = value.split(':');
  const text = rest.join(':');
  if (op === 'in' && rest.length) return { names: text.split(',') };
  if (op === 'startswith' && rest.length) return { prefix: text };
  throw invalid(
    `Badly formatted name parameter. Expected name query string parameter in form: ?name=[in|startswith]:[name1,name2|prefix]. Got: "${value}"`,
    { code: 'query.bad_value' },
  );
}

function parseAssociated(value: string | undefined): TraitFilter {
  if (value === undefined) return {};
  const text = value.toLowerCase();
  if (text !== 'true' && text !== 'false')
    throw invalid('The query parameter "associated" only accepts "true" or "false"', { code: 'query.bad_value' });
  return { associated: text === 'true' };
}
