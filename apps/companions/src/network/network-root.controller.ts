/** Version documents, extensions and quotas. */
import { Body, Controller, Delete, Get, HttpCode, Param, Put, Req } from '@nestjs/common';
import { ctxOf, originOf } from '@fractus/http';
import type { RequestContext } from '@fractus/objects';
import type { FastifyRequest } from 'fastify';
import { memberOf } from '../resource-table/bodies';
import { EXTENSIONS } from './extensions';
import { isAdmin } from './kind';
import { Kinds } from './kinds';
import { denied, missing } from './network-errors';
import { DEFAULT_QUOTAS, Quotas } from './quotas';

@Controller()
export class NetworkRootController {
  constructor(
    private readonly quotas: Quotas,
    private readonly kinds: Kinds,
  ) {}

  @Get()
  versions(@Req() request: FastifyRequest): unknown {
    return {
      versions: [{ id: 'v2.0', status: 'CURRENT', links: [{ rel: 'self', href: `${originOf(request)}/v2.0/` }] }],
    };
  }

  @Get('v2.0')
  resources(@Req() request: FastifyRequest): unknown {
    const links = (path: string) => [{ rel: 'self', href: `${originOf(request)}/v2.0/${path}` }];
    return {
      resources: this.kinds
        .all()
        .map((k) => ({ name: k.table.resource, collection: k.table.collection, links: links(k.path) })),
    };
  }

  @Get('v2.0/extensions')
  extensions(): unknown {
    return { extensions: EXTENSIONS };
  }

  @Get('v2.0/extensions/:alias')
  extension(@Param('alias') alias: string): unknown {
    const extension = EXTENSIONS.find((e) => e.alias === alias);
    if (!extension) throw missing('ExtensionNotFound', 'Extension', alias);
    return { extension };
  }

  @Get('v2.0/quotas')
  async allQuotas(@Req() request: FastifyRequest): Promise<unknown> {
    if (!isAdmin(ctxOf(request))) throw denied('rule:get_quotas');
    return { quotas: (await this.quotas.all()).map((q) => ({ ...q, tenant_id: q.project_id })) };
  }

  @Get(['v2.0/quotas/:project', 'v2.0/quotas/:project/default'])
  async quota(@Req() request: FastifyRequest, @Param('project') project: string): Promise<unknown> {
    requireOwn(ctxOf(request), project, 'rule:get_quota');
    const isDefault = request.url.split('?', 1)[0]?.endsWith('/default');
    return { quota: isDefault ? DEFAULT_QUOTAS : await this.quotas.of(project) };
  }

  @Get(['v2.0/quotas/:project/details', 'v2.0/quotas/:project/details.json'])
  async details(@Req() request: FastifyRequest, @Param('project') project: string): Promise<unknown> {
    requireOwn(ctxOf(request), project, 'rule:get_quota');
    const limits = await this.quotas.of(project);
    const entries = Object.entries(limits).map(async ([resource, limit]) => {
      const kind = this.kinds.all().find((k) => k.table.resource === resource);
      return [resource, { limit, used: kind ? await this.quotas.used(kind, project) : 0, reserved: 0 }] as const;
    });
    return { quota: Object.fromEntries(await Promise.all(entries)) };
  }

  @Put('v2.0/quotas/:project')
  async setQuota(
    @Req() request: FastifyRequest,
    @Param('project') project: string,
    @Body() body: unknown,
  ): Promise<unknown> {
    if (!isAdmin(ctxOf(request))) throw denied('rule:update_quota');
    return { quota: await this.quotas.set(project, memberOf(body, 'quota')) };
  }

  @Delete('v2.0/quotas/:project')
  @HttpCode(204)
  async resetQuota(@Req() request: FastifyRequest, @Param('project') project: string): Promise<void> {
    if (!isAdmin(ctxOf(request))) throw denied('rule:delete_quota');
    await this.quotas.reset(project);
  }
}

function requireOwn(ctx: RequestContext, project: string, rule: string): void {
  if (!isAdmin(ctx) && ctx.projectId !== project) throw denied(rule);
}
