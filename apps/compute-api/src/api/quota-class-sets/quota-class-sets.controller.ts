import { Controller } from '@nestjs/common';
import { invalid, type RequestContext } from '@fractus/objects';
import { Quotas } from '../../app/quotas/quotas';
import { Api, type ApiRequest } from '../api';
import { limitsOf } from '../quota-sets/quota-request.mapper';
import { quotaSet } from '../quota-sets/quota-sets.presenter';
import { ShowQuotaClassQuery, UpdateQuotaClassSetDto } from './quota-class-sets.dto';

/** Limits where a project has none of its own. Only class `default` is ever asked; others are kept for clients. */
@Controller()
export class QuotaClassSetsController {
  constructor(private readonly quotas: Quotas) {}

  @Api('GET /os-quota-class-sets/{id}', {
    query: ShowQuotaClassQuery,
    views: { quota_class_set: 'quota-class-set' },
    policy: 'os_compute_api:os-quota-class-sets:show',
  })
  async show(_ctx: RequestContext, { params }: ApiRequest): Promise<object> {
    const name = params['id'] ?? '';
    return { quota_class_set: quotaSet(await this.quotas.ofClass(name), name) };
  }

  @Api('PUT /os-quota-class-sets/{id}', {
    body: UpdateQuotaClassSetDto,
    views: { quota_class_set: 'quota-class-set' },
    policy: 'os_compute_api:os-quota-class-sets:update',
  })
  async update(_ctx: RequestContext, { params, body }: ApiRequest<UpdateQuotaClassSetDto>): Promise<object> {
    const name = params['id'] ?? '';
    if (name.length > 64) throw invalid('quota_class_name has more than 64 characters.', { code: 'quota.class_name' });
    return { quota_class_set: quotaSet(await this.quotas.setClass(name, limitsOf(body.quota_class_set))) };
  }
}
