import { Controller } from '@nestjs/common';
import { lastOf } from '@fractus/microversions';
import { notFound, type RequestContext } from '@fractus/objects';
import { Services } from '../../app/services/services';
import { Api, type ApiRequest, type NovaFlags } from '../api';
import { requireInteger, requireUuid } from '../path-ids';
import { changeOf, SERVICE_ACTIONS } from './service-actions';
import { ListServicesQuery, UpdateServiceBody } from './services.dto';
import { serviceView } from './services.presenter';

@Controller()
export class ServicesController {
  constructor(private readonly services: Services) {}

  @Api('GET /os-services', {
    query: ListServicesQuery,
    views: { 'services[]': 'service' },
    policy: 'os_compute_api:os-services:list',
  })
  async list(_ctx: RequestContext, { query }: ApiRequest<unknown, ListServicesQuery>): Promise<object> {
    const host = lastOf(query.host);
    const binary = lastOf(query.binary);
    // an empty filter is no filter
    const found = await this.services.list({ ...(host ? { host } : {}), ...(binary ? { binary } : {}) });
    return { services: found.map(serviceView) };
  }

  @Api('PUT /os-services/{id}', {
    body: UpdateServiceBody,
    views: { service: 'service' },
    policy: 'os_compute_api:os-services:update',
  })
  async update(
    ctx: RequestContext,
    { params, body }: ApiRequest<UpdateServiceBody>,
    flags: NovaFlags,
  ): Promise<object> {
    const name = params['id'] ?? '';
    if (flags['services.uuid'])
      return { service: serviceView(await this.services.update(ctx, requireUuid(name), changeOf(body))) };
    const action = Object.hasOwn(SERVICE_ACTIONS, name) ? SERVICE_ACTIONS[name] : undefined;
    if (!action || (action.since211 && !flags['services.force_down']))
      throw notFound('Unknown action', { code: 'service.action' });
    const change = action.change(body);
    await this.services.updateByHost(ctx, body.host, body.binary, change);
    return { service: { host: body.host, binary: body.binary, ...action.answer(change) } };
  }

  @Api('DELETE /os-services/{id}', { success: 204, policy: 'os_compute_api:os-services:delete' })
  async remove(ctx: RequestContext, { params }: ApiRequest, flags: NovaFlags): Promise<void> {
    const id = params['id'] ?? '';
    await this.services.delete(ctx, flags['services.uuid'] ? { id: requireUuid(id) } : { rowId: requireInteger(id) });
  }
}
