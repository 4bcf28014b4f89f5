import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query, Req } from '@nestjs/common';
import { originOf } from '@fractus/http';
import type { FastifyRequest } from 'fastify';
import { bodyOf } from '../resource-table/bodies';
import type { Query as ListQuery } from '../resource-table/resource-table';
import { requireAdmin, requireReader } from './callers';
import { unknownRecord } from './identity-errors';
import { NewRole, RoleChange } from './identity.dto';
import { listOf } from './identity.presenter';
import type { RoleRow } from './identity.rows';
import { RoleRecords, type Implication } from './role-records';

@Controller('v3')
export class RolesController {
  constructor(private readonly roles: RoleRecords) {}

  /** Open to every user: roles are named when application credentials and assignments are made. */
  @Get('roles')
  async list(@Req() request: FastifyRequest, @Query() query: ListQuery): Promise<unknown> {
    const roles = (await this.roles.list(query)).filter(
      (r) => query['domain_id'] !== undefined || r.domain_id === null,
    );
    return listOf(
      'roles',
      roles.map((r) => this.present(r, request)),
      `${originOf(request)}/v3/roles`,
    );
  }

  @Post('roles')
  async create(@Req() request: FastifyRequest, @Body() body: unknown): Promise<unknown> {
    requireAdmin(request, 'identity:create_role');
    return { role: this.present(await this.roles.create(bodyOf(body, 'role', NewRole)), request) };
  }

  @Get('roles/:id')
  async show(@Req() request: FastifyRequest, @Param('id') id: string): Promise<unknown> {
    return { role: this.present(await this.roles.records.get(id), request) };
  }

  @Patch('roles/:id')
  async update(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: unknown): Promise<unknown> {
    requireAdmin(request, 'identity:update_role');
    return { role: this.present(await this.roles.update(id, bodyOf(body, 'role', RoleChange)), request) };
  }

  @Delete('roles/:id')
  @HttpCode(204)
  async delete(@Req() request: FastifyRequest, @Param('id') id: string): Promise<void> {
    requireAdmin(request, 'identity:delete_role');
    await this.roles.delete(id);
  }

  @Get('roles/:id/implies')
  async implies(@Req() request: FastifyRequest, @Param('id') id: string): Promise<unknown> {
    requireReader(request, 'identity:list_implied_roles');
    const prior = await this.roles.records.get(id);
    const implied = (await this.roles.implications())
      .filter((i) => i.prior.id === id)
      .map((i) => this.brief(i.implied, request));
    return {
      role_inference: { prior_role: this.brief(prior, request), implies: implied },
      links: { self: `${originOf(request)}/v3/roles/${id}/implies` },
    };
  }

  @Put('roles/:id/implies/:implied')
  @HttpCode(201)
  async imply(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Param('implied') implied: string,
  ): Promise<unknown> {
    requireAdmin(request, 'identity:create_implied_role');
    return this.inference(await this.roles.imply(id, implied), request);
  }

  @Get('roles/:id/implies/:implied')
  async implied(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Param('implied') implied: string,
  ): Promise<unknown> {
    requireReader(request, 'identity:get_implied_role');
    const found = (await this.roles.implications()).find((i) => i.prior.id === id && i.implied.id === implied);
    if (!found) throw unknownRecord('role_inference', implied);
    return this.inference(found, request);
  }

  @Delete('roles/:id/implies/:implied')
  @HttpCode(204)
  async stopImplying(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Param('implied') implied: string,
  ): Promise<void> {
    requireAdmin(request, 'identity:delete_implied_role');
    await this.roles.stopImplying(id, implied);
  }

  @Get('role_inferences')
  async inferences(@Req() request: FastifyRequest): Promise<unknown> {
    requireReader(request, 'identity:list_role_inference_rules');
    const all = await this.roles.implications();
    const priors = [...new Map(all.map((i) => [i.prior.id, i.prior])).values()];
    const shown = priors.map((prior) => ({
      prior_role: this.brief(prior, request),
      implies: all.filter((i) => i.prior.id === prior.id).map((i) => this.brief(i.implied, request)),
    }));
    return { role_inferences: shown, links: { self: `${originOf(request)}/v3/role_inferences` } };
  }

  private inference({ prior, implied }: Implication, request: FastifyRequest): unknown {
    return { role_inference: { prior_role: this.brief(prior, request), implies: this.brief(implied, request) } };
  }

  private brief(role: RoleRow, request: FastifyRequest): unknown {
    return { id: role.id, name: role.name, links: { self: `${originOf(request)}/v3/roles/${role.id}` } };
  }

  private present(role: RoleRow, request: FastifyRequest): unknown {
    return { ...this.roles.records.present(role, originOf(request)), options: {} };
  }
}
