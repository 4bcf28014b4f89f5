import { Controller } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Server } from '@fractus/compute-db';
import { isFullPage, nextHref, parsePage, type Query } from '@fractus/http';
import { type ActionRequest, Answer } from '@fractus/microversions';
import type { RequestContext } from '@fractus/objects';
import { canonicalAddress } from '../../app/servers/addresses';
import { actOnServer } from '../../app/servers/act-on-server';
import { createServer } from '../../app/servers/create-server';
import { type ListRules, parseList } from '../../app/servers/list-servers';
import { serverFor } from '../../app/servers/server-access';
import { type HostStatusRight, surroundingsOf } from '../../app/servers/server-surroundings';
import { updateServer } from '../../app/servers/update-server';
import { Api, ApiActions, type ApiRequest, type NovaFlags } from '../api';
import { SERVER_ACTIONS } from '../server-actions';
import type { ServerAction } from '../server-actions/server-action';
import { bookmarkUrl, endpointUrl, resourceLinks } from '../urls';
import { createRequestOf } from './create-request.mapper';
import { CreateServerDto } from './create-server.dto';
import { ListServersQuery, ShowServerQuery } from './list-servers.dto';
import { briefServer, detailedServer, serverLinks, type ServerLinks, type ServerViewRights } from './server.presenter';
import { ServerParts } from './server-parts';
import { UpdateServerDto } from './update-server.dto';

const RULE = 'os_compute_api:servers';

@Controller()
export class ServersController {
  constructor(private readonly parts: ServerParts) {}

  @Api('GET /servers', {
    query: ListServersQuery,
    policy: `${RULE}:index`,
    policies: [`${RULE}:index:get_all_tenants`, `${RULE}:allow_all_filters`],
  })
  async index(
    ctx: RequestContext,
    { query, raw }: ApiRequest<unknown, ListServersQuery>,
    flags: NovaFlags,
  ): Promise<object> {
    const { servers, links } = await this.page(ctx, query, raw, this.listRules(ctx, flags, false));
    const views = linksOf(raw);
    return { servers: servers.map((s) => briefServer(s, views)), ...links };
  }

  @Api('GET /servers/detail', {
    query: ListServersQuery,
    views: { 'servers[]': 'server' },
    policy: `${RULE}:detail`,
    policies: [`${RULE}:detail:get_all_tenants`, `${RULE}:allow_all_filters`],
  })
  async detail(
    ctx: RequestContext,
    { query, raw }: ApiRequest<unknown, ListServersQuery>,
    flags: NovaFlags,
  ): Promise<object> {
    const { servers, links } = await this.page(ctx, query, raw, this.listRules(ctx, flags, true));
    return { servers: await this.views(ctx, servers, raw, flags), ...links };
  }

  @Api('GET /servers/{server_id}', { query: ShowServerQuery, views: { server: 'server' }, policies: [`${RULE}:show`] })
  async show(
    ctx: RequestContext,
    { params, raw }: ApiRequest<unknown, ShowServerQuery>,
    flags: NovaFlags,
  ): Promise<object> {
    const server = await serverFor(this.parts, ctx, params['server_id'] ?? '', `${RULE}:show`);
    return { server: await this.view(ctx, server, raw, flags) };
  }

  @Api('POST /servers', {
    body: CreateServerDto,
    success: 202,
    policy: `${RULE}:create`,
    policies: [`${RULE}:create:forced_host`],
  })
  async create(ctx: RequestContext, { body, raw }: ApiRequest<CreateServerDto>): Promise<Answer> {
    const request = createRequestOf(body);
    if (request.networks !== 'none' && request.networks !== 'default' && request.networks.length > 0)
      this.parts.authorize(ctx, `${RULE}:create:attach_network`);
    if (request.blockDevices.length > 0) this.parts.authorize(ctx, `${RULE}:create:attach_volume`);
    if (request.trustedImageCertificates) this.parts.authorize(ctx, `${RULE}:create:trusted_certs`);
    const created = await createServer(this.parts, ctx, request);
    if (request.returnReservationId) return new Answer({ reservation_id: created.reservationId });
    const id = created.serverIds[0] ?? '';
    const links = resourceLinks(raw, 'servers', id);
    const server = {
      id,
      links,
      'OS-DCF:diskConfig': created.diskConfig,
      security_groups: body.server.security_groups ?? [{ name: 'default' }],
      adminPass: created.adminPassword,
    };
    return new Answer({ server }, { headers: { location: links[0]?.href ?? '' } });
  }

