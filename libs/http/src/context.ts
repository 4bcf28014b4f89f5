import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { RequestContext } from '@fractus/objects';
import type { ValidatedToken } from './tokens';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; set before routing ends. Read it through `ctxOf`. */
    fractusCtx: RequestContext | null;
    /** The validated token, where the API asks for one. */
    fractusToken: ValidatedToken | null;
    /** Where links point: scheme and host as the client sees them, no trailing slash. */
    fractusOrigin: string | null;
  }
}

/** The context of a request. Always there in controllers; anonymous (no user, no roles) on public paths. */
export function ctxOf(request: FastifyRequest): RequestContext {
  const ctx = request.fractusCtx;
  if (!ctx) throw new Error('the request has no context yet: is it served by createHttpApp?');
  return ctx;
}

/** The token that came with the request; null on public paths. */
export function tokenOf(request: FastifyRequest): ValidatedToken | null {
  return request.fractusToken;
}

/** Controller parameter: the request's context. */
export const Ctx = createParamDecorator((_data: unknown, host: ExecutionContext): RequestContext =>
  ctxOf(host.switchToHttp().getRequest<FastifyRequest>()),
);
