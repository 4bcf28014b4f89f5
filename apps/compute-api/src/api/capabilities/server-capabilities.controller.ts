import { Controller } from '@nestjs/common';
import { lastOf, operationsOf, type Answer } from '@fractus/microversions';
import type { RequestContext } from '@fractus/objects';
import type { Reason } from '@fractus/server-lifecycle';
import {
  type HostRights,
  SERVER_CAPABILITIES_RULE,
  serverCapabilities,
  type ServerCapabilitiesDeps,
} from '../../app/capabilities/server-capabilities';
import { Api, type ApiRequest } from '../api';
import { ServerParts } from '../servers/server-parts';
import { ServersController } from '../servers/servers.controller';
import { ServerCapabilitiesQuery } from './capabilities.dto';
import { unlessKnown } from './entity-tag';
import { serverCapabilitiesView } from './server-capabilities.presenter';

const SHOW = 'os_compute_api:servers:show';

@Controller()
export class ServerCapabilitiesController {
  constructor(private readonly parts: ServerParts) {}

  @Api('GET /servers/{server_id}/capabilities', {
    query: ServerCapabilitiesQuery,
    policies: [SERVER_CAPABILITIES_RULE],
  })
  async show(
    ctx: RequestContext,
    { params, query, raw }: ApiRequest<unknown, ServerCapabilitiesQuery>,
  ): Promise<Answer> {
    const microversion = raw.fractusVersion ?? '2.1';
    const found = await serverCapabilities(this.deps(), ctx, {
      serverId: params['server_id'] ?? '',
      microversion,
      actions: query.action ?? [],
      variant: lastOf(query.type) ?? null,
    });
    return unlessKnown(raw, { capabilities: serverCapabilitiesView(found, microversion, Date.now()) });
  }

  private hostRights(ctx: RequestContext, owner: { projectId: string; userId: string }): HostRights {
    const may = (rule: string): boolean => this.parts.may(ctx, rule, owner);
    const shown = may('os_compute_api:os-extended-server-attributes');
    if (may(`${SHOW}:host_status`)) return { status: 'all', shown };
    return { status: may(`${SHOW}:host_status:unknown-only`) ? 'unknown-only' : 'none', shown };
  }

  private deps(): ServerCapabilitiesDeps {
    const { servers, reads, hosts, defaultZone, serviceDownSeconds } = this.parts;
    return {
      servers,
      reads,
      hosts,
      defaultZone,
      serviceDownSeconds,
      authorize: (ctx, rule, target) => this.parts.authorize(ctx, rule, target),
      may: (ctx, rule, target) => this.parts.may(ctx, rule, target),
      versionReason,
      hostRights: (ctx, owner) => this.hostRights(ctx, owner),
    };
  }
}

/** The very declaration that lets the request through or not. */
export function versionReason(
  name: string,
  microversion: string,
  operations = operationsOf(ServersController),
): Reason | null {
  const request = name === 'delete' ? 'DELETE /servers/{server_id}' : `POST /servers/{server_id}/action ${name}`;
  const operation = operations.find((o) => o.name === request);
  if (!operation || operation.exists(microversion)) return null;
  const { since, until } = operation.spec;
  const span = [since && `from ${since}`, until && `until ${until}`].filter(Boolean).join(' ');
  return {
    code: 'microversion',
    message: `'${name}' is there ${span}, and not in ${microversion}`,
    have: microversion,
    need: span,
    retryable: false,
    ...(since ? { min: since } : {}),
    ...(until ? { max: until } : {}),
  };
}
