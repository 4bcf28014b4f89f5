import { Controller } from '@nestjs/common';
import { toBoolean } from '@fractus/dto-schema';
import type { PolicyCheck } from '@fractus/microversions';
import type { ComputeRuleName } from '@fractus/policy';
import type { RequestContext } from '@fractus/objects';
import { Projects } from '../../app/projects/projects';
import { Quotas, type QuotaSubject } from '../../app/quotas/quotas';
import { Api, type ApiRequest } from '../api';
import { limitsOf, subjectOf } from './quota-request.mapper';
import { QuotaDefaultsQuery, QuotaSetQuery, UpdateQuotaSetDto } from './quota-sets.dto';
import { quotaSet, quotaSetDetail } from './quota-sets.presenter';

/** A rule about the project whose quota it is. */
const ofProject = (rule: ComputeRuleName): PolicyCheck => ({
  rule,
  target: (_ctx, { params }) => ({ project_id: params['id'] }),
});

type Ask = ApiRequest<unknown, QuotaSetQuery>;

@Controller()
export class QuotaSetsController {
  constructor(
    private readonly quotas: Quotas,
    private readonly projects: Projects,
  ) {}

  @Api('GET /os-quota-sets/{id}', {
    query: QuotaSetQuery,
    views: { quota_set: 'quota-set' },
    policy: ofProject('os_compute_api:os-quota-sets:show'),
  })
  async show(ctx: RequestContext, { params, query }: Ask): Promise<object> {
    const subject = await this.subject(ctx, params, query);
    return { quota_set: quotaSet(await this.quotas.limits(subject), subject.projectId) };
  }

  @Api('GET /os-quota-sets/{id}/detail', {
    query: QuotaSetQuery,
    views: { quota_set: 'quota-set' },
    policy: ofProject('os_compute_api:os-quota-sets:detail'),
  })
  async detail(ctx: RequestContext, { params, query }: Ask): Promise<object> {
    const subject = await this.subject(ctx, params, query);
    return { quota_set: quotaSetDetail(await this.quotas.usage(subject), subject.projectId) };
  }

  @Api('GET /os-quota-sets/{id}/defaults', {
    query: QuotaDefaultsQuery,
    views: { quota_set: 'quota-set' },
    policy: ofProject('os_compute_api:os-quota-sets:defaults'),
  })
  async defaults(ctx: RequestContext, { params }: ApiRequest): Promise<object> {
    const { projectId } = await this.subject(ctx, params);
    return { quota_set: quotaSet(await this.quotas.defaults(), projectId) };
  }

  @Api('PUT /os-quota-sets/{id}', {
    body: UpdateQuotaSetDto,
    query: QuotaSetQuery,
    views: { quota_set: 'quota-set' },
    policy: ofProject('os_compute_api:os-quota-sets:update'),
  })
  async update(
    ctx: RequestContext,
    { params, query, body }: ApiRequest<UpdateQuotaSetDto, QuotaSetQuery>,
  ): Promise<object> {
    const subject = await this.subject(ctx, params, query);
    const force = toBoolean(body.quota_set.force) ?? false;
    return { quota_set: quotaSet(await this.quotas.set(subject, limitsOf(body.quota_set), force)) };
  }

  @Api('DELETE /os-quota-sets/{id}', {
    query: QuotaSetQuery,
    success: 202,
    policy: ofProject('os_compute_api:os-quota-sets:delete'),
  })
  delete(_ctx: RequestContext, { params, query }: Ask): Promise<void> {
    return this.quotas.reset(subjectOf(params, query));
  }

  /** Whose limits; `invalid` for what is no project. A reset does not ask: what is left of a project must go. */
  private async subject(
    ctx: RequestContext,
    params: Record<string, string>,
    query: QuotaSetQuery = {},
  ): Promise<QuotaSubject> {
    const subject = subjectOf(params, query);
    await this.projects.verify(ctx, subject.projectId);
    return subject;
  }
}
