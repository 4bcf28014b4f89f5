/** The command as a test runs it, and a Placement of its own. */
import { PlacementConfig, startPlacement, openPlacementDatabase } from '@fractus/app-placement';
import { loadConfig } from '@fractus/config';
import type { Output } from '@fractus/operator';
import { createMetrics, silentLogger } from '@fractus/telemetry';
import { placement, type Surroundings } from '../src/program';

export class Writings implements Output {
  readonly outs: string[] = [];
  readonly errs: string[] = [];
  out = (line: string): void => void this.outs.push(line);
  err = (line: string): void => void this.errs.push(line);
  get text(): string {
    return [...this.outs, ...this.errs].join('\n');
  }
}

export interface Ran {
  readonly code: number;
  readonly text: string;
  readonly outs: readonly string[];
  json(): never;
}

export async function run(args: string[], env: NodeJS.ProcessEnv = {}, around: Surroundings = {}): Promise<Ran> {
  const written = new Writings();
  const code = await placement(args, env, written, around);
  return { code, text: written.text, outs: written.outs, json: () => JSON.parse(written.outs.join('')) as never };
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test reads whatever the wire brings
type Wire = any;

export interface Served {
  readonly url: string;
  call(method: string, path: string, body?: unknown, version?: string): Promise<{ status: number; body: Wire }>;
  close(): Promise<void>;
}

/** Serves a Placement database on a free port, in noauth2 mode. */
export async function serve(databaseUrl: string): Promise<Served> {
  const database = await openPlacementDatabase({ url: databaseUrl });
  const service = await startPlacement({
    config: loadConfig(PlacementConfig, { overrides: { port: 0, auth: { strategy: 'noauth2' } } }),
    database,
    logger: silentLogger(),
    metrics: createMetrics(),
  });
  const url = service.url ?? '';
  return {
    url,
    call: (method, path, body, version) => ask(url, { method, path, body, version }),
    close: async () => {
      await service.close();
      await database.close();
    },
  };
}

export async function ask(
  url: string,
  {
    method,
    path,
    body,
    version = '1.39',
  }: { method: string; path: string; body?: unknown; version?: string | undefined },
): Promise<{ status: number; body: Wire }> {
  const response = await fetch(url + path, {
    method,
    headers: {
      'x-auth-token': 'admin',
      'openstack-api-version': `placement ${version}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}
