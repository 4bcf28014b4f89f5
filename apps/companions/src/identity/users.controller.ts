import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Req } from '@nestjs/common';
import { originOf } from '@fractus/http';
import type { FastifyRequest } from 'fastify';
import { bodyOf } from '../resource-table/bodies';
import type { Query as ListQuery } from '../resource-table/resource-table';
import { ApplicationCredentials } from './application-credentials';
import { Assignments } from './assignments';
import { callerOf, isAdmin, requireAdmin, requireReader } from './callers';
import { Directory } from './directory';
import { notAllowed } from './identity-errors';
import { NewApplicationCredential, NewUser, PasswordChange, UserChange } from './identity.dto';
import { listOf, presentApplicationCredential } from './identity.presenter';
import { RoleRecords } from './role-records';
import type { LiveToken } from './tokens';

const self =
  (id: string) =>
  (caller: LiveToken): boolean =>
    caller.user.id === id;

@Controller('v3/users')
export class UsersController {
  constructor(
    private readonly directory: Directory,
    private readonly assignments: Assignments,
    private readonly credentials: ApplicationCredentials,
    private readonly roles: RoleRecords,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Query() query: ListQuery): Promise<unknown> {
    requireReader(request, 'identity:list_users');
    const users = await this.directory.users.list(query);
    return listOf(
      'users',
      users.map((u) => this.directory.users.present(u, originOf(request))),
      `${originOf(request)}/v3/users`,
    );
  }

  @Post()
  async create(@Req() request: FastifyRequest, @Body() body: unknown): Promise<unknown> {
    const caller = requireAdmin(request, 'identity:create_user');
    const user = await this.directory.createUser(bodyOf(body, 'user', NewUser), caller.user.domain_id);
    return { user: this.directory.users.present(user, originOf(request)) };
  }

  @Get(':id')
  async show(@Req() request: FastifyRequest, @Param('id') id: string): Promise<unknown> {
    requireReader(request, 'identity:get_user', self(id));
    return { user: this.directory.users.present(await this.directory.users.get(id), originOf(request)) };
  }

  @Patch(':id')
  async update(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: unknown): Promise<unknown> {
    requireAdmin(request, 'identity:update_user');
    const user = await this.directory.updateUser(id, bodyOf(body, 'user', UserChange));
    return { user: this.directory.users.present(user, originOf(request)) };
  }

  @Delete(':id')
  @HttpCode(204)
  async delete(@Req() request: FastifyRequest, @Param('id') id: string): Promise<void> {
    requireAdmin(request, 'identity:delete_user');
    await this.directory.deleteUser(id);
  }

  /** Needs no token: the old password is what is asked for. */
  @Post(':id/password')
  @HttpCode(204)
  async changePassword(@Param('id') id: string, @Body() body: unknown): Promise<void> {
    const { original_password, password } = bodyOf(body, 'user', PasswordChange);
    await this.directory.changePassword(id, original_password, password);
  }

  @Get(':id/projects')
  async projects(@Req() request: FastifyRequest, @Param('id') id: string): Promise<unknown> {
    requireReader(request, 'identity:list_user_projects', self(id));
    const user = await this.directory.users.get(id);
    const projects = await this.assignments.projectsOf(user.id);
    const shown = projects.map((p) => this.directory.projects.present(p, originOf(request)));
    return listOf('projects', shown, `${originOf(request)}/v3/users/${id}/projects`);
  }

  @Get(':id/groups')
  async groups(@Req() request: FastifyRequest, @Param('id') id: string): Promise<unknown> {
    requireReader(request, 'identity:list_groups_for_user', self(id));
    const user = await this.directory.users.get(id);
    const shown = (await this.directory.groupsOf(user.id)).map((g) =>
      this.directory.groups.present(g, originOf(request)),
    );
    return listOf('groups', shown, `${originOf(request)}/v3/users/${id}/groups`);
  }

  @Get(':id/application_credentials')
  async listCredentials(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Query('name') name?: string,
  ): Promise<unknown> {
    requireReader(request, 'identity:list_application_credentials', self(id));
    const [rows, roles] = await Promise.all([
      this.credentials.list(id, typeof name === 'string' ? name : undefined),
      this.roles.list(),
    ]);
    const shown = rows.map((row) => presentApplicationCredential(row, roles, originOf(request)));
    return listOf('application_credentials', shown, `${originOf(request)}/v3/users/${id}/application_credentials`);
  }

  @Post(':id/application_credentials')
  async createCredential(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<unknown> {
    const caller = callerOf(request);
    if (caller.user.id !== id) throw notAllowed('identity:create_application_credential');
    const { row, secret } = await this.credentials.create(
      caller,
      bodyOf(body, 'application_credential', NewApplicationCredential),
    );
    const shown = presentApplicationCredential(row, await this.roles.list(), originOf(request));
    return { application_credential: { ...shown, secret } };
  }

  @Get(':id/application_credentials/:credential')
  async showCredential(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Param('credential') credential: string,
  ): Promise<unknown> {
    requireReader(request, 'identity:get_application_credential', self(id));
    const row = await this.credentials.get(id, credential);
    return { application_credential: presentApplicationCredential(row, await this.roles.list(), originOf(request)) };
  }

  @Delete(':id/application_credentials/:credential')
  @HttpCode(204)
  async deleteCredential(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Param('credential') credential: string,
  ): Promise<void> {
    const caller = callerOf(request);
    if (caller.user.id !== id && !isAdmin(caller)) throw notAllowed('identity:delete_application_credential');
    await this.credentials.delete(caller, id, credential);
  }
}
