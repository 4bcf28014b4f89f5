import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Req } from '@nestjs/common';
import { compileDto, toBoolean } from '@fractus/dto-schema';
import { ctxOf } from '@fractus/http';
import type { FastifyRequest } from 'fastify';
import { bodyOf, memberOf } from '../resource-table/bodies';
import { badVolume, missing } from './volume-errors';
import { VolumeTypes } from './volume-types';
import { ExtraSpecs, NewType, ProjectAccess, TypeChange } from './volume.dto';
import { presentType } from './volume.presenter';
import { viewerOf } from './volumes.controller';

@Controller('v3/types')
export class VolumeTypesController {
  constructor(private readonly types: VolumeTypes) {}

  @Get()
  async list(@Req() request: FastifyRequest): Promise<unknown> {
    const viewer = viewerOf(request);
    return { volume_types: (await this.types.list(ctxOf(request))).map((t) => presentType(viewer, t)) };
  }

  @Post()
  @HttpCode(200)
  async create(@Req() request: FastifyRequest, @Body() body: unknown): Promise<unknown> {
    const given = bodyOf(body, 'volume_type', NewType);
    const type = await this.types.create(ctxOf(request), {
      name: given.name,
      description: given.description ?? null,
      isPublic: toBoolean(given['os-volume-type-access:is_public']) ?? true,
      extraSpecs: given.extra_specs ?? {},
    });
    return { volume_type: presentType(viewerOf(request), type) };
  }

  @Get(':id')
  async show(@Req() request: FastifyRequest, @Param('id') id: string): Promise<unknown> {
    const type = id === 'default' ? await this.types.default() : await this.types.show(ctxOf(request), id);
    return { volume_type: presentType(viewerOf(request), type) };
  }

  @Put(':id')
  async update(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: unknown): Promise<unknown> {
    const { name, description, is_public } = bodyOf(body, 'volume_type', TypeChange);
    const type = await this.types.update(ctxOf(request), id, {
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      ...(is_public === undefined ? {} : { is_public: toBoolean(is_public) ? 1 : 0 }),
    });
    return { volume_type: presentType(viewerOf(request), type) };
  }

  @Delete(':id')
  @HttpCode(202)
  delete(@Req() request: FastifyRequest, @Param('id') id: string): Promise<void> {
    return this.types.delete(ctxOf(request), id);
  }

  @Get(':id/extra_specs')
  async specs(@Req() request: FastifyRequest, @Param('id') id: string): Promise<{ extra_specs: unknown }> {
    const type = presentType(viewerOf(request), await this.types.show(ctxOf(request), id));
    return { extra_specs: type['extra_specs'] };
  }

  @Post(':id/extra_specs')
  @HttpCode(200)
  async setSpecs(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: unknown): Promise<unknown> {
    const { extra_specs } = compileDto(ExtraSpecs).parse(body);
    await this.types.setSpecs(ctxOf(request), id, extra_specs);
    return { extra_specs };
  }

  @Get(':id/extra_specs/:key')
  async spec(@Req() request: FastifyRequest, @Param('id') id: string, @Param('key') key: string): Promise<unknown> {
    const specs = (await this.specs(request, id)).extra_specs as Record<string, string>;
    if (!Object.hasOwn(specs, key)) throw missing('Volume type extra spec', key);
    return { [key]: specs[key] };
  }

  @Put(':id/extra_specs/:key')
  async setSpec(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Param('key') key: string,
    @Body() body: unknown,
  ): Promise<unknown> {
    const { extra_specs } = compileDto(ExtraSpecs).parse({ extra_specs: body });
    if (Object.keys(extra_specs).join() !== key) throw badVolume('Request body and URI mismatch', 'volume.spec_key');
    await this.types.setSpecs(ctxOf(request), id, extra_specs);
    return extra_specs;
  }

  @Delete(':id/extra_specs/:key')
  @HttpCode(202)
  async removeSpec(@Req() request: FastifyRequest, @Param('id') id: string, @Param('key') key: string): Promise<void> {
    await this.spec(request, id, key);
    await this.types.setSpecs(ctxOf(request), id, { [key]: null });
  }

  @Get(':id/os-volume-type-access')
  async access(@Req() request: FastifyRequest, @Param('id') id: string): Promise<unknown> {
    const projects = await this.types.accessOf(ctxOf(request), id);
    return { volume_type_access: projects.map((project_id) => ({ volume_type_id: id, project_id })) };
  }

  @Post(':id/action')
  @HttpCode(202)
  async action(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: unknown): Promise<void> {
    const name = ['addProjectAccess', 'removeProjectAccess'].find((n) => Object.hasOwn(Object(body) as object, n));
    if (!name) throw badVolume('There is no such action.', 'volume.action');
    const { project } = compileDto(ProjectAccess).parse(memberOf(body, name));
    await this.types.setAccess(ctxOf(request), id, project, name === 'addProjectAccess');
  }
}
