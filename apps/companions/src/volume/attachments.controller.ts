import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Req } from '@nestjs/common';
import { ctxOf, queryOf } from '@fractus/http';
import type { FastifyRequest } from 'fastify';
import { bodyOf, memberOf } from '../resource-table/bodies';
import { Attachments } from './attachments';
import { since } from './volume-versions';
import { AttachmentChange, NewAttachment } from './volume.dto';
import { presentAttachment, presentAttachmentSummary } from './volume.presenter';

/** Microversions that brought the calls. */
const ATTACHMENTS = 27;
const COMPLETE = 44;

@Controller('v3/attachments')
export class AttachmentsController {
  constructor(private readonly attachments: Attachments) {}

  @Get()
  async list(@Req() request: FastifyRequest): Promise<unknown> {
    since(request, ATTACHMENTS);
    const rows = await this.attachments.list(ctxOf(request), queryOf(request));
    return { attachments: rows.map(presentAttachmentSummary) };
  }

  @Get('detail')
  async detail(@Req() request: FastifyRequest): Promise<unknown> {
    since(request, ATTACHMENTS);
    const rows = await this.attachments.list(ctxOf(request), queryOf(request));
    return { attachments: rows.map(presentAttachment) };
  }

  @Get(':id')
  async show(@Req() request: FastifyRequest, @Param('id') id: string): Promise<unknown> {
    since(request, ATTACHMENTS);
    return { attachment: presentAttachment(await this.attachments.show(ctxOf(request), id)) };
  }

  @Post()
  @HttpCode(200)
  async create(@Req() request: FastifyRequest, @Body() body: unknown): Promise<unknown> {
    since(request, ATTACHMENTS);
    const row = await this.attachments.create(ctxOf(request), bodyOf(body, 'attachment', NewAttachment));
    return { attachment: presentAttachment(row) };
  }

  @Put(':id')
  async update(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: unknown): Promise<unknown> {
    since(request, ATTACHMENTS);
    const { connector } = bodyOf(body, 'attachment', AttachmentChange);
    return { attachment: presentAttachment(await this.attachments.update(ctxOf(request), id, connector)) };
  }

  @Post(':id/action')
  @HttpCode(204)
  async complete(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: unknown): Promise<void> {
    since(request, COMPLETE);
    memberOf(body, 'os-complete');
    await this.attachments.complete(ctxOf(request), id);
  }

  @Delete(':id')
  @HttpCode(200)
  async delete(@Req() request: FastifyRequest, @Param('id') id: string): Promise<unknown> {
    since(request, ATTACHMENTS);
    return { attachments: (await this.attachments.delete(ctxOf(request), id)).map(presentAttachmentSummary) };
  }
}
