import { unauthenticated, type RequestContext } from '@fractus/objects';
import type { FastifyRequest } from 'fastify';
import { AUTH_HEADER, SERVICE_HEADER, type TokenOptions, type ValidatedToken } from './tokens';

/** The context before anyone is known: ids and trace only. */
export type BareContext = Pick<RequestContext, 'requestId' | 'globalRequestId' | 'traceparent' | 'deadline'>;

export function anonymous({ requestId, globalRequestId, traceparent, deadline }: BareContext): RequestContext {
  return { requestId, globalRequestId, traceparent, deadline, userId: null, projectId: null, roles: [] };
}

/** Whether anyone may ask for this path. */
export function publicPathTest(paths: TokenOptions['publicPaths']): (path: string) => boolean {
  const exact = new Set((paths ?? []).filter((p) => typeof p === 'string'));
  const patterns = (paths ?? []).filter((p) => p instanceof RegExp);
  return (path) => exact.has(path) || patterns.some((p) => p.test(path));
}

/** Validates the request's tokens; sets its token and context, or rejects with `unauthenticated`. */
export async function authenticate(request: FastifyRequest, bare: BareContext, tokens: TokenOptions): Promise<void> {
  const text = single(request.headers[AUTH_HEADER]);
  if (!text) throw unauthenticated('The request you have made requires authentication.', { code: 'token.missing' });
  const asker = anonymous(bare);
  const token = await tokens.validate(text, asker);
  const serviceText = single(request.headers[SERVICE_HEADER]);
  const service = serviceText ? await tokens.validate(serviceText, asker) : null;
  request.fractusToken = token;
  request.fractusCtx = contextOf(bare, token, service);
}

// field by field: spreading costs more than all else that is done here
function contextOf(bare: BareContext, token: ValidatedToken, service: ValidatedToken | null): RequestContext {
  return {
    requestId: bare.requestId,
    globalRequestId: bare.globalRequestId,
    traceparent: bare.traceparent,
    deadline: bare.deadline,
    userId: token.userId,
    userName: token.userName,
    userDomainId: token.userDomainId,
    projectId: token.projectId,
    projectName: token.projectName,
    projectDomainId: token.projectDomainId,
    roles: token.roles,
    systemScope: token.systemScope ?? null,
    domainId: token.domainId ?? null,
    serviceRoles: service?.roles,
  };
}

export function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
