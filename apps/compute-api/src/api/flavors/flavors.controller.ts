import { Controller } from '@nestjs/common';
import type { Flavor } from '@fractus/compute-db';
import { isFullPage, nextHref, parsePage } from '@fractus/http';
import { lastOf } from '@fractus/microversions';
import type { RequestContext } from '@fractus/objects';
import type { FastifyRequest } from 'fastify';
import { Flavors } from '../../app/flavors/flavors';
import { ApiParts } from '../../parts';
import { Api, type ApiRequest } from '../api';
import { Policy } from '../policy';
import { resourceLinks } from '../urls';
import { flavorListOf, flavorSortOf, flavorWishOf } from './flavor-request.mapper';
import { CreateFlavorDto, ListFlavorsQuery, NoFlavorQuery, UpdateFlavorDto } from './flavors.dto';
import { briefFlavor, detailedFlavor } from './flavors.presenter';

type ListRequest = ApiRequest<unknown, ListFlavorsQuery>;

const SEES_EXTRA_SPECS = 'os_compute_api:os-flavor-extra-specs:index';

@Controller()
export class FlavorsController {
  constructor(
    private readonly flavors: Flavors,
    private readonly policy: Policy,
    private readonly parts: ApiParts,
  ) {}

  @Api('GET /flavors', { query: ListFlavorsQuery, views: { 'flavors[]': 'flavor-brief' }, policy: null })
  list(ctx: RequestContext, request: ListRequest): Promise<object> {
    return this.page(ctx, request, (f) => briefFlavor(f, links(request.raw, f)));
  }

  @Api('GET /flavors/detail', {
    query: ListFlavorsQuery,
    views: { 'flavors[]': 'flavor' },
    policy: null,
    policies: [SEES_EXTRA_SPECS],
  })
  detail(ctx: RequestContext, request: ListRequest): Promise<object> {
    const withExtraSpecs = this.policy.may(ctx, SEES_EXTRA_SPECS);
    return this.page(ctx, request, (f) => detailedFlavor(f, links(request.raw, f), withExtraSpecs));
  }

  @Api('GET /flavors/{id}', {
    query: NoFlavorQuery,
    views: { flavor: 'flavor' },
    policy: null,
    policies: [SEES_EXTRA_SPECS],
  })
  async show(ctx: RequestContext, { params, raw }: ApiRequest): Promise<object> {
    return this.one(ctx, raw, await this.flavors.get(ctx, params['id'] ?? ''));
  }

  @Api('POST /flavors', {
    body: CreateFlavorDto,
    views: { flavor: 'flavor' },
    policy: 'os_compute_api:os-flavor-manage:create',
    policies: [SEES_EXTRA_SPECS],
  })
  async create(ctx: RequestContext, { body, raw }: ApiRequest<CreateFlavorDto>): Promise<object> {
    return this.one(ctx, raw, await this.flavors.create(flavorWishOf(body.flavor)));
  }

  @Api('PUT /flavors/{id}', {
    since: '2.55',
    body: UpdateFlavorDto,
    views: { flavor: 'flavor' },
    policy: 'os_compute_api:os-flavor-manage:update',
    policies: [SEES_EXTRA_SPECS],
  })
  async update(ctx: RequestContext, { params, body, raw }: ApiRequest<UpdateFlavorDto>): Promise<object> {
    return this.one(ctx, raw, await this.flavors.describe(params['id'] ?? '', body.flavor.description));
  }

  @Api('DELETE /flavors/{id}', { success: 202, policy: 'os_compute_api:os-flavor-manage:delete' })
  delete(_ctx: RequestContext, { params }: ApiRequest): Promise<void> {
    return this.flavors.delete(params['id'] ?? '');
  }

  private one(ctx: RequestContext, raw: FastifyRequest, flavor: Flavor): object {
    return { flavor: detailedFlavor(flavor, links(raw, flavor), this.policy.may(ctx, SEES_EXTRA_SPECS)) };
  }

  private async page(ctx: RequestContext, { query, raw }: ListRequest, view: (f: Flavor) => object): Promise<object> {
    const page = parsePage({ limit: query.limit ?? [] }, this.parts.config);
    const marker = lastOf(query.marker);
    const wish = { sort: flavorSortOf(query), limit: page.limit, ...(marker ? { marker } : {}) };
    const found = page.limit === 0 ? [] : await this.flavors.list(ctx, flavorListOf(query), wish);
    const last = found.at(-1);
    if (!last || !isFullPage(found.length, page)) return { flavors: found.map(view) };
    return { flavors: found.map(view), flavors_links: [{ rel: 'next', href: nextHref(raw, last.flavorId) }] };
  }
}

const links = (raw: FastifyRequest, flavor: Flavor) => resourceLinks(raw, 'flavors', flavor.flavorId);
