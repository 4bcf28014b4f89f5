import { Controller } from '@nestjs/common';
import type { HypervisorKey } from '@fractus/compute-db';
import { toBoolean } from '@fractus/dto-schema';
import { isFullPage, nextHref, parsePage } from '@fractus/http';
import { lastOf } from '@fractus/microversions';
import { invalid, type RequestContext } from '@fractus/objects';
import { hypervisorNotFound, Hypervisors, type ShownHypervisor } from '../../app/hypervisors/hypervisors';
import { ApiParts } from '../../parts';
import { Api, type ApiRequest, type NovaFlags } from '../api';
import { integerInPath, requireUuid } from '../path-ids';
import { ListHypervisorsQuery, ShowHypervisorQuery } from './hypervisors.dto';
import { briefHypervisor, detailedHypervisor, statisticsView } from './hypervisors.presenter';

type ListRequest = ApiRequest<unknown, ListHypervisorsQuery>;

@Controller()
export class HypervisorsController {
  constructor(
    private readonly hypervisors: Hypervisors,
    private readonly parts: ApiParts,
  ) {}

  @Api('GET /os-hypervisors', {
    query: ListHypervisorsQuery,
    views: { 'hypervisors[]': 'hypervisor-brief' },
    policy: 'os_compute_api:os-hypervisors:list',
  })
  list(_ctx: RequestContext, request: ListRequest, flags: NovaFlags): Promise<object> {
    return this.page(request, flags, briefHypervisor);
  }

  @Api('GET /os-hypervisors/detail', {
    query: ListHypervisorsQuery,
    views: { 'hypervisors[]': 'hypervisor' },
    policy: 'os_compute_api:os-hypervisors:list-detail',
  })
  detail(_ctx: RequestContext, request: ListRequest, flags: NovaFlags): Promise<object> {
    return this.page(request, flags, (h) => detailedHypervisor(h, Date.now()));
  }

  @Api('GET /os-hypervisors/statistics', { until: '2.87', policy: 'os_compute_api:os-hypervisors:statistics' })
  async statistics(): Promise<object> {
    return { hypervisor_statistics: statisticsView(await this.hypervisors.statistics()) };
  }

  @Api('GET /os-hypervisors/{id}', {
    query: ShowHypervisorQuery,
    views: { hypervisor: 'hypervisor' },
    policy: 'os_compute_api:os-hypervisors:show',
  })
  async show(
    _ctx: RequestContext,
    { params, query }: ApiRequest<unknown, ShowHypervisorQuery>,
    flags: NovaFlags,
  ): Promise<object> {
    const shown = await this.hypervisors.get(keyOf(params, flags), asksForServers(query));
    return { hypervisor: detailedHypervisor(shown, Date.now()) };
  }

  @Api('GET /os-hypervisors/{id}/uptime', {
    until: '2.87',
    views: { hypervisor: 'hypervisor-brief' },
    policy: 'os_compute_api:os-hypervisors:uptime',
  })
  async uptime(ctx: RequestContext, { params }: ApiRequest, flags: NovaFlags): Promise<object> {
    const shown = await this.hypervisors.get(keyOf(params, flags), false);
    return { hypervisor: { ...briefHypervisor(shown), uptime: await this.hypervisors.uptime(ctx, shown) } };
  }

  /** Until 2.52; a query parameter since. */
  @Api('GET /os-hypervisors/{id}/search', {
    until: '2.52',
    views: { 'hypervisors[]': 'hypervisor-brief' },
    policy: 'os_compute_api:os-hypervisors:search',
  })
  async search(_ctx: RequestContext, { params }: ApiRequest): Promise<object> {
    return { hypervisors: (await this.hypervisors.search(params['id'] ?? '', false)).map(briefHypervisor) };
  }

  /** Until 2.52; a query parameter since. */
  @Api('GET /os-hypervisors/{id}/servers', {
    until: '2.52',
    views: { 'hypervisors[]': 'hypervisor-brief' },
    policy: 'os_compute_api:os-hypervisors:servers',
  })
  async servers(_ctx: RequestContext, { params }: ApiRequest): Promise<object> {
    return { hypervisors: (await this.hypervisors.search(params['id'] ?? '', true)).map(briefHypervisor) };
  }

  private async page(
    { query, raw }: ListRequest,
    flags: NovaFlags,
    view: (h: ShownHypervisor) => object,
  ): Promise<object> {
    const withServers = asksForServers(query);
    const pattern = lastOf(query.hypervisor_hostname_pattern);
    const marker = lastOf(query.marker);
    if (pattern !== undefined) {
      if (query.limit !== undefined || marker) {
        throw invalid(
          'Paging over hypervisors with the hypervisor_hostname_pattern query parameter is not supported.',
          { code: 'query.paging' },
        );
      }
      return { hypervisors: (await this.hypervisors.search(pattern, withServers)).map(view) };
    }
    if (!flags['hypervisors.pages']) return { hypervisors: (await this.hypervisors.list(null, withServers)).map(view) };
    const limit = parsePage({ limit: query.limit ?? [] }, this.parts.config).limit;
    const page = { limit, marker: marker === undefined ? null : markerOf(marker, flags) };
    const found = await this.hypervisors.list(page, withServers);
    const last = found.at(-1);
    if (!last || !isFullPage(found.length, page)) return { hypervisors: found.map(view) };
    const id = flags['hypervisors.uuid'] ? last.hypervisor.nodeId : String(last.hypervisor.rowId);
    return { hypervisors: found.map(view), hypervisors_links: [{ rel: 'next', href: nextHref(raw, id) }] };
  }
}

const asksForServers = (query: ShowHypervisorQuery): boolean => toBoolean(lastOf(query.with_servers)) ?? false;

/** A uuid from 2.53 on (`invalid` else), a number before (`not_found` else). */
export function keyOf(params: Record<string, string>, flags: NovaFlags): HypervisorKey {
  const text = params['id'] ?? '';
  if (flags['hypervisors.uuid']) return { id: requireUuid(text) };
  const rowId = integerInPath(text);
  if (rowId === null) throw hypervisorNotFound(text.slice(0, 100));
  return { rowId };
}

export function markerOf(text: string, flags: NovaFlags): HypervisorKey {
  if (flags['hypervisors.uuid']) return { id: text };
  const rowId = integerInPath(text);
  if (rowId === null) throw invalid(`marker [${text.slice(0, 100)}] not found`, { code: 'query.marker' });
  return { rowId };
}
