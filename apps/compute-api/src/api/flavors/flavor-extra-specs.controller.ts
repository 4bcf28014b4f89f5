import { Controller } from '@nestjs/common';
import { invalid, notFound, type RequestContext } from '@fractus/objects';
import { Flavors } from '../../app/flavors/flavors';
import { Api, type ApiRequest, type NovaFlags } from '../api';
import { CreateExtraSpecsDto, NoFlavorQuery, UpdateExtraSpecDto } from './flavors.dto';

@Controller()
export class FlavorExtraSpecsController {
  constructor(private readonly flavors: Flavors) {}

  @Api('GET /flavors/{flavor_id}/os-extra_specs', {
    query: NoFlavorQuery,
    policy: 'os_compute_api:os-flavor-extra-specs:index',
  })
  async list(ctx: RequestContext, { params }: ApiRequest): Promise<object> {
    return { extra_specs: (await this.flavors.get(ctx, params['flavor_id'] ?? '')).extraSpecs };
  }

  @Api('GET /flavors/{flavor_id}/os-extra_specs/{id}', {
    query: NoFlavorQuery,
    policy: 'os_compute_api:os-flavor-extra-specs:show',
  })
  async show(ctx: RequestContext, { params }: ApiRequest): Promise<object> {
    const [flavorId = '', key = ''] = [params['flavor_id'], params['id']];
    const { extraSpecs } = await this.flavors.get(ctx, flavorId);
    if (!Object.hasOwn(extraSpecs, key)) {
      throw notFound(`Flavor ${flavorId} has no extra specs with key ${key.slice(0, 255)}.`, {
        code: 'flavor.spec_not_found',
      });
    }
    return { [key]: extraSpecs[key] };
  }

  @Api('POST /flavors/{flavor_id}/os-extra_specs', {
    body: CreateExtraSpecsDto,
    policy: 'os_compute_api:os-flavor-extra-specs:create',
  })
  async create(
    _ctx: RequestContext,
    { params, body }: ApiRequest<CreateExtraSpecsDto>,
    flags: NovaFlags,
  ): Promise<object> {
    await this.flavors.setExtraSpecs(params['flavor_id'] ?? '', body.extra_specs, flags['flavors.extra_specs_checked']);
    return body;
  }

  @Api('PUT /flavors/{flavor_id}/os-extra_specs/{id}', {
    body: UpdateExtraSpecDto,
    policy: 'os_compute_api:os-flavor-extra-specs:update',
  })
  async update(
    _ctx: RequestContext,
    { params, body }: ApiRequest<UpdateExtraSpecDto>,
    flags: NovaFlags,
  ): Promise<object> {
    if (!Object.hasOwn(body, params['id'] ?? ''))
      throw invalid('Request body and URI mismatch', { code: 'flavor.spec_mismatch' });
    await this.flavors.setExtraSpecs(params['flavor_id'] ?? '', { ...body }, flags['flavors.extra_specs_checked']);
    return body;
  }

  @Api('DELETE /flavors/{flavor_id}/os-extra_specs/{id}', { policy: 'os_compute_api:os-flavor-extra-specs:delete' })
  delete(_ctx: RequestContext, { params }: ApiRequest): Promise<void> {
    return this.flavors.removeExtraSpec(params['flavor_id'] ?? '', params['id'] ?? '');
  }
}
