/** One API as operators' commands speak to it: a base, a token that is renewed, a microversion. */
import { type QueryValue, RestSender, type ServiceSession, versioned } from '@fractus/clients';
import { isFractusError, systemContext, unavailable } from '@fractus/objects';

export interface ApiPlace {
  /** Service type in the catalog, which also names the microversion. */
  readonly type: 'compute' | 'placement';
  /** The highest microversion that calls use. */
  readonly version: string;
  /** What the API must at least have. */
  readonly least: string;
  readonly session?: ServiceSession;
  /** Instead of the catalog's. */
  readonly endpoint?: string;
  /** Without identity. */
  readonly fixed?: { readonly endpoint: string; readonly token: string };
}

export interface ApiCall {
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly json?: unknown;
  /** Statuses that are answers rather than errors. */
  readonly accept?: readonly number[];
}

export interface ApiReply {
  readonly status: number;
  /** Parsed JSON; whoever asked knows its shape. */
  readonly body: unknown;
}

const ctx = systemContext('req-operator');

export class Api {
  private readonly sender: RestSender;
  private agreed: Promise<string> | undefined;

  constructor(private readonly place: ApiPlace) {
    this.sender = new RestSender(place.type);
  }

  get = (path: string, call: ApiCall = {}): Promise<ApiReply> => this.call('GET', path, call);
  put = (path: string, json: unknown, call: ApiCall = {}): Promise<ApiReply> =>
    this.call('PUT', path, { json, ...call });
  post = (path: string, json: unknown, call: ApiCall = {}): Promise<ApiReply> =>
    this.call('POST', path, { json, ...call });
  delete = (path: string, call: ApiCall = {}): Promise<ApiReply> => this.call('DELETE', path, call);

  /** The highest microversion that both sides have; `unavailable` `operator.api_version` where that is too low. */
  version(): Promise<string> {
    const agreed = (this.agreed ??= this.agree());
    // whoever asks next may have more luck
    agreed.catch(() => (this.agreed = undefined));
    return agreed;
  }

  private async agree(): Promise<string> {
    const { type, version, least } = this.place;
    const base = await this.base();
    const { body } = await this.sender.send(ctx, { method: 'GET', url: `${base}/`, token: await this.token() });
    const has = highest(body);
    if (has === undefined) throw unavailable(`${base} is no ${type} API`, { code: 'operator.api_version' });
    if (!microversionAtLeast(has, least))
      throw unavailable(`${type} at ${base} goes up to ${has}; ${least} is needed`, { code: 'operator.api_version' });
    return microversionAtLeast(has, version) ? version : has;
  }

  /** A FractusError of the kind that the status stands for, unless the status is accepted. */
  private async call(method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, call: ApiCall): Promise<ApiReply> {
    try {
      return await this.send(method, path, call);
    } catch (e) {
      if (!this.place.session || !isFractusError(e, 'unauthenticated')) throw e;
      this.place.session.forget();
      return this.send(method, path, call);
    }
  }

  private async send(method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, call: ApiCall): Promise<ApiReply> {
    const { type } = this.place;
    const headers = { 'openstack-api-version': `${type} ${await this.version()}` };
    const request = { method, url: `${await this.base()}${path}`, token: await this.token(), ...call };
    const { status, body } = await this.sender.send(ctx, { ...request, headers });
    return { status, body };
  }

  private async base(): Promise<string> {
    const { type, session, endpoint, fixed } = this.place;
    const url = fixed?.endpoint ?? endpoint ?? (await session?.endpoint(ctx, type)) ?? '';
    return type === 'compute' ? versioned(url, 'v2.1') : url.replace(/\/+$/, '');
  }

  private async token(): Promise<string> {
    const { session, fixed } = this.place;
    return fixed?.token ?? (await session?.token(ctx)) ?? '';
  }
}

/** Of the document at the root: Placement's is a list, compute's a version of its own. */
function highest(body: unknown): string | undefined {
  const { versions, version } = (body ?? {}) as {
    versions?: { max_version?: string }[];
    version?: { version?: string };
  };
  return version?.version ?? versions?.[0]?.max_version;
}

/** Whether one microversion is not below another: numbers, not text. */
export function microversionAtLeast(has: string, needed: string): boolean {
  const [[a = 0, b = 0], [c = 0, d = 0]] = [has, needed].map((v) => v.split('.').map(Number)) as [number[], number[]];
  return a > c || (a === c && b >= d);
}
