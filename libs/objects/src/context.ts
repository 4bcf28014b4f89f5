import type { ProjectId, UserId } from './ids';

/** What travels with every request and every message: who asks, for whom, until when. First parameter everywhere. */
export interface RequestContext {
  /** `req-<uuid>`; one per request at the edge, kept through every RPC it causes. */
  readonly requestId: string;
  readonly globalRequestId?: string;
  readonly userId: UserId | null;
  readonly userName?: string;
  readonly userDomainId?: string;
  readonly projectId: ProjectId | null;
  readonly projectName?: string;
  readonly projectDomainId?: string;
  readonly roles: readonly string[];
  /** `all` for a system-scoped token. */
  readonly systemScope?: string | null;
  readonly domainId?: string | null;
  /** Roles of the service token, where one came along. */
  readonly serviceRoles?: readonly string[];
  /** Epoch milliseconds after which nobody waits for the answer: a callee starts no work past it. */
  readonly deadline?: number;
  /** W3C trace context. */
  readonly traceparent?: string;
}

/** The context of work that nobody asked for: pollers, reconcilers, start-up. */
export function systemContext(requestId: string): RequestContext {
  return { requestId, userId: null, projectId: null, roles: ['admin', 'service'], systemScope: 'all' };
}

/** The same context with a deadline no later than `ms` from now. */
export function withTimeout(ctx: RequestContext, ms: number, now: number = Date.now()): RequestContext {
  const deadline = now + ms;
  return ctx.deadline !== undefined && ctx.deadline <= deadline ? ctx : { ...ctx, deadline };
}
