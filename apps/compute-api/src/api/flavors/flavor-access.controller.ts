import { Controller } from '@nestjs/common';
import type { ActionRequest } from '@fractus/microversions';
import type { RequestContext } from '@fractus/objects';
import { Flavors } from '../../app/flavors/flavors';
import { Api, ApiActions, type ApiRequest, type NovaFlags } from '../api';
import { FLAVOR_ACTIONS } from './flavor-actions';
import { NoFlavorQuery } from './flavors.dto';
import { flavorAccess } from './flavors.presenter';

/** Which projects may use a private flavor. */
@Controller()
export class FlavorAccessController {
  constructor(private readonly flavors: Flavors) {}

  @Api('GET /flavors/{flavor_id}/os-flavor-access', { query: NoFlavorQuery, policy: 'os_compute_api:os-flavor-access' })
  async list(ctx: RequestContext, { params }: ApiRequest): Promise<object> {
    const flavorId = params['flavor_id'] ?? '';
    return flavorAccess(flavorId, await this.flavors.access(ctx, flavorId));
  }

  @ApiActions('POST /flavors/{id}/action', FLAVOR_ACTIONS)
  async act(
    ctx: RequestContext,
    { params, action, body }: ActionRequest<(typeof FLAVOR_ACTIONS)[number]>,
    flags: NovaFlags,
  ): Promise<object> {
    const flavorId = params['id'] ?? '';
    return flavorAccess(flavorId, await action.run(this.flavors, ctx, flavorId, body as never, flags));
  }
}
