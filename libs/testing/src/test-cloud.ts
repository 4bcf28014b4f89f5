/** A whole cloud inside the test's process: real services on real ports over a state folder of its own. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCloud, type CloudPlan, type RunningCloud, type SimProfile } from '@fractus/app-cloud';
import { ApiClient } from './api-client';
import { NovaContract } from './nova-contract';

export interface TestCloudOptions {
  hosts?: number;
  simProfile?: SimProfile;
  configs?: CloudPlan['configs'];
  /** Keep the log in the state folder; for a test that is being debugged. */
  log?: boolean;
}

/** A user to be made: member of one project, which is made too unless it exists. */
export interface NewUser {
  name: string;
  /** Default: a project of the user's name. */
  project?: string;
  /** Default `member`. */
  role?: string;
}

const SECRETS = {
  adminPassword: 'test-admin-secret',
  demoPassword: 'test-demo-secret',
  servicePassword: 'test-service-secret',
};
export type ServiceName = 'identity' | 'image' | 'network' | 'placement' | 'compute';

interface Login {
  readonly token: string;
  readonly projectId: string;
  readonly userId: string;
}

/** One user in one project, with clients of every service. */
export class CloudUser {
  private token: Promise<Login> | undefined;

  constructor(
    private readonly urls: () => Record<ServiceName, string>,
    private readonly who: { name: string; password: string; project: string },
    private readonly contract: NovaContract | null,
  ) {}

  readonly compute = this.client('compute', '/v2.1');
  readonly placement = this.client('placement', '');
  readonly image = this.client('image', '/v2');
  readonly network = this.client('network', '/v2.0');
  readonly identity = this.client('identity', '/v3');

  /** Authenticates once and keeps the token. */
  async authenticate(): Promise<string> {
    return (await (this.token ??= this.login())).token;
  }

  async projectId(): Promise<string> {
    return (await (this.token ??= this.login())).projectId;
  }

  async userId(): Promise<string> {
    return (await (this.token ??= this.login())).userId;
  }

  forgetToken(): void {
    this.token = undefined;
  }

  private client(service: ServiceName, path: string): ApiClient {
    const urls = this.urls;
    return new ApiClient({
      get url() {
        return `${urls()[service].replace(/\/$/, '')}${path}`;
      },
      service,
      token: () => this.authenticate(),
      contract: this.contract,
    });
  }

  private async login(): Promise<Login> {
    const { name, password, project } = this.who;
    const answer = await fetch(`${this.urls().identity}/v3/auth/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        auth: {
          identity: { methods: ['password'], password: { user: { name, domain: { id: 'default' }, password } } },
          scope: { project: { name: project, domain: { id: 'default' } } },
        },
      }),
    });
    const token = answer.headers.get('x-subject-token');
    if (answer.status !== 201 || !token) throw new Error(`login of ${name}: ${answer.status} ${await answer.text()}`);
    const { token: about } = (await answer.json()) as { token: { project: { id: string }; user: { id: string } } };
    return { token, projectId: about.project.id, userId: about.user.id };
  }
}

export class TestCloud {
  readonly admin = this.user('admin', SECRETS.adminPassword, 'admin');
  readonly demo = this.user('demo', SECRETS.demoPassword, 'demo');
  private running: RunningCloud | undefined;

  private constructor(
    readonly stateDir: string,
    private readonly plan: CloudPlan,
    /** Operations of the Compute API that were answered with success, by name. */
    readonly served: ReadonlySet<string>,
  ) {}

  static async start(options: TestCloudOptions = {}): Promise<TestCloud> {
    const stateDir = mkdtempSync(join(tmpdir(), 'fractus-test-'));
    for (const name of ['databases', 'images', 'agent', 'logs', 'keys']) mkdirSync(join(stateDir, name));
    const [identity, image, network, placement, compute] = await freePorts(5);
    const served = new Set<string>();
    const plan: CloudPlan = {
      file: (...parts) => join(stateDir, ...parts),
      secrets: SECRETS,
      bind: '127.0.0.1',
      ports: { identity, image, network, placement, compute } as CloudPlan['ports'],
      hosts: options.hosts ?? 3,
      simProfile: options.simProfile ?? 'instant',
      logLevel: 'info',
      ...(options.log ? { logFile: join(stateDir, 'logs', 'fractus.log') } : {}),
      // a cheap password hash: logins are not what these tests are about
      configs: { identity: { passwordCost: 4 }, ...options.configs },
      observe: ({ operation, status }) => void (status < 400 && served.add(operation)),
    };
    const cloud = new TestCloud(stateDir, plan, served);
    await cloud.up();
    return cloud;
  }

  get cloud(): RunningCloud {
    if (!this.running) throw new Error('the test cloud is not running');
    return this.running;
  }

  /** Makes a user, the project it works in where there is none, and its role there, all through identity's API. */
  async newUser({ name, project = name, role = 'member' }: NewUser): Promise<CloudUser> {
    const { identity } = this.admin;
    const password = `secret-of-${name}`;
    const known = await identity.get(`/projects?name=${project}`);
    const projectId =
      known.body.projects[0]?.id ??
      (await identity.post('/projects', { project: { name: project, domain_id: 'default' } })).body.project.id;
    const user = await identity.post('/users', { user: { name, password, domain_id: 'default' } });
    const roles = await identity.get(`/roles?name=${role}`);
    const path = `/projects/${projectId}/users/${user.body.user.id}/roles/${roles.body.roles[0].id}`;
    const granted = await identity.put(path, undefined);
    if (granted.status !== 204)
      throw new Error(`role ${role} for ${name}: ${granted.status} ${JSON.stringify(granted.body)}`);
    return this.user(name, password, project);
  }

  /** A user that exists. */
  user(name: string, password: string, project: string): CloudUser {
    return new CloudUser(() => this.cloud.urls, { name, password, project }, NovaContract.load());
  }

  /** Stops in good order and starts again on the same state. */
  async restart(): Promise<void> {
    await this.cloud.close();
    this.running = undefined;
    await this.up();
  }

  async close(): Promise<void> {
    await this.running?.close();
    this.running = undefined;
    rmSync(this.stateDir, { recursive: true, force: true });
  }

  private async up(): Promise<void> {
    this.running = await startCloud(this.plan);
    await eventually('every service is ready', async () => {
      const waiting = (await this.cloud.ready()).filter((c) => !c.ok);
      return waiting.length === 0 ? true : waiting.map((c) => `${c.part}: ${c.why ?? ''}`).join(', ');
    });
  }
}

/**
 * Asks again and again until `check` gives true; a text says what is still missing. The bound is generous: it only
 * turns "never" into a failure.
 */
export async function eventually(what: string, check: () => Promise<true | string>, boundMs = 60_000): Promise<void> {
  const until = Date.now() + boundMs;
  let last = '';
  while (Date.now() < until) {
    const state = await check();
    if (state === true) return;
    last = state;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`never: ${what}; last seen: ${last}`);
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, () => {
      const server = createServer();
      return new Promise<ReturnType<typeof createServer>>((resolve) =>
        server.listen(0, '127.0.0.1', () => resolve(server)),
      );
    }),
  );
  const ports = servers.map((s) => (s.address() as { port: number }).port);
  await Promise.all(servers.map((s) => new Promise((resolve) => s.close(resolve))));
  return ports;
}
