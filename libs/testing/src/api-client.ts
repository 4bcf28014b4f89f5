/** A small HTTP client for stories: one user of one cloud, answers checked against the contract where it is at hand. */
import type { NovaContract } from './nova-contract';

export interface ApiAnswer<T = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}
export interface CallOptions {
  /** Compute microversion, `2.1` if none; placement's for placement clients. */
  version?: string;
  headers?: Record<string, string>;
}

/** One answered request, as its sender saw it. */
export interface Answered {
  readonly method: string;
  /** Below the endpoint, with its query. */
  readonly path: string;
  readonly body: unknown;
  readonly status: number;
}

export interface ApiClientOptions {
  /** Base URL, as the catalog has it; read at every call, since a restart may move it. */
  readonly url: string;
  service: 'compute' | 'placement' | 'image' | 'network' | 'identity';
  token: () => Promise<string>;
  contract?: NovaContract | null;
  /** Told of every answer. */
  answered?: (answer: Answered) => void;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a story reads whatever the wire brings
type Wire = any;

export class ApiClient {
  constructor(private readonly options: ApiClientOptions) {}

  get(path: string, options?: CallOptions): Promise<ApiAnswer<Wire>> {
    return this.call('GET', path, undefined, options);
  }
  post(path: string, body: unknown, options?: CallOptions): Promise<ApiAnswer<Wire>> {
    return this.call('POST', path, body, options);
  }
  put(path: string, body: unknown, options?: CallOptions): Promise<ApiAnswer<Wire>> {
    return this.call('PUT', path, body, options);
  }
  delete(path: string, options?: CallOptions): Promise<ApiAnswer<Wire>> {
    return this.call('DELETE', path, undefined, options);
  }

  async call(
    method: string,
    path: string,
    body: unknown,
    { version, headers = {} }: CallOptions = {},
  ): Promise<ApiAnswer<Wire>> {
    const { url, service } = this.options;
    const versioned: Record<string, string> = version
      ? {
          'openstack-api-version': `${service} ${version}`,
          ...(service === 'compute' ? { 'x-openstack-nova-api-version': version } : {}),
        }
      : {};
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        accept: 'application/json',
        'x-auth-token': await this.options.token(),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...versioned,
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const parsed = text === '' ? null : parse(text);
    this.options.answered?.({ method, path, body, status: answer.status });
    if (service === 'compute') this.checkContract(method, path, body, version ?? '2.1', answer.status, parsed);
    return { status: answer.status, headers: answer.headers, body: parsed };
  }

  private checkContract(
    method: string,
    path: string,
    body: unknown,
    version: string,
    status: number,
    parsed: unknown,
  ): void {
    const { contract } = this.options;
    if (!contract) return;
    const text = JSON.stringify(parsed ?? '');
    if (status >= 500) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    const numbered = version === 'latest' ? '2.104' : version;
    const action = body !== null && typeof body === 'object' ? Object.keys(body)[0] : undefined;
    const operation = contract.find(method, path, path.endsWith('/action') ? action : undefined);
    if (!operation || status >= 400) return;
    const faults = contract.faultsOfResponse(operation, numbered, status, parsed);
    if (faults.length)
      throw new Error(
        `${method} ${path} at ${version} is not as the contract says:\n  ${faults.slice(0, 8).join('\n  ')}\n${text.slice(0, 2000)}`,
      );
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
