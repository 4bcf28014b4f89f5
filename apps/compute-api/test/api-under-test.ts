import { openComputeDatabase } from '@fractus/compute-db';
import type { Database } from '@fractus/database';
import { loadConfig } from '@fractus/config';
import type { DeepPartial } from '@fractus/config';
import { noauth } from '@fractus/http';
import type { Served } from '@fractus/microversions';
import { createInProcessTransport, type RpcTransport } from '@fractus/rpc';
import { createMetrics, silentLogger, type RunningService } from '@fractus/telemetry';
import { ComputeApiConfig, startComputeApi, type ComputeApiDeps } from '../src/app.module';
import { contractExists, responseFault } from './contract/contract';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers freely
  readonly body: any;
}

export interface Ask {
  /** `2.37`, `latest`; without it the lowest. */
  readonly version?: string;
  readonly body?: unknown;
  /** `user:project`; the user `admin` is an operator. */
  readonly as?: string;
  readonly headers?: Record<string, string>;
}

/** A Compute API over an empty database in memory, asked over HTTP. Every answer is checked against the contract. */
export class ApiUnderTest {
  /** Answers that broke upstream's response schemas. */
  readonly schemaFaults: string[] = [];

  private constructor(
    readonly service: RunningService,
    readonly database: Database,
    readonly transport: RpcTransport,
    watch: { served?: (s: Served) => void },
  ) {
    watch.served = ({ operation, version, body }) => {
      const fault = contractExists ? responseFault(operation, version, body) : null;
      if (fault) this.schemaFaults.push(fault);
    };
  }

  static async start(
    overrides: DeepPartial<ComputeApiConfig> = {},
    clients: Partial<ComputeApiDeps['clients']> = {},
  ): Promise<ApiUnderTest> {
    const database = await openComputeDatabase({ url: 'sqlite::memory:' });
    const transport = createInProcessTransport();
    const config = loadConfig<ComputeApiConfig>(ComputeApiConfig, { overrides: { port: 0, ...overrides } });
    const watch: { served?: (s: Served) => void } = {};
    const absent = new Proxy(
      {},
      { get: (_t, name) => () => Promise.reject(new Error(`no neighbour in this test (${String(name)})`)) },
    );
    const service = await startComputeApi({
      config,
      database,
      transport,
      clients: { tokens: noauth(), images: absent as never, networks: absent as never, ...clients },
      logger: silentLogger(),
      metrics: createMetrics(),
      observe: (s) => watch.served?.(s),
    });
    return new ApiUnderTest(service, database, transport, watch);
  }

  async ask(
    method: string,
    path: string,
    { version, body, as = 'admin:admin', headers = {} }: Ask = {},
  ): Promise<Reply> {
    const response = await fetch(`${this.service.url}${path}`, {
      method,
      headers: {
        'x-auth-token': as,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(version === undefined ? {} : { 'openstack-api-version': `compute ${version}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  }

  get = (path: string, ask?: Ask): Promise<Reply> => this.ask('GET', path, ask);
  post = (path: string, body: unknown, ask: Ask = {}): Promise<Reply> => this.ask('POST', path, { ...ask, body });
  put = (path: string, body: unknown, ask: Ask = {}): Promise<Reply> => this.ask('PUT', path, { ...ask, body });
  delete = (path: string, ask?: Ask): Promise<Reply> => this.ask('DELETE', path, ask);

  async close(): Promise<void> {
    await this.service.close();
    await this.transport.close();
    await this.database.close();
  }
}
