import { Controller } from '@nestjs/common';
import { toBoolean } from '@fractus/dto-schema';
import type { PolicyCheck } from '@fractus/microversions';
import type { ComputeRuleName } from '@fractus/policy';
import type { RequestContext } from '@fractus/objects';
import { Quotas } from '../../app/quotas/quotas';
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
  constructor(private readonly quotas: Quotas) {}

  @Api('GET /os-quota-sets/{id}', {
    query: QuotaSetQuery,
    views: { quota_set: 'quota-set' },
    policy: ofProject('os_compute_api:os-quota-sets:show'),
  })
  async show(_ctx: RequestContext, { params, query }: Ask): Promise<object> {
    return { quota_set: quotaSet(await this.quotas.limits(subjectOf(params, query)), params['id']) };
  }

  @Api('GET /os-quota-sets/{id}/detail', {
    query: QuotaSetQuery,
    views: { quota_set: 'quota-set' },
    policy: ofProject('os_compute_api:os-quota-sets:detail'),
  })
  async detail(_ctx: RequestContext, { params, query }: Ask): Promise<object> {
    const subject = subjectOf(params, query);
    return { quota_set: quotaSetDetail(await this.quotas.usage(subject), subject.projectId) };
  }

  @Api('GET /os-quota-sets/{id}/defaults', {
    query: QuotaDefaultsQuery,
    views: { quota_set: 'quota-set' },
    policy: ofProject('os_compute_api:os-quota-sets:defaults'),
  })
  async defaults(_ctx: RequestContext, { params }: ApiRequest): Promise<object> {
    return { quota_set: quotaSet(await this.quotas.defaults(), params['id']) };
  }

  @Api('PUT /os-quota-sets/{id}', {
    body: UpdateQuotaSetDto,
    query: QuotaSetQuery,
    views: { quota_set: 'quota-set' },
    policy: ofProject('os_compute_api:os-quota-sets:update'),
  })
  async update(
    _ctx: RequestContext,
    { params, query, body }: ApiRequest<UpdateQuotaSetDto, QuotaSetQuery>,
  ): Promise<object> {
    const force = toBoolean(body.quota_set.force) ?? false;
    return { quota_set: quotaSet(await this.quotas.set(subjectOf(params, query), limitsOf(body.quota_set), force)) };
  }

  @Api('DELETE /os-quota-sets/{id}', {
    query: QuotaSetQuery,
    success: 202,
    policy: ofProject('os_compute_api:os-quota-sets:delete'),
  })
  delete(_ctx: RequestContext, { params, query }: Ask): Promise<void> {
    return this.quotas.reset(subjectOf(params, query));
  }
}
