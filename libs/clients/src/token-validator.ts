/**
 * Validation of users' tokens against identity, cached.
 *
 * How revocation is honoured. A cached token is dropped (1) when its short time to live is over, (2) at once when
 * identity's revocation feed names it (`onRevocation`: identity in the same process), (3) by the revocation events
 * that are read from identity (`/v3/OS-REVOKE/events`) whenever the last reading is older than `pollMs`. An event only
 * drops cache entries, so a broad one costs a validation and never refuses a good token. An answer that was on its way
 * while an event arrived is handed out but not kept.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import {
  FractusError,
  isFractusError,
  systemContext,
  unauthenticated,
  unavailable,
  withTimeout,
  type RequestContext,
} from '@fractus/objects';
import { tokenOfWire, type ValidatedToken } from './identity-token';
import { RestSender, versioned, type RestOptions } from './rest';
import type { ServiceSession } from './service-session';

/** Which tokens no longer hold. An event without any of the ids concerns all. */
export interface RevocationEvent {
  readonly auditId?: string | null;
  readonly auditChainId?: string | null;
  readonly userId?: string | null;
  readonly projectId?: string | null;
  readonly domainId?: string | null;
  readonly roleId?: string | null;
  /** Epoch milliseconds: tokens issued up to then. */
  readonly issuedBefore?: number;
}

export interface TokenValidatorOptions extends RestOptions {
  /** Identity's URL, with or without `/v3`. Not needed with a session. */
  authUrl?: string;
  /** The service user that asks. Without one, each token vouches for itself and events are not read. */
  session?: ServiceSession;
  /** How long an answer is believed, milliseconds. Default 60 000. */
  ttlMs?: number;
  /** How old the last reading of revocation events may be, milliseconds; 0 reads none. Default 2 000. */
  pollMs?: number;
  /** Tokens kept. Default 20 000. */
  max?: number;
  /** Subscribes to revocations of an identity in the same process; returns the unsubscription. */
  onRevocation?: (listener: (event: RevocationEvent) => void) => () => void;
}

export class TokenValidator {
  private readonly sender: RestSender;
  private readonly base: string;
  private readonly cache: LRUCache<string, ValidatedToken>;
  private readonly pending = new Map<string, Promise<ValidatedToken>>();
  private readonly unsubscribe?: () => void;
  private epoch = 0;
  /** Events up to then were read. */
  private knownUntil = Date.now();
  /** When they were last asked for. */
  private polledAt = this.knownUntil;
  /** Whether the last reading failed. */
  private silent = false;
  private polling: Promise<void> | undefined;
  private pollMs: number;

  constructor(private readonly options: TokenValidatorOptions) {
    const base = options.session?.identityUrl ?? options.authUrl;
    if (!base)
      throw new FractusError('invalid', 'a token validator needs a session or an authUrl', { code: 'config.auth_url' });
    this.base = versioned(base, 'v3');
    this.sender = new RestSender('identity', options);
    this.cache = new LRUCache({ max: options.max ?? 20_000, ttl: options.ttlMs ?? 60_000 });
    this.pollMs = options.session && !options.onRevocation ? (options.pollMs ?? 2_000) : 0;
    this.unsubscribe = options.onRevocation?.((event) => this.revoke(event));
  }

  /**
   * Whose token this is.
   * @throws unauthenticated for an unknown, expired or revoked token; unavailable where identity cannot be asked or is
   * silent.
   */
  async validate(token: string, ctx: RequestContext = systemContext('req-token-validation')): Promise<ValidatedToken> {
    if (!token || token.length > 16_384) throw refused();
    if (this.pollMs && Date.now() - this.polledAt > this.pollMs) {
      const reading = this.poll(ctx);
      // what is known already must not wait, time after time, for an identity that does not answer
      if (!this.silent) await reading;
    }
    const key = hash('sha256', token, 'base64');
    const known = this.cache.get(key);
    if (known) {
      if (known.expiresAt > Date.now()) return known;
      this.cache.delete(key);
      throw refused();
    }
    let asked = this.pending.get(key);
    if (!asked) {
      asked = this.ask(token, key, ctx).finally(() => this.pending.delete(key));
      this.pending.set(key, asked);
    }
    return asked;
  }

