import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Req, Res } from '@nestjs/common';
import { compileDto } from '@fractus/dto-schema';
import { ctxOf, originOf, queryOf, rawQuery } from '@fractus/http';
import { FractusError, notFound } from '@fractus/objects';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readPatch } from './image-patch';
import { NewImage } from './image.dto';
import { presentImage, presentVersions } from './image.presenter';
import { SCHEMAS } from './image.schemas';
import { Images } from './images';

/** Media types of patches; anything else is 415. */
export const PATCH_TYPES = [
  'application/openstack-images-v2.1-json-patch',
  'application/openstack-images-v2.0-json-patch',
];

@Controller()
export class ImageVersionsController {
  @Get()
  root(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): unknown {
    void reply.status(300);
    return presentVersions(originOf(request));
  }

  @Get(['versions', 'v2'])
  versions(@Req() request: FastifyRequest): unknown {
    return presentVersions(originOf(request));
  }
}

@Controller('v2')
export class ImagesController {
  constructor(private readonly images: Images) {}

  @Get('images')
  async list(@Req() request: FastifyRequest): Promise<unknown> {
    const query = queryOf(request);
    const { images, more } = await this.images.list(ctxOf(request), query);
    const last = images.at(-1);
    const rest = new URLSearchParams(rawQuery(request.originalUrl));
    rest.delete('marker');
    const first = `/v2/images${rest.size ? `?${rest.toString()}` : ''}`;
    if (last) rest.set('marker', last.id);
    return {
      images: images.map(presentImage),
      schema: '/v2/schemas/images',
      first,
      ...(more && last ? { next: `/v2/images?${rest.toString()}` } : {}),
    };
  }

  @Post('images')
  @HttpCode(201)
  async create(
    @Req() request: FastifyRequest,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const image = await this.images.create(ctxOf(request), compileDto(NewImage).parse(body));
    void reply.header('location', `${originOf(request)}/v2/images/${image.id}`);
    return presentImage(image);
  }

  @Get('images/:id')
  async show(@Req() request: FastifyRequest, @Param('id') id: string): Promise<unknown> {
    return presentImage(await this.images.show(ctxOf(request), id));
  }

  @Patch('images/:id')
  async update(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: unknown): Promise<unknown> {
    const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
    if (!PATCH_TYPES.includes(type)) {
      throw new FractusError('unsupported_media', `A patch is sent as ${PATCH_TYPES[0]}, not as '${type}'.`, {
        code: 'image.patch_type',
      });
    }
    return presentImage(await this.images.patch(ctxOf(request), id, readPatch(body)));
  }

  @Delete('images/:id')
  @HttpCode(204)
  async delete(@Req() request: FastifyRequest, @Param('id') id: string): Promise<void> {
    await this.images.delete(ctxOf(request), id);
  }

  @Put('images/:id/tags/:tag')
  @HttpCode(204)
  async setTag(@Req() request: FastifyRequest, @Param('id') id: string, @Param('tag') tag: string): Promise<void> {
    await this.images.setTag(ctxOf(request), id, tag);
  }

  @Delete('images/:id/tags/:tag')
  @HttpCode(204)
  async removeTag(@Req() request: FastifyRequest, @Param('id') id: string, @Param('tag') tag: string): Promise<void> {
    await this.images.removeTag(ctxOf(request), id, tag);
  }

  @Post('images/:id/actions/deactivate')
  @HttpCode(204)
  async deactivate(@Req() request: FastifyRequest, @Param('id') id: string): Promise<void> {
    await this.images.setActive(ctxOf(request), id, false);
  }

  @Post('images/:id/actions/reactivate')
  @HttpCode(204)
  async reactivate(@Req() request: FastifyRequest, @Param('id') id: string): Promise<void> {
    await this.images.setActive(ctxOf(request), id, true);
  }

  @Get('schemas/:name')
  schema(@Param('name') name: string): unknown {
    const schema = Object.hasOwn(SCHEMAS, name) ? SCHEMAS[name] : undefined;
    if (!schema) throw notFound(`No schema named ${name}.`, { code: 'image.no_schema' });
    return schema;
  }

  /** Bytes come by upload alone: no import method is on offer. */
  @Get('info/import')
  importMethods(): unknown {
    return { 'import-methods': { description: 'Import methods available.', type: 'array', value: [] } };
  }

  @Get('info/stores')
  stores(): unknown {
    return { stores: [{ id: 'file', default: 'true' }] };
  }
}
