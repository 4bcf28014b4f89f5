/** One API as operators' commands speak to it: a base, a token that is renewed, a microversion. */
import { type QueryValue, RestSender, type ServiceSession, versioned } from '@fractus/clients';
import { isFractusError, systemContext } from '@fractus/objects';

export interface ApiPlace {
  /** Service type in the catalog, which also names the microversion. */
  readonly type: 'compute' | 'placement';
  /** Microversion that calls have unless they say otherwise. */
  readonly version: string;
  readonly session?: ServiceSession;
  /** Instead of the catalog's. */
  readonly endpoint?: string;
  /** Without identity. */
  readonly fixed?: { readonly endpoint: string; readonly token: string };
}

export interface ApiCall {
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly json?: unknown;
  readonly version?: string;
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

  constructor(private readonly place: ApiPlace) {
    this.sender = new RestSender(place.type);
  }

  get = (path: string, call: ApiCall = {}): Promise<ApiReply> => this.call('GET', path, call);
  put = (path: string, json: unknown, call: ApiCall = {}): Promise<ApiReply> =>
    this.call('PUT', path, { json, ...call });
  post = (path: string, json: unknown, call: ApiCall = {}): Promise<ApiReply> =>
    this.call('POST', path, { json, ...call });
  delete = (path: string, call: ApiCall = {}): Promise<ApiReply> => this.call('DELETE', path, call);

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
    const { type, version } = this.place;
    const { version: asked = version, ...rest } = call;
    const request = { method, url: `${await this.base()}${path}`, token: await this.token(), ...rest };
    const headers = { 'openstack-api-version': `${type} ${asked}` };
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
