/**
 * One call to a Placement over its REST API: where it is, as whom it is asked, and at which microversion.
 *
 * The version is found once, from the version document: the highest that both sides know. Everything here needs 1.36;
 * with less nothing starts. Beyond it, 1.38 tells types of consumers and 1.39 lets a group ask for one of several traits.
 */
import { FractusError, isFractusError, unimplemented, type RequestContext } from '@fractus/objects';
import { RestSender, type RestAnswer, type RestOptions, type RestRequest } from './rest';
import type { ServiceSession } from './service-session';

export interface PlacementApiOptions extends RestOptions {
  /** Placement's base URL; `catalog`: that of identity's catalog. */
  readonly endpoint: string;
  /** As whom it is asked: needed without a token, and to look into the catalog. */
  readonly session?: ServiceSession;
  /** Requests that one call has under way at once. Default 8. */
  readonly width?: number;
  /** A token that is sent as it is, for a Placement that knows no identity (`noauth2`). */
  readonly token?: string;
}

export interface PlacementCall extends Pick<RestRequest, 'method' | 'query' | 'json' | 'accept'> {
  /** Below the base: `/allocations/…`. */
  readonly path: string;
  /** Minor version, where it is not the one negotiated. */
  readonly minor?: number;
}

/** First minor versions of what this client does. */
export const NEEDED = 36;
export const CONSUMER_TYPES = 38;
export const ANY_TRAITS = 39;
/** The last that this client knows. */
const KNOWN = 39;

/** The endpoint that identity's catalog names. */
export const CATALOG = 'catalog';
const TYPE = 'placement';
const WIDTH = 8;

export class PlacementApi {
  private readonly sender: RestSender;
  private found: number | undefined;

  constructor(private readonly options: PlacementApiOptions) {
    this.sender = new RestSender(TYPE, options);
  }

  /** See `PlacementApiOptions`. */
  get width(): number {
    return this.options.width ?? WIDTH;
  }

  /**
   * The minor version that calls are made at; asks for it once.
   * @throws unimplemented `placement.version` when Placement offers less than 1.36.
   */
  async minor(ctx: RequestContext): Promise<number> {
    return (this.found ??= await this.negotiate(ctx));
  }

  /** Asks Placement for its version document: that answers, or throws why not. */
  async look(ctx: RequestContext, timeoutMs: number): Promise<void> {
    await this.versions(ctx, timeoutMs);
  }

  /** @throws a FractusError for any answer that is not accepted; a refused token or role is `unavailable`. */
  async call(ctx: RequestContext, { path, minor, ...rest }: PlacementCall): Promise<RestAnswer> {
    const version = `placement 1.${minor ?? (await this.minor(ctx))}`;
    const request = { ...rest, headers: { 'openstack-api-version': version } };
    const { endpoint, session, token, assertOutsideTransaction } = this.options;
    assertOutsideTransaction?.(`${rest.method} ${path} (${TYPE})`);
    try {
      if (token !== undefined)
        return await this.sender.send(ctx, { ...request, url: (await this.base(ctx)) + path, token });
      return await this.asServiceUser(session).request(ctx, {
        ...request,
        type: TYPE,
        path,
        ...(endpoint === CATALOG ? {} : { base: trimmed(endpoint) }),
      });
    } catch (e) {
      throw isFractusError(e, 'unauthenticated', 'forbidden') ? refused(e) : e;
    }
  }

  private async negotiate(ctx: RequestContext): Promise<number> {
    const body = await this.versions(ctx);
    const max = maxMinorOf(body);
    if (max !== undefined && max >= NEEDED) return Math.min(max, KNOWN);
    const offers = max === undefined ? 'tells no microversions' : `offers microversions up to 1.${max}`;
    throw unimplemented(`Placement at ${await this.base(ctx)} ${offers}; 1.${NEEDED} or later is needed.`, {
      code: 'placement.version',
    });
  }

  /** The version document, which asks for no token. */
  private async versions(ctx: RequestContext, timeoutMs?: number): Promise<unknown> {
    const url = `${await this.base(ctx)}/`;
    const answer = await this.sender.send(ctx, {
      method: 'GET',
      url,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    return answer.body;
  }

  private async base(ctx: RequestContext): Promise<string> {
    const { endpoint, session } = this.options;
    return endpoint === CATALOG ? this.asServiceUser(session).endpoint(ctx, TYPE) : trimmed(endpoint);
  }

  private asServiceUser(session: ServiceSession | undefined): ServiceSession {
    if (session) return session;
    throw new FractusError(
      'internal',
      'Placement is to be asked as nobody: neither a token nor a service user is known',
      {
        code: 'placement.no_credentials',
      },
    );
  }
}

const trimmed = (url: string): string => url.replace(/\/+$/, '');

function refused(cause: FractusError): FractusError {
  return new FractusError('unavailable', `placement refuses the service user: ${cause.message}`, {
    code: 'placement.service_user_refused',
    cause,
  });
}

function maxMinorOf(body: unknown): number | undefined {
  const { versions } = (body ?? {}) as { versions?: { max_version?: unknown }[] };
  if (!Array.isArray(versions)) return undefined;
  const minors = versions.flatMap((v) => {
    const [, minor] = /^1\.(\d+)$/.exec(String(v?.max_version)) ?? [];
    return minor === undefined ? [] : [Number(minor)];
  });
  return minors.length === 0 ? undefined : Math.max(...minors);
}
