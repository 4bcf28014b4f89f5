import type { TokenOptions, ValidatedToken } from './tokens';

/**
 * Development without identity: the token is `<user>[:<project>]`, and the user `admin` has the admin role. There is
 * no secret in it, so an app that uses it listens on loopback only.
 */
export function noauth(options: Pick<TokenOptions, 'publicPaths'> = {}): TokenOptions {
  return { ...options, validate: async (token) => noauthToken(token), loopbackOnly: true };
}

export function noauthToken(token: string): ValidatedToken {
  const colon = token.indexOf(':');
  const userId = colon < 0 ? token : token.slice(0, colon);
  const projectId = (colon < 0 ? '' : token.slice(colon + 1)) || userId;
  const roles = userId === 'admin' ? ['admin', 'manager', 'member', 'reader'] : ['member', 'reader'];
  return { userId, userName: userId, projectId, projectName: projectId, roles };
}

/** Whether a bind address can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
