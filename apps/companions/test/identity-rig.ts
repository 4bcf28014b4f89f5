/** Identity on a free port over a database in a temporary folder, with the records of a fresh cloud. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMetrics, silentLogger } from '@fractus/telemetry';
import { startIdentity, type RunningIdentity } from '../src/app.module';

export const PASSWORD = 'correct horse';

export interface Answer<T = Record<string, never>> {
  status: number;
  headers: Headers;
  body: T;
}

export async function call<T>(
  method: string,
  url: string,
  options: { token?: string; json?: unknown; headers?: Record<string, string>; body?: RequestInit['body'] } = {},
): Promise<Answer<T>> {
  const headers = {
    ...(options.token ? { 'x-auth-token': options.token } : {}),
    ...(options.json === undefined ? {} : { 'content-type': 'application/json' }),
    ...options.headers,
  };
  const body = options.json === undefined ? options.body : JSON.stringify(options.json);
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  let parsed: unknown = text;
  try {
    parsed = text ? JSON.parse(text) : undefined;
  } catch {
    // not JSON: the text itself
  }
  return { status: response.status, headers: response.headers, body: parsed as T };
}

export class IdentityRig {
  identity: RunningIdentity;
  private readonly databases = new Map<string, string>();

  private constructor(
    readonly folder: string,
    private readonly newUrl: () => Promise<string>,
  ) {}

  /** `newUrl` makes databases. */
  static async start(newUrl: () => Promise<string>, endpoints: Record<string, string> = {}): Promise<IdentityRig> {
    const rig = new IdentityRig(mkdtempSync(join(tmpdir(), 'fractus-companions-')), newUrl);
    await rig.open();
    await rig.bootstrap(endpoints);
    return rig;
  }

  async open(): Promise<void> {
    this.identity = await startIdentity({
      config: {
        host: '127.0.0.1',
        port: 0,
        publicUrl: '',
        databaseUrl: await this.databaseOf('identity'),
        tokenKeyFile: join(this.folder, 'token.keys'),
        tokenLifetime: 3600,
        passwordCost: 4,
      },
      logger: silentLogger(),
      metrics: createMetrics(),
    });
  }

  /** A service's database: the same one after a restart. */
  async databaseOf(service: string): Promise<string> {
    const url = this.databases.get(service) ?? (await this.newUrl());
    this.databases.set(service, url);
    return url;
  }

  async bootstrap(endpoints: Record<string, string | { public: string; internal?: string }> = {}): Promise<void> {
    await this.identity.bootstrap({
      adminPassword: PASSWORD,
      serviceUsers: { nova: 'nova-secret' },
      endpoints: {
        identity: this.url,
        compute: 'http://127.0.0.1:1/v2.1',
        'block-storage': 'http://127.0.0.1:1/v3/%(tenant_id)s',
        ...endpoints,
      },
    });
  }

  /** Stops and starts over the same state. */
  async restart(): Promise<void> {
    await this.identity.close();
    await this.open();
  }

  get url(): string {
    return `${this.identity.url}/v3`;
  }

  /** POST /v3/auth/tokens. */
  auth(identity: unknown, scope?: unknown): Promise<Answer<{ token: Token; error: { code: number } }>> {
    return call('POST', `${this.url}/auth/tokens`, {
      json: { auth: { identity, ...(scope === undefined ? {} : { scope }) } },
    });
  }

  login(name: string, password: string, scope?: unknown): ReturnType<IdentityRig['auth']> {
    return this.auth(
      { methods: ['password'], password: { user: { name, password, domain: { id: 'default' } } } },
      scope,
    );
  }

  /** A token of a user on a project. @throws where it is refused */
  async token(name: string, project: string, password = PASSWORD): Promise<string> {
    const answer = await this.login(name, password, { project: { name: project, domain: { id: 'default' } } });
    if (answer.status !== 201) throw new Error(`login of ${name}: ${answer.status}`);
    return answer.headers.get('x-subject-token')!;
  }

  call<T = Record<string, never>>(
    method: string,
    path: string,
    token?: string,
    json?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer<T>> {
    return call(method, this.url + path, {
      ...(token ? { token } : {}),
      ...(json === undefined ? {} : { json }),
      ...(headers ? { headers } : {}),
    });
  }

  async close(): Promise<void> {
    await this.identity.close();
    rmSync(this.folder, { recursive: true });
  }
}

export interface Token {
  user: { id: string; name: string };
  project?: { id: string; name: string };
  roles?: { id: string; name: string }[];
  catalog?: { type: string; endpoints: { url: string; interface: string; region: string }[] }[];
  methods: string[];
  audit_ids: string[];
  expires_at: string;
  issued_at: string;
  system?: { all: boolean };
  domain?: { id: string };
  application_credential?: { id: string };
}
