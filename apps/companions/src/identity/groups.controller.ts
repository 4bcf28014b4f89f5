import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query, Req } from '@nestjs/common';
import { originOf } from '@fractus/http';
import type { FastifyRequest } from 'fastify';
import { bodyOf } from '../resource-table/bodies';
import type { Query as ListQuery } from '../resource-table/resource-table';
import { requireAdmin, requireReader } from './callers';
import { Directory } from './directory';
import { unknownRecord } from './identity-errors';
import { GroupChange, NewGroup } from './identity.dto';
import { listOf } from './identity.presenter';

@Controller('v3/groups')
export class GroupsController {
  constructor(private readonly directory: Directory) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Query() query: ListQuery): Promise<unknown> {
    requireReader(request, 'identity:list_groups');
    const shown = (await this.directory.groups.list(query)).map((g) =>
      this.directory.groups.present(g, originOf(request)),
    );
    return listOf('groups', shown, `${originOf(request)}/v3/groups`);
  }

  @Post()
  async create(@Req() request: FastifyRequest, @Body() body: unknown): Promise<unknown> {
    const caller = requireAdmin(request, 'identity:create_group');
    const group = await this.directory.createGroup(bodyOf(body, 'group', NewGroup), caller.user.domain_id);
    return { group: this.directory.groups.present(group, originOf(request)) };
  }

  @Get(':id')
  async show(@Req() request: FastifyRequest, @Param('id') id: string): Promise<unknown> {
    requireReader(request, 'identity:get_group');
    return { group: this.directory.groups.present(await this.directory.groups.get(id), originOf(request)) };
  }

  @Patch(':id')
  async update(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: unknown): Promise<unknown> {
    requireAdmin(request, 'identity:update_group');
    const group = await this.directory.groups.update(id, { ...bodyOf(body, 'group', GroupChange) });
    return { group: this.directory.groups.present(group, originOf(request)) };
  }

  @Delete(':id')
  @HttpCode(204)
  async delete(@Req() request: FastifyRequest, @Param('id') id: string): Promise<void> {
    requireAdmin(request, 'identity:delete_group');
    await this.directory.deleteGroup(id);
  }

  @Get(':id/users')
  async members(@Req() request: FastifyRequest, @Param('id') id: string): Promise<unknown> {
    requireReader(request, 'identity:list_users_in_group');
    const group = await this.directory.groups.get(id);
    const shown = (await this.directory.membersOf(group.id)).map((u) =>
      this.directory.users.present(u, originOf(request)),
    );
    return listOf('users', shown, `${originOf(request)}/v3/groups/${id}/users`);
  }

  @Put(':id/users/:user')
  @HttpCode(204)
  async add(@Req() request: FastifyRequest, @Param('id') id: string, @Param('user') user: string): Promise<void> {
    requireAdmin(request, 'identity:add_user_to_group');
    await this.directory.addMember(id, user);
  }

  @Get(':id/users/:user')
  @HttpCode(204)
  async check(@Req() request: FastifyRequest, @Param('id') id: string, @Param('user') user: string): Promise<void> {
    requireReader(request, 'identity:check_user_in_group');
    if (!(await this.directory.isMember(id, user))) throw unknownRecord('group_member', user);
  }

  @Delete(':id/users/:user')
  @HttpCode(204)
  async remove(@Req() request: FastifyRequest, @Param('id') id: string, @Param('user') user: string): Promise<void> {
    requireAdmin(request, 'identity:remove_user_from_group');
    await this.directory.removeMember(id, user);
  }
}
