import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Req } from '@nestjs/common';
import { compileDto } from '@fractus/dto-schema';
import { ctxOf } from '@fractus/http';
import type { FastifyRequest } from 'fastify';
import { ImageMembers } from './image-members';
import { MemberChange, NewMember } from './image.dto';
import { presentMember } from './image.presenter';

@Controller('v2/images/:id/members')
export class ImageMembersController {
  constructor(private readonly members: ImageMembers) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Param('id') id: string): Promise<unknown> {
    return { members: (await this.members.list(ctxOf(request), id)).map(presentMember), schema: '/v2/schemas/members' };
  }

  @Post()
  @HttpCode(200)
  async add(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: unknown): Promise<unknown> {
    return presentMember(await this.members.add(ctxOf(request), id, compileDto(NewMember).parse(body).member));
  }

  @Get(':member')
  async show(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Param('member') member: string,
  ): Promise<unknown> {
    return presentMember(await this.members.get(ctxOf(request), id, member));
  }

  @Put(':member')
  async setStatus(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Param('member') member: string,
    @Body() body: unknown,
  ): Promise<unknown> {
    return presentMember(
      await this.members.setStatus(ctxOf(request), id, member, compileDto(MemberChange).parse(body).status),
    );
  }

  @Delete(':member')
  @HttpCode(204)
  async remove(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Param('member') member: string,
  ): Promise<void> {
    await this.members.remove(ctxOf(request), id, member);
  }
}
