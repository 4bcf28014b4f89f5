import { Controller } from '@nestjs/common';
import type { ApiRequest, RawQuery } from '@fractus/microversions';
import type { RequestContext } from '@fractus/objects';
import type { Enforcer } from '@fractus/policy';
import { Inject } from '@nestjs/common';
import { UsagesService } from '../services/usages.service';
import { presentUsages } from './presenters';
import { type Reply, modified } from './reply';
import { ENFORCER } from './tokens';
import { Api, type PlacementFlags } from './versions';

@Controller()
export class UsagesController {
  constructor(
    private readonly usages: UsagesService,
    @Inject(ENFORCER) private readonly enforcer: Enforcer,
  ) {}

  @Api('GET /resource_providers/{uuid}/usages', { policy: 'placement:resource_providers:usages' })
  async ofProvider(ctx: RequestContext, { params }: ApiRequest): Promise<Reply> {
    return modified(presentUsages(await this.usages.ofProvider(ctx, params['uuid'] ?? '')));
  }

  /** A project's reader may ask for that project. */
  @Api<object, RawQuery>('GET /usages', { policies: ['placement:usages'], since: '1.9' })
  async ofProject(
    ctx: RequestContext,
    { query }: ApiRequest<unknown, RawQuery>,
    flags: PlacementFlags,
  ): Promise<Reply> {
    const projectId = query['project_id']?.at(-1) ?? '';
    this.enforcer.authorize(ctx, 'placement:usages', { project_id: projectId });
    const userId = query['user_id']?.at(-1);
    if (!flags.consumerTypes)
      return modified({ usages: Object.fromEntries(await this.usages.ofProject(ctx, projectId, userId)) });
    const byType = await this.usages.byType(ctx, projectId, userId, query['consumer_type']?.at(-1));
    const usages = [...byType].map(([type, u]) => [
      type,
      { ...Object.fromEntries(u.resources), consumer_count: u.consumerCount },
    ]);
    return modified({ usages: Object.fromEntries(usages) });
  }
}
