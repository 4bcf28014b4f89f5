import { Controller, Get, HttpCode, Req } from '@nestjs/common';
import { originOf } from '@fractus/http';
import type { FastifyRequest } from 'fastify';
import { presentVersion } from './identity.presenter';

@Controller()
export class VersionsController {
  @Get()
  @HttpCode(300)
  all(@Req() request: FastifyRequest): unknown {
    return { versions: { values: [presentVersion(originOf(request))] } };
  }

  @Get('v3')
  v3(@Req() request: FastifyRequest): unknown {
    return { version: presentVersion(originOf(request)) };
  }
}
