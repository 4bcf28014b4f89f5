import { Readable } from 'node:stream';
import { Controller, Get, HttpCode, Param, Put, Req, Res } from '@nestjs/common';
import { ctxOf } from '@fractus/http';
import { FractusError } from '@fractus/objects';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Images } from './images';

export const DATA_TYPE = 'application/octet-stream';

/** The bytes of images, as streams both ways. */
@Controller('v2/images/:id/file')
export class ImageDataController {
  constructor(private readonly images: Images) {}

  @Put()
  @HttpCode(204)
  async upload(@Req() request: FastifyRequest, @Param('id') id: string): Promise<void> {
    const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
    if (type !== DATA_TYPE) {
      throw new FractusError('unsupported_media', `Image data is sent as ${DATA_TYPE}.`, { code: 'image.data_type' });
    }
    const source = request.body instanceof Readable ? request.body : Readable.from([]);
    await this.images.upload(ctxOf(request), id, source);
  }

  /** 204 without data; one byte range is honoured (206), several or an unknown unit are not and give the whole. */
  @Get()
  async download(@Req() request: FastifyRequest, @Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    const wanted = request.headers['range'];
    const { image, part, stream } = await this.images.download(ctxOf(request), id, (size) => rangeOf(wanted, size));
    if (!stream) return void reply.status(204).send();
    const size = Number(image.size);
    void reply.type(DATA_TYPE).header('accept-ranges', 'bytes');
    if (part) {
      void reply.status(206).header('content-range', `bytes ${part.start}-${part.end}/${size}`);
      void reply.header('content-length', part.end - part.start + 1);
    } else {
      if (image.checksum) void reply.header('content-md5', image.checksum);
      void reply.header('content-length', size);
    }
    return void reply.send(stream);
  }
}

/** @throws invalid (416 on the wire is Glance's) for a range that begins after the end */
function rangeOf(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  const suffix = match[1] === '';
  const start = suffix ? Math.max(0, size - Number(match[2])) : Number(match[1]);
  const end = suffix || match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (start > end || start >= size)
    throw new FractusError('invalid', `Range ${header} is not within the ${size} bytes of the image.`, {
      code: 'image.range',
    });
  return { start, end };
}
