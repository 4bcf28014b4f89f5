/** Services, regions and endpoints: what the catalog is made of. */
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query, Req } from '@nestjs/common';
import { originOf } from '@fractus/http';
import type { FastifyRequest } from 'fastify';
import { bodyOf } from '../resource-table/bodies';
import type { Query as ListQuery, Wire } from '../resource-table/resource-table';
import { callerOf, requireAdmin, requireReader } from './callers';
import { CatalogRecords } from './catalog-records';
import { EndpointChange, NewEndpoint, NewRegion, NewService, RegionChange, ServiceChange } from './identity.dto';
import { listOf } from './identity.presenter';

@Controller('v3')
export class CatalogController {
  constructor(private readonly catalog: CatalogRecords) {}

  @Get('services')
  async services(@Req() request: FastifyRequest, @Query() query: ListQuery): Promise<unknown> {
    requireReader(request, 'identity:list_services');
    const shown = (await this.catalog.services.list(query)).map((s) =>
      this.catalog.services.present(s, originOf(request)),
    );
    return listOf('services', shown, `${originOf(request)}/v3/services`);
  }

  @Post('services')
  async createService(@Req() request: FastifyRequest, @Body() body: unknown): Promise<unknown> {
    requireAdmin(request, 'identity:create_service');
    const service = await this.catalog.createService({ ...bodyOf(body, 'service', NewService) });
    return { service: this.catalog.services.present(service, originOf(request)) };
  }

  @Get('services/:id')
  async service(@Req() request: FastifyRequest, @Param('id') id: string): Promise<unknown> {
    requireReader(request, 'identity:get_service');
    return { service: this.catalog.services.present(await this.catalog.services.get(id), originOf(request)) };
  }

  @Patch('services/:id')
  async updateService(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<unknown> {
    requireAdmin(request, 'identity:update_service');
    const service = await this.catalog.services.update(id, { ...bodyOf(body, 'service', ServiceChange) });
    return { service: this.catalog.services.present(service, originOf(request)) };
  }

  @Delete('services/:id')
  @HttpCode(204)
  async deleteService(@Req() request: FastifyRequest, @Param('id') id: string): Promise<void> {
    requireAdmin(request, 'identity:delete_service');
    await this.catalog.deleteService(id);
  }

  @Get('regions')
  async regions(@Req() request: FastifyRequest, @Query() query: ListQuery): Promise<unknown> {
    callerOf(request);
    const shown = (await this.catalog.regions.list(query)).map((r) =>
      this.catalog.regions.present(r, originOf(request)),
    );
    return listOf('regions', shown, `${originOf(request)}/v3/regions`);
  }

  @Post('regions')
  async createRegion(@Req() request: FastifyRequest, @Body() body: unknown): Promise<unknown> {
    requireAdmin(request, 'identity:create_region');
    const region = await this.catalog.createRegion(bodyOf(body, 'region', NewRegion));
    return { region: this.catalog.regions.present(region, originOf(request)) };
  }

  @Put('regions/:id')
  @HttpCode(201)
  async putRegion(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: unknown): Promise<unknown> {
    requireAdmin(request, 'identity:create_region');
    const region = await this.catalog.createRegion({ ...bodyOf(body, 'region', NewRegion), id });
    return { region: this.catalog.regions.present(region, originOf(request)) };
  }

  @Get('regions/:id')
  async region(@Req() request: FastifyRequest, @Param('id') id: string): Promise<unknown> {
    callerOf(request);
    return { region: this.catalog.regions.present(await this.catalog.regions.get(id), originOf(request)) };
  }

  @Patch('regions/:id')
  async updateRegion(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: unknown): Promise<unknown> {
    requireAdmin(request, 'identity:update_region');
    const region = await this.catalog.regions.update(id, { ...bodyOf(body, 'region', RegionChange) });
    return { region: this.catalog.regions.present(region, originOf(request)) };
  }

  @Delete('regions/:id')
  @HttpCode(204)
  async deleteRegion(@Req() request: FastifyRequest, @Param('id') id: string): Promise<void> {
    requireAdmin(request, 'identity:delete_region');
    await this.catalog.deleteRegion(id);
  }

  @Get('endpoints')
  async endpoints(@Req() request: FastifyRequest, @Query() query: ListQuery): Promise<unknown> {
    requireReader(request, 'identity:list_endpoints');
    const shown = (await this.catalog.endpoints.list(query)).map((e) => this.presentEndpoint(e, request));
    return listOf('endpoints', shown, `${originOf(request)}/v3/endpoints`);
  }

  @Post('endpoints')
  async createEndpoint(@Req() request: FastifyRequest, @Body() body: unknown): Promise<unknown> {
    requireAdmin(request, 'identity:create_endpoint');
    return {
      endpoint: this.presentEndpoint(await this.catalog.createEndpoint(bodyOf(body, 'endpoint', NewEndpoint)), request),
    };
  }

  @Get('endpoints/:id')
  async endpoint(@Req() request: FastifyRequest, @Param('id') id: string): Promise<unknown> {
    requireReader(request, 'identity:get_endpoint');
    return { endpoint: this.presentEndpoint(await this.catalog.endpoints.get(id), request) };
  }

  @Patch('endpoints/:id')
  async updateEndpoint(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<unknown> {
    requireAdmin(request, 'identity:update_endpoint');
    return {
      endpoint: this.presentEndpoint(
        await this.catalog.updateEndpoint(id, bodyOf(body, 'endpoint', EndpointChange)),
        request,
      ),
    };
  }

  @Delete('endpoints/:id')
  @HttpCode(204)
  async deleteEndpoint(@Req() request: FastifyRequest, @Param('id') id: string): Promise<void> {
    requireAdmin(request, 'identity:delete_endpoint');
    await this.catalog.deleteEndpoint(id);
  }

  private presentEndpoint(row: Parameters<CatalogRecords['endpoints']['present']>[0], request: FastifyRequest): Wire {
    return { ...this.catalog.endpoints.present(row, originOf(request)), region: row.region_id };
  }
}