  @Api('PUT /servers/{server_id}', {
    body: UpdateServerDto,
    views: { server: 'updated-server' },
    policies: [`${RULE}:update`],
  })
  async update(
    ctx: RequestContext,
    { body: { server: change }, params, raw }: ApiRequest<UpdateServerDto>,
    flags: NovaFlags,
  ): Promise<object> {
    const server = await updateServer(this.parts, ctx, params['server_id'] ?? '', {
      name: change.name?.trim(),
      description: change.description,
      hostname: change.hostname,
      accessIpV4: change.accessIPv4,
      accessIpV6: change.accessIPv6 === undefined ? undefined : canonicalAddress(change.accessIPv6),
      diskConfig: change['OS-DCF:diskConfig'],
      pinnedZone: change.pinned_availability_zone,
    });
    return { server: await this.view(ctx, server, raw, flags) };
  }

  @Api('DELETE /servers/{server_id}', { success: 204, policies: [`${RULE}:delete`] })
  async remove(ctx: RequestContext, { params }: ApiRequest): Promise<void> {
    await actOnServer(this.parts, ctx, { action: 'delete', serverId: params['server_id'] ?? '' });
  }

  @ApiActions('POST /servers/{server_id}/action', SERVER_ACTIONS)
  async act(ctx: RequestContext, { action, body, params }: ActionRequest<ServerAction<never>>): Promise<void> {
    await actOnServer(this.parts, ctx, { ...action.request(ctx, body as never), serverId: params['server_id'] ?? '' });
  }

  private async page(
    ctx: RequestContext,
    given: ListServersQuery,
    raw: FastifyRequest,
    rules: ListRules,
  ): Promise<{ servers: Server[]; links: object }> {
    const query = given as Query;
    const { filters, sort, nothing } = parseList(ctx, query, rules);
    const page = parsePage(query, { maxLimit: this.parts.maxLimit });
    if (nothing) return { servers: [], links: {} };
    const servers = await this.parts.servers.list({
      filters,
      sort,
      limit: page.limit,
      ...(page.marker === undefined ? {} : { marker: page.marker }),
    });
    const last = servers.at(-1);
    const more = last !== undefined && isFullPage(servers.length, page);
    return { servers, links: more ? { servers_links: [{ rel: 'next', href: nextHref(raw, last.id) }] } : {} };
  }

  private async view(
    ctx: RequestContext,
    server: Server,
    raw: FastifyRequest,
    flags: NovaFlags,
  ): Promise<Record<string, unknown>> {
    const [view] = await this.views(ctx, [server], raw, flags, true);
    return view as Record<string, unknown>;
  }

  private async views(
    ctx: RequestContext,
    servers: readonly Server[],
    raw: FastifyRequest,
    flags: NovaFlags,
    one = false,
  ): Promise<Record<string, unknown>[]> {
    const owner = one && servers[0] ? { projectId: servers[0].projectId, userId: servers[0].userId } : undefined;
    const may = (rule: string): boolean => this.parts.may(ctx, rule, owner);
    const rights: ServerViewRights = {
      extendedAttributes: may('os_compute_api:os-extended-server-attributes'),
      hostname: flags.hostnameForAll,
      flavorExtraSpecs: may(`${RULE}:show:flavor-extra-specs`),
      faultDetails: ctx.roles.includes('admin'),
    };
    const around = await surroundingsOf(this.parts, servers, this.hostStatusRight(may));
    const hints = flags.schedulerHintsShown
      ? await this.parts.servers.schedulerHints(servers.map((s) => s.id))
      : undefined;
    const links = linksOf(raw);
    return servers.map((server) =>
      detailedServer({
        server,
        around: {
          fault: null,
          hostZone: null,
          hostStatus: null,
          ...around.get(server.id),
          schedulerHints: hints?.get(server.id) ?? {},
        },
        rights,
        links,
        serverGroups: one,
      }),
    );
  }

  private hostStatusRight(may: (rule: string) => boolean): HostStatusRight {
    if (may(`${RULE}:show:host_status`)) return 'all';
    return may(`${RULE}:show:host_status:unknown-only`) ? 'unknown-only' : 'none';
  }

  private listRules(ctx: RequestContext, flags: NovaFlags, detail: boolean): ListRules {
    const open = new Set<string>(['tags', 'tags-any', 'not-tags', 'not-tags-any', 'changes-before', 'locked']);
    if (flags.ip6FilterForAll) open.add('ip6');
    if (flags.hostnameForAll) open.add('hostname');
    if (flags.moreFiltersForAll) for (const key of MORE_FILTERS) open.add(key);
    return {
      allFilters: this.parts.may(ctx, `${RULE}:allow_all_filters`),
      may: (rule) => this.parts.may(ctx, rule),
      detail,
      refuseUnknownStatus: flags.unknownStatusRefused,
      openFilters: open,
    };
  }
}

/** 2.83: filters that had been an administrator's. */
const MORE_FILTERS = ['availability_zone', 'config_drive', 'key_name', 'created_at', 'launched_at', 'terminated_at', 'power_state', 'task_state', 'vm_state', 'progress', 'user_id']; // prettier-ignore

const linksOf = (raw: FastifyRequest): ServerLinks => serverLinks(endpointUrl(raw), bookmarkUrl(raw));
