/** A whole placement on a free port, without identity, as tests talk to it. */
import { openTestSqlite, type OpenTestDatabase } from '@fractus/database/testing';
import { loadConfig } from '@fractus/config';
import { type RpcTransport, createInProcessTransport } from '@fractus/rpc';
import { type Logger, createMetrics, silentLogger } from '@fractus/telemetry';
import { PlacementConfig, PLACEMENT_SCHEMA, startPlacement } from '../src/app.module';

export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

export interface PlacementService {
  url: string;
  transport: RpcTransport;
  call(
    method: string,
    path: string,
    options?: {
      version?: string;
      body?: unknown;
      raw?: string;
      headers?: Record<string, string>;
      token?: string | null;
    },
  ): Promise<Answer>;
  close(): Promise<void>;
}

export async function startPlacementForTest(
  open: OpenTestDatabase = openTestSqlite,
  { logger = silentLogger(), allowedOrigin }: { logger?: Logger; allowedOrigin?: string } = {},
): Promise<PlacementService> {
  const database = await open(PLACEMENT_SCHEMA);
  const transport = createInProcessTransport();
  const config = loadConfig(PlacementConfig, {
    overrides: { port: 0, auth: { strategy: 'noauth2' }, ...(allowedOrigin === undefined ? {} : { allowedOrigin }) },
  });
  const service = await startPlacement({
    config,
    database,
    transport,
    logger,
    metrics: createMetrics(),
  });
  const url = service.url ?? '';
  return {
    url,
    transport,
    call: async (method, path, { version, body, raw, headers, token = 'admin' } = {}) => {
      const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(token === null ? {} : { 'x-auth-token': token }),
          ...(version === undefined ? {} : { 'openstack-api-version': `placement ${version}` }),
          ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(payload === undefined ? {} : { body: payload }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
      return {
        status: response.status,
        headers: response.headers,
        body: text === '' ? undefined : isJson ? (JSON.parse(text) as unknown) : text,
      };
    },
    close: async () => {
      await service.close();
      await transport.close();
      await database.close();
    },
  };
}
