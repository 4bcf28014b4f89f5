import { Controller } from '@nestjs/common';
import { lastOf } from '@fractus/microversions';
import type { RequestContext } from '@fractus/objects';
import { Quotas } from '../../app/quotas/quotas';
import { Api, type ApiRequest } from '../api';
import { Policy } from '../policy';
import { LimitsQuery } from './limits.dto';
import { limitsView } from './limits.presenter';

const OTHER_PROJECT = 'os_compute_api:limits:other_project';

@Controller()
export class LimitsController {
  constructor(
    private readonly quotas: Quotas,
    private readonly policy: Policy,
  ) {}

  @Api('GET /limits', {
    query: LimitsQuery,
    views: { 'limits.absolute': 'limits' },
    policy: 'os_compute_api:limits',
    policies: [OTHER_PROJECT],
  })
  async show(ctx: RequestContext, { query }: ApiRequest<unknown, LimitsQuery>): Promise<object> {
    const asked = lastOf(query.tenant_id);
    if (asked !== undefined) this.policy.authorize(ctx, OTHER_PROJECT);
    return { limits: limitsView(await this.quotas.usage({ projectId: asked ?? ctx.projectId ?? '' })) };
  }
}
