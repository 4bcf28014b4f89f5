/**
 * The session of a service's own user: it authenticates against identity, finds endpoints in the catalog, and renews
 * its token before expiry or when a neighbour answers 401. Callers that arrive while a token is fetched share it.
 */
import { FractusError, isFractusError, systemContext, withTimeout, type RequestContext } from '@fractus/objects';
import { tokenOfWire, type ValidatedToken } from './identity-token';
import { RestSender, versioned, type RestAnswer, type RestOptions, type RestRequest } from './rest';
import type { EndpointInterface } from './service-catalog';

export type ServiceCredentials =
  | { username: string; password: string; projectName: string; userDomainId?: string; projectDomainId?: string }
  | { applicationCredentialId: string; applicationCredentialSecret: string };

export interface ServiceSessionOptions extends RestOptions {
  /** Identity's URL, with or without `/v3`. */
  authUrl: string;
  credentials: ServiceCredentials;
  region?: string;
  /** Default `internal`; `public` is taken where there is none. */
  interface?: EndpointInterface;
}

/** A call to a service of the catalog; `path` is appended to its versioned base. */
export interface ServiceCall extends Omit<RestRequest, 'url' | 'token'> {
  /** Service type in the catalog. */
  type: string;
  /** Where it is instead of what the catalog says. */
  base?: string;
  /** Version segment: `v2`, `v2.0`; none leaves the endpoint as registered. */
  version?: string;
  path: string;
  /** Act with this token (the user's own) instead of the service user's. */
  token?: string;
}

/** Renewed when less than this is left. */
const EARLY_MS = 120_000;

export class ServiceSession {
  private readonly identity: RestSender;
  private readonly senders = new Map<string, RestSender>();
  private held: { id: string; token: ValidatedToken } | undefined;
  private pending: Promise<{ id: string; token: ValidatedToken }> | undefined;

  constructor(private readonly options: ServiceSessionOptions) {
    this.identity = new RestSender('identity', options);
  }

  /** Identity's base, ending in `/v3`. */
  get identityUrl(): string {
    return versioned(this.options.authUrl, 'v3');
  }

  /** A token of the service user that lives for a while yet. */
  async token(ctx: RequestContext): Promise<string> {
    return (await this.session(ctx)).id;
  }

  /** The service user itself: id, project, roles. */
  async self(ctx: RequestContext): Promise<ValidatedToken> {
    return (await this.session(ctx)).token;
  }

  /** The URL of a service in the catalog. */
  async endpoint(ctx: RequestContext, type: string): Promise<string> {
    const { token } = await this.session(ctx);
    const wanted = {
      interface: this.options.interface ?? 'internal',
      ...(this.options.region ? { region: this.options.region } : {}),
    } as const;
    return token.catalog.endpoint(type, wanted);
  }

  /** Forgets the token, so that the next call authenticates and reads the catalog anew. */
  forget(): void {
    this.held = undefined;
  }

  /** For those who may share another's call: throws inside a database transaction, as a call would. */
  assertMayCall(method: string, type: string): void {
    this.options.assertOutsideTransaction?.(`${method} (${type})`);
  }

  /** Calls a service; a 401 for the service user's token renews it once. */
  async request(ctx: RequestContext, call: ServiceCall): Promise<RestAnswer> {
    try {
      return await this.send(ctx, call);
    } catch (e) {
      if (call.token !== undefined || !isFractusError(e, 'unauthenticated')) throw e;
      if (call.stream) throw serviceUserRefused(call.type, e);
      this.forget();
      return this.send(ctx, call).catch((again: unknown) => {
        throw isFractusError(again, 'unauthenticated') ? serviceUserRefused(call.type, again) : again;
      });
    }
  }

  private async send(ctx: RequestContext, call: ServiceCall): Promise<RestAnswer> {
    const { type, version, path, token, base = await this.endpoint(ctx, type), ...rest } = call;
    const url = (version ? versioned(base, version) : base) + path;
    return this.sender(type).send(ctx, { ...rest, url, token: token ?? (await this.token(ctx)) });
  }

  private sender(type: string): RestSender {
    let sender = this.senders.get(type);
    if (!sender) this.senders.set(type, (sender = new RestSender(type, this.options)));
    return sender;
  }

  private async session(ctx: RequestContext): Promise<{ id: string; token: ValidatedToken }> {
    if (this.held && this.held.token.expiresAt - Date.now() > Math.min(EARLY_MS, lifetime(this.held.token) / 5))
      return this.held;
    this.options.assertOutsideTransaction?.('POST /v3/auth/tokens (identity)');
    this.pending ??= this.authenticate(ctx).finally(() => (this.pending = undefined));
    return (this.held = await this.pending);
  }

  private async authenticate(ctx: RequestContext): Promise<{ id: string; token: ValidatedToken }> {
    // the answer is shared: it must not die of the first caller's deadline
    const own = withTimeout(systemContext(ctx.requestId), this.options.timeoutMs ?? 30_000);
    const answer = await this.identity
      .send(own, { method: 'POST', url: `${this.identityUrl}/auth/tokens`, json: authBody(this.options.credentials) })
      .catch((e: unknown) => {
        throw isFractusError(e, 'unauthenticated', 'forbidden') ? serviceUserRefused('identity', e) : e;
      });
    const id = answer.header('x-subject-token');
    if (!id) throw new FractusError('unavailable', 'identity issued no token', { code: 'identity.unavailable' });
    return { id, token: tokenOfWire(answer.body) };
  }
}

const lifetime = (t: ValidatedToken): number => Math.max(0, t.expiresAt - t.issuedAt);

function serviceUserRefused(service: string, cause: unknown): FractusError {
  return new FractusError('unavailable', `${service} refuses the credentials of the service user`, {
    code: `${service}.service_user_refused`,
    cause,
  });
}

function authBody(c: ServiceCredentials): unknown {
  if ('applicationCredentialId' in c) {
    const credential = { id: c.applicationCredentialId, secret: c.applicationCredentialSecret };
    return { auth: { identity: { methods: ['application_credential'], application_credential: credential } } };
  }
  const user = { name: c.username, password: c.password, domain: { id: c.userDomainId ?? 'default' } };
  const project = { name: c.projectName, domain: { id: c.projectDomainId ?? 'default' } };
  return { auth: { identity: { methods: ['password'], password: { user } }, scope: { project } } };
}
