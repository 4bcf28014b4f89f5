import { Controller } from '@nestjs/common';
import { isFullPage, nextHref, parsePage } from '@fractus/http';
import { lastOf } from '@fractus/microversions';
import { invalid, type RequestContext } from '@fractus/objects';
import { type DryRunResult, dryRunCreate, dryRunServer } from '../../app/schedule-info/dry-run';
import { ScheduleInfo } from '../../app/schedule-info/schedule-info';
import { ApiParts } from '../../parts';
import { Api, type ApiRequest } from '../api';
import { Policy } from '../policy';
import { createRequestOf } from '../servers/create-request.mapper';
import { DryRunParts } from './dry-run-parts';
import { ScheduleDryRunDto, ScheduleInfoQuery } from './schedule-info.dto';
import { attemptView, dryRunView } from './schedule-info.presenter';

const SHOW = 'os_compute_api:os-schedule-info:show';
const SHOW_HOSTS = 'os_compute_api:os-schedule-info:hosts';
const DRY_RUN = 'os_compute_api:os-schedule-dry-run';
const DRY_RUN_HOSTS = 'os_compute_api:os-schedule-dry-run:hosts';
const CREATE = 'os_compute_api:servers:create';

/** Ours alone, in every microversion: why a server is where it is, and where one would go. */
@Controller()
export class ScheduleInfoController {
  constructor(
    private readonly info: ScheduleInfo,
    private readonly dryRuns: DryRunParts,
    private readonly policy: Policy,
    private readonly parts: ApiParts,
  ) {}

  @Api('GET /servers/{server_id}/os-schedule-info', { query: ScheduleInfoQuery, policies: [SHOW, SHOW_HOSTS] })
  async show(ctx: RequestContext, { params, query, raw }: ApiRequest<unknown, ScheduleInfoQuery>): Promise<object> {
    const server = await this.info.server(ctx, params['server_id'] ?? '');
    const target = { project_id: server.projectId, user_id: server.userId };
    this.policy.authorize(ctx, SHOW, target);
    const marker = lastOf(query.marker);
    const { limit } = parsePage({ limit: query.limit ?? [] }, this.parts.config);
    const found = await this.info.attempts(server, { limit, ...(marker === undefined ? {} : { marker }) });
    const last = found.at(-1);
    const next = last && isFullPage(found.length, { limit }) ? nextHref(raw, last.attemptId) : undefined;
    const hosts = this.policy.may(ctx, SHOW_HOSTS, target);
    const links = next === undefined ? {} : { schedule_info_links: [{ rel: 'next', href: next }] };
    return { schedule_info: found.map((a) => attemptView(a, hosts)), ...links };
  }

  @Api('POST /os-schedule-dry-run', { body: ScheduleDryRunDto, policy: DRY_RUN, policies: [DRY_RUN_HOSTS] })
  async dryRun(ctx: RequestContext, { body }: ApiRequest<ScheduleDryRunDto>): Promise<object> {
    const result = await this.ask(ctx, body);
    return { schedule_dry_run: dryRunView(result, this.policy.may(ctx, DRY_RUN_HOSTS)) };
  }

  private ask(ctx: RequestContext, body: ScheduleDryRunDto): Promise<DryRunResult> {
    const { server, resize, migrate, unshelve } = oneQuestion(body);
    const parts = this.dryRuns;
    if (resize) {
      const { server_id: serverId, flavorRef } = resize;
      return dryRunServer(parts, ctx, { operation: 'resize', serverId, flavorRef: String(flavorRef) });
    }
    if (migrate) {
      const { server_id: serverId, host = null } = migrate;
      return dryRunServer(parts, ctx, { operation: 'migrate', serverId, host });
    }
    if (unshelve) {
      const { server_id: serverId, host = null, availability_zone } = unshelve;
      const zone = availability_zone === undefined ? {} : { availabilityZone: availability_zone };
      return dryRunServer(parts, ctx, { operation: 'unshelve', serverId, host, ...zone });
    }
    if (!server) throw invalid(ONE_OF, { code: 'body.dry_run' });
    const request = createRequestOf({ ...body, server });
    parts.authorize(ctx, CREATE);
    if (request.networks !== 'none' && request.networks !== 'default' && request.networks.length > 0)
      parts.authorize(ctx, `${CREATE}:attach_network`);
    if (request.blockDevices.length > 0) parts.authorize(ctx, `${CREATE}:attach_volume`);
    if (request.trustedImageCertificates) parts.authorize(ctx, `${CREATE}:trusted_certs`);
    return dryRunCreate(parts, ctx, request);
  }
}

const ONE_OF = 'Give one of server (with its scheduler hints), resize, migrate and unshelve.';

function oneQuestion(body: ScheduleDryRunDto): ScheduleDryRunDto {
  const { server, resize, migrate, unshelve } = body;
  const given = [server, resize, migrate, unshelve].filter((q) => q !== undefined);
  const hints = body['os:scheduler_hints'] ?? body['OS-SCH-HNT:scheduler_hints'];
  if (given.length !== 1 || (hints && !server)) throw invalid(ONE_OF, { code: 'body.dry_run' });
  return body;
}
