import type { RequestContext } from '@fractus/objects';

/** What identity says of a token. Instants are epoch milliseconds. */
export interface ValidatedToken {
  readonly userId: string;
  readonly userName?: string;
  readonly userDomainId?: string;
  /** Null for unscoped, domain-scoped and system-scoped tokens. */
  readonly projectId: string | null;
  readonly projectName?: string;
  readonly projectDomainId?: string;
  readonly roles: readonly string[];
  /** `all` for a system-scoped token. */
  readonly systemScope?: string | null;
  readonly domainId?: string | null;
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