  /** Drops what an event concerns. */
  revoke(event: RevocationEvent): void {
    this.epoch++;
    // who asks from now on must not be given an answer that is older than the event
    this.pending.clear();
    if (!event.auditId && !event.auditChainId && !event.userId && !event.projectId && !event.domainId) {
      this.cache.clear();
      return;
    }
    for (const [key, token] of this.cache.entries()) if (concerns(event, token)) this.cache.delete(key);
  }

  close(): void {
    this.unsubscribe?.();
    this.cache.clear();
  }

  private async ask(token: string, key: string, ctx: RequestContext): Promise<ValidatedToken> {
    const { session } = this.options;
    const epoch = this.epoch;
    // shared by all who wait for this token: not bound to the first caller's deadline
    const own = withTimeout({ ...systemContext(ctx.requestId) }, this.options.timeoutMs ?? 10_000);
    const headers = { 'x-subject-token': token };
    try {
      const answer = session
        ? await session.request(own, { type: 'identity', version: 'v3', method: 'GET', path: '/auth/tokens', headers })
        : await this.sender.send(own, { method: 'GET', url: `${this.base}/auth/tokens`, headers, token });
      const valid = tokenOfWire(answer.body);
      if (valid.expiresAt <= Date.now()) throw refused();
      if (epoch === this.epoch) this.cache.set(key, valid);
      return valid;
    } catch (e) {
      if (isFractusError(e, 'not_found', 'unauthenticated')) throw refused(e);
      // to who sent the token it is one whether identity is down or slow: as Keystone's middleware has it
      throw isFractusError(e, 'timeout') ? silence(e) : e;
    }
  }

  private async poll(ctx: RequestContext): Promise<void> {
    this.polling ??= this.readEvents(ctx).finally(() => (this.polling = undefined));
    await this.polling;
  }

  private async readEvents(ctx: RequestContext): Promise<void> {
    const { session } = this.options;
    if (!session) return;
    const since = this.knownUntil;
    const started = Date.now();
    try {
      const own = withTimeout(systemContext(ctx.requestId), 5_000);
      // a little overlap: clocks differ, and dropping an entry twice does no harm
      const query = { since: new Date(since - 5_000).toISOString() };
      const answer = await session.request(own, {
        type: 'identity',
        version: 'v3',
        method: 'GET',
        path: '/OS-REVOKE/events',
        query,
      });
      const { events } = (answer.body ?? {}) as { events?: WireEvent[] };
      for (const wire of events ?? []) {
        if (!this.seen.has(JSON.stringify(wire))) this.revoke(eventOfWire(wire));
      }
      this.seen = new Set((events ?? []).map((wire) => JSON.stringify(wire)));
      this.knownUntil = this.polledAt = started;
      this.silent = false;
    } catch (e) {
      // an identity without the events, or none for us: the time to live bounds what a revoked token can do
      if (isFractusError(e, 'not_found', 'forbidden')) this.pollMs = 0;
      this.polledAt = Date.now();
      this.silent = true;
    }
  }

  private seen = new Set<string>();
}

interface WireEvent {
  audit_id?: string;
  audit_chain_id?: string;
  user_id?: string;
  project_id?: string;
  domain_id?: string;
  role_id?: string;
  issued_before?: string;
}

const eventOfWire = (e: WireEvent): RevocationEvent => ({
  auditId: e.audit_id ?? null,
  auditChainId: e.audit_chain_id ?? null,
  userId: e.user_id ?? null,
  projectId: e.project_id ?? null,
  domainId: e.domain_id ?? null,
  roleId: e.role_id ?? null,
  ...(e.issued_before ? { issuedBefore: Date.parse(e.issued_before) } : {}),
});

function concerns(event: RevocationEvent, token: ValidatedToken): boolean {
  if (event.auditId) return token.auditIds[0] === event.auditId;
  if (event.auditChainId) return token.auditIds[token.auditIds.length - 1] === event.auditChainId;
  if (event.userId && event.userId !== token.userId) return false;
  if (event.projectId && event.projectId !== token.projectId) return false;
  if (event.domainId) return [token.domainId, token.userDomainId, token.projectDomainId].includes(event.domainId);
  return true;
}

const silence = (cause: FractusError): FractusError =>
  unavailable('identity did not answer in time whose token this is', {
    code: 'identity.unavailable',
    retryAfter: 1,
    cause,
  });

const refused = (cause?: unknown): FractusError =>
  unauthenticated('The token is not valid: unknown, expired or revoked.', {
    code: 'identity.token_refused',
    ...(cause ? { cause } : {}),
  });
