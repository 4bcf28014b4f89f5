import { Controller } from '@nestjs/common';
import type { ActionQuery, InstanceAction, Server } from '@fractus/compute-db';
import { parseInstant } from '@fractus/dto-schema';
import { isFullPage, nextHref, parsePage } from '@fractus/http';
import { lastOf } from '@fractus/microversions';
import type { RequestContext } from '@fractus/objects';
import { InstanceActions } from '../../app/instance-actions/instance-actions';
import { ApiParts } from '../../parts';
import { Api, type ApiRequest, type NovaFlags } from '../api';
import { Policy } from '../policy';
import { ListInstanceActionsQuery, ShowInstanceActionQuery } from './instance-actions.dto';
import { actionView, eventView } from './instance-actions.presenter';

const LIST = 'os_compute_api:os-instance-actions:list';
const SHOW = 'os_compute_api:os-instance-actions:show';
const EVENTS = 'os_compute_api:os-instance-actions:events';
const EVENT_DETAILS = 'os_compute_api:os-instance-actions:events:details';

@Controller()
export class InstanceActionsController {
  constructor(
    private readonly actions: InstanceActions,
    private readonly policy: Policy,
    private readonly parts: ApiParts,
  ) {}

  @Api('GET /servers/{server_id}/os-instance-actions', {
    query: ListInstanceActionsQuery,
    views: { 'instanceActions[]': 'instance-action' },
    policies: [LIST],
  })
  async list(
    ctx: RequestContext,
    { params, query, raw }: ApiRequest<unknown, ListInstanceActionsQuery>,
    flags: NovaFlags,
  ): Promise<object> {
    const server = await this.server(ctx, params, flags, LIST);
    if (!flags['instance_actions.pages']) return { instanceActions: (await this.actions.list(server)).map(actionView) };
    const asked = this.read(query);
    const found = await this.actions.list(server, asked);
    const last = found.at(-1);
    const next = last && isFullPage(found.length, asked) ? nextHref(raw, last.requestId) : undefined;
    return { instanceActions: found.map(actionView), ...(next ? { links: [{ rel: 'next', href: next }] } : {}) };
  }

  @Api('GET /servers/{server_id}/os-instance-actions/{id}', {
    query: ShowInstanceActionQuery,
    views: { instanceAction: 'instance-action', 'instanceAction.events[]': 'instance-action-event' },
    policies: [SHOW, EVENTS, EVENT_DETAILS],
  })
  async show(
    ctx: RequestContext,
    { params }: ApiRequest<unknown, ShowInstanceActionQuery>,
    flags: NovaFlags,
  ): Promise<object> {
    const server = await this.server(ctx, params, flags, SHOW);
    const action = await this.actions.get(server, params['id'] ?? '');
    const events = await this.events(ctx, server, action, flags);
    return { instanceAction: { ...actionView(action), ...(events ? { events } : {}) } };
  }

  /** Before 2.51 only those see events who may see all of them; from then on the owner sees what is no secret. */
  private async events(
    ctx: RequestContext,
    server: Server,
    action: InstanceAction,
    flags: NovaFlags,
  ): Promise<object[] | null> {
    const target = { project_id: server.projectId };
    const internals = this.policy.may(ctx, EVENTS, target);
    if (!internals && !flags['instance_actions.owner_events']) return null;
    const details = this.policy.may(ctx, EVENT_DETAILS, target);
    const projectId = action.projectId ?? server.projectId;
    return (await this.actions.events(action)).map((e) => eventView(e, projectId, { internals, details }));
  }

  private async server(
    ctx: RequestContext,
    params: Record<string, string>,
    flags: NovaFlags,
    rule: typeof LIST | typeof SHOW,
  ): Promise<Server> {
    const server = await this.actions.server(ctx, params['server_id'] ?? '', flags['instance_actions.of_deleted']);
    this.policy.authorize(ctx, rule, { project_id: server.projectId });
    return server;
  }

  private read(query: ListInstanceActionsQuery): ActionQuery & { limit: number } {
    const marker = lastOf(query.marker);
    const since = lastOf(query['changes-since']);
    const before = lastOf(query['changes-before']);
    return {
      limit: parsePage({ limit: query.limit ?? [] }, this.parts.config).limit,
      ...(marker === undefined ? {} : { marker }),
      ...(since === undefined ? {} : { changesSince: parseInstant(since) ?? NaN }),
      ...(before === undefined ? {} : { changesBefore: parseInstant(before) ?? NaN }),
    };
  }
}
