/** The microversions on offer, and the documents that tell of them. */
import { Controller, Get, Req, Res } from '@nestjs/common';
import { ctxOf, originOf } from '@fractus/http';
import { negotiate, versionHeaders, type ApiVersions } from '@fractus/microversions';
import { notFound } from '@fractus/objects';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { badVolume } from './volume-errors';

export const VOLUME_API: ApiVersions = { service: 'volume', min: '3.0', max: '3.71', dialect: 'nova' };

const PROJECT = /^\/v3\/([0-9a-f-]{32,36})(?=[/?]|$)/;
export const PUBLIC_PATHS = ['/', '/v3', '/v3/'];

/** The project id leaves the path before it is routed; `installVersions` looks whether it is the caller's. */
export const withoutProject = (url: string): string => url.replace(PROJECT, '/v3');

/** The minor number that the request asked for. @throws not_acceptable, invalid */
export const minorOf = (request: FastifyRequest): number =>
  Number(negotiate(VOLUME_API, request.headers).split('.')[1]);

/** @throws not_found below the microversion that brought the call */
export function since(request: FastifyRequest, minor: number): void {
  if (minorOf(request) < minor)
    throw notFound(`This call needs microversion 3.${minor}.`, { code: 'volume.microversion' });
}

/** Every answer says its version; a version out of range and another project's path are refused. */
export function installVersions(fastify: FastifyInstance): void {
  fastify.addHook('preHandler', (request, reply, done) => {
    if (PUBLIC_PATHS.includes(request.url.split('?', 1)[0] ?? '') || !request.url.startsWith('/v3')) return done();
    try {
      void reply.headers(versionHeaders(VOLUME_API, negotiate(VOLUME_API, request.headers)));
      const asked = PROJECT.exec(request.originalUrl)?.[1];
      if (asked !== undefined && asked !== ctxOf(request).projectId)
        throw badVolume('Malformed request url', 'volume.project');
      done();
    } catch (e) {
      done(e as Error);
    }
  });
}

@Controller()
export class VolumeVersionsController {
  @Get()
  root(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): unknown {
    void reply.status(300);
    return versions(originOf(request));
  }

  @Get('v3')
  v3(@Req() request: FastifyRequest): unknown {
    return versions(originOf(request));
  }
}

const versions = (origin: string): unknown => ({
  versions: [
    {
      id: 'v3.0',
      status: 'CURRENT',
      version: VOLUME_API.max,
      min_version: VOLUME_API.min,
      updated: '2023-08-31T00:00:00Z',
      links: [{ rel: 'self', href: `${origin}/v3/` }],
      'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.volume+json;version=3' }],
    },
  ],
});
