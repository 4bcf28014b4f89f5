/** Who may do what in identity: administrators everything, readers of the system all reads, everyone their own. */
import type { FastifyRequest } from 'fastify';
import { tokenOf } from '@fractus/http';
import { notAllowed, refusedLogin } from './identity-errors';
import type { LiveToken } from './tokens';

/** The caller's token. @throws unauthenticated on public paths that came without one */
export function callerOf(request: FastifyRequest): LiveToken {
  const token = tokenOf(request);
  if (!token) throw refusedLogin();
  return token as LiveToken;
}

export const isAdmin = (caller: LiveToken): boolean => caller.roles.includes('admin');

export function requireAdmin(request: FastifyRequest, action: string): LiveToken {
  const caller = callerOf(request);
  if (!isAdmin(caller)) throw notAllowed(action);
  return caller;
}

/** Administrators and readers of the system; others where `own` says that the thing is theirs. */
export function requireReader(
  request: FastifyRequest,
  action: string,
  own: (caller: LiveToken) => boolean = () => false,
): LiveToken {
  const caller = callerOf(request);
  const reader = isAdmin(caller) || (caller.systemScope === 'all' && caller.roles.includes('reader'));
  if (!reader && !own(caller)) throw notAllowed(action);
  return caller;
}
