import { Controller, Delete, Get, HttpCode, Post, Query, Req, Res, Body } from '@nestjs/common';
import { originOf, parseTime } from '@fractus/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyOf } from '../resource-table/bodies';
import { Assignments } from './assignments';
import { callerOf, isAdmin } from './callers';
import { Catalog } from './catalog';
import { Directory } from './directory';
import { badInput, notAllowed, refusedLogin, unknownRecord } from './identity-errors';
import { Auth } from './identity.dto';
import { listOf, presentRevocation, presentToken } from './identity.presenter';
import { Revocations } from './revocations';
import { Tokens, type LiveToken } from './tokens';

@Controller('v3')
export class AuthController {
  constructor(
    private readonly tokens: Tokens,
    private readonly catalog: Catalog,
    private readonly assignments: Assignments,
    private readonly directory: Directory,
    private readonly revocations: Revocations,
  ) {}

  /** Open to anyone: the body is what proves who asks. */
  @Post('auth/tokens')
  async issue(
    @Body() body: unknown,
    @Query('nocatalog') nocatalog: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const { id, token } = await this.tokens.issue(bodyOf(body, 'auth', Auth));
    void reply.status(201).header('x-subject-token', id).header('vary', 'X-Auth-Token');
    return this.shown(token, nocatalog === undefined);
  }

  /** HEAD comes with it. */
  @Get('auth/tokens')
  async validate(
    @Req() request: FastifyRequest,
    @Query('nocatalog') nocatalog: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const { id, subject } = await this.subjectOf(request);
    void reply.header('x-subject-token', id).header('vary', 'X-Auth-Token');
    return this.shown(subject, nocatalog === undefined);
  }

  @Delete('auth/tokens')
  @HttpCode(204)
  async revoke(@Req() request: FastifyRequest): Promise<void> {
    await this.tokens.revoke((await this.subjectOf(request)).subject);
  }

  @Get('auth/catalog')
  async ownCatalog(@Req() request: FastifyRequest): Promise<unknown> {
    const caller = callerOf(request);
    if (caller.content.scope.kind === 'unscoped') throw notAllowed('read the catalog with an unscoped token');
    return listOf(
      'catalog',
      await this.catalog.for(caller.user.id, caller.projectId),
      `${originOf(request)}/v3/auth/catalog`,
    );
  }

  @Get(['auth/projects', 'OS-FEDERATION/projects'])
  async ownProjects(@Req() request: FastifyRequest): Promise<unknown> {
    const projects = await this.assignments.projectsOf(callerOf(request).user.id);
    const shown = projects
      .filter((p) => Number(p.enabled) === 1)
      .map((p) => this.directory.projects.present(p, originOf(request)));
    return listOf('projects', shown, `${originOf(request)}/v3/auth/projects`);
  }

  @Get(['auth/domains', 'OS-FEDERATION/domains'])
  async ownDomains(@Req() request: FastifyRequest): Promise<unknown> {
    const ids = await this.assignments.domainIdsOf(callerOf(request).user.id);
    const domains = await this.directory.domains.list();
    const shown = domains
      .filter((d) => ids.includes(d.id))
      .map((d) => this.directory.domains.present(d, originOf(request)));
    return listOf('domains', shown, `${originOf(request)}/v3/auth/domains`);
  }

  @Get('auth/system')
  async ownSystem(@Req() request: FastifyRequest): Promise<unknown> {
    const roles = await this.assignments.onSystem(callerOf(request).user.id);
    return listOf('system', roles.length ? [{ all: true }] : [], `${originOf(request)}/v3/auth/system`);
  }

  /** What services that cache validations read. */
  @Get('OS-REVOKE/events')
  async events(@Req() request: FastifyRequest, @Query('since') since: string | undefined): Promise<unknown> {
    const caller = callerOf(request);
    if (!isAdmin(caller) && !caller.roles.includes('service')) throw notAllowed('identity:list_revoke_events');
    const from = since === undefined ? 0 : parseTime(since);
    if (Number.isNaN(from)) throw badInput(`since '${since}' is not an ISO 8601 time.`);
    return listOf(
      'events',
      (await this.revocations.since(from)).map(presentRevocation),
      `${originOf(request)}/v3/OS-REVOKE/events`,
    );
  }

  /** Everyone may look at their own token; services and administrators at any. */
  private async subjectOf(request: FastifyRequest): Promise<{ id: string; subject: LiveToken }> {
    const own = header(request, 'x-auth-token');
    const id = header(request, 'x-subject-token');
    if (!own) throw refusedLogin();
    const caller = await this.tokens.open(own);
    if (!id) throw badInput('The header X-Subject-Token is required.');
    if (id === own) return { id, subject: caller };
    const mayAsk =
      isAdmin(caller) ||
      caller.roles.includes('service') ||
      (caller.systemScope === 'all' && caller.roles.includes('reader'));
    const subject = await this.tokens.open(id).catch((e: unknown) => {
      if (!mayAsk) throw notAllowed('identity:validate_token');
      throw (e as { kind?: string }).kind === 'unauthenticated'
        ? unknownRecord('token', 'it is unknown, expired or revoked')
        : e;
    });
    if (!mayAsk && subject.user.id !== caller.user.id) throw notAllowed('identity:validate_token');
    return { id, subject };
  }

  private async shown(token: LiveToken, withCatalog: boolean): Promise<unknown> {
    return presentToken(token, withCatalog ? await this.catalog.for(token.user.id, token.projectId) : null);
  }
}

function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
