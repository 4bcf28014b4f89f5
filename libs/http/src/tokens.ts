import type { RequestContext } from '@fractus/objects';

/** What identity says of a token, in the words of the context that requests get from it. */
export interface ValidatedToken extends Pick<
  RequestContext,
  'userName' | 'userDomainId' | 'projectId' | 'projectName' | 'projectDomainId' | 'roles' | 'systemScope' | 'domainId'
> {
  readonly userId: string;
  /** Epoch milliseconds. */
  readonly expiresAt?: number;
}

/**
 * Checks a token. Rejects with `unauthenticated` for one that is unknown, expired or revoked, and with `unavailable`
 * when identity cannot be asked.
 */
export type TokenValidator = (token: string, ctx: RequestContext) => Promise<ValidatedToken>;

export interface TokenOptions {
  validate: TokenValidator;
  /** Identity's public URL, for `WWW-Authenticate: Keystone uri="…"`. */
  identityUri?: string;
  /** Paths (as the router sees them, without query) that anyone may ask for. A string matches exactly. */
  publicPaths?: readonly (string | RegExp)[];
  /** Refuse to listen on anything but loopback. Set by `noauth`. */
  loopbackOnly?: boolean;
}

export const AUTH_HEADER = 'x-auth-token';
export const SERVICE_HEADER = 'x-service-token';
