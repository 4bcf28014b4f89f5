import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Req } from '@nestjs/common';
import { originOf } from '@fractus/http';
import type { FastifyRequest } from 'fastify';
import { bodyOf } from '../resource-table/bodies';
import type { Query as ListQuery } from '../resource-table/resource-table';
import { requireAdmin, requireReader } from './callers';
import { Directory } from './directory';
import { DomainChange, NewDomain } from './identity.dto';
import { listOf } from './identity.presenter';

@Controller('v3/domains')
export class DomainsController {
  constructor(private readonly directory: Directory) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Query() query: ListQuery): Promise<unknown> {
    requireReader(request, 'identity:list_domains');
    const shown = (await this.directory.domains.list(query)).map((d) =>
      this.directory.domains.present(d, originOf(request)),
    );
    return listOf('domains', shown, `${originOf(request)}/v3/domains`);
  }

  @Post()
  async create(@Req() request: FastifyRequest, @Body() body: unknown): Promise<unknown> {
    requireAdmin(request, 'identity:create_domain');
    const domain = await this.directory.createDomain({ ...bodyOf(body, 'domain', NewDomain) });
    return { domain: this.directory.domains.present(domain, originOf(request)) };
  }

  @Get(':id')
  async show(@Req() request: FastifyRequest, @Param('id') id: string): Promise<unknown> {
    requireReader(request, 'identity:get_domain', (c) =>
      [c.domainId, c.user.domain_id, c.project?.domain_id].includes(id),
    );
    return { domain: this.directory.domains.present(await this.directory.domains.get(id), originOf(request)) };
  }

  @Patch(':id')
  async update(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: unknown): Promise<unknown> {
    requireAdmin(request, 'identity:update_domain');
    const domain = await this.directory.updateDomain(id, { ...bodyOf(body, 'domain', DomainChange) });
    return { domain: this.directory.domains.present(domain, originOf(request)) };
  }

  @Delete(':id')
  @HttpCode(204)
  async delete(@Req() request: FastifyRequest, @Param('id') id: string): Promise<void> {
    requireAdmin(request, 'identity:delete_domain');
    await this.directory.deleteDomain(id);
  }
}
