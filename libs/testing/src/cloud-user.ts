import { ApiClient, type Answered } from './api-client';
import type { NovaContract } from './nova-contract';

export type ServiceName = 'identity' | 'image' | 'network' | 'placement' | 'compute';

/** Base URL by service, without a slash at the end. */
export type ServiceUrls = Readonly<Record<ServiceName, string>>;

/** A user to be made: member of one project, which is made too unless it exists. */
export interface NewUser {
  name: string;
  /** Default: a project of the user's name. */
  project?: string;
  /** Default `member`. */
  role?: string;
}

/** Who logs in; the password may be known only once the cloud runs. */
export interface Credentials {
  readonly name: string;
  readonly password: string;
  readonly project: string;
}

export interface CloudUserOptions {
  /** Asked at every call: a restart may move a service, and one of several processes may be chosen anew. */
  readonly urls: () => ServiceUrls;
  readonly who: Credentials;
  /** Answers are checked against it; null checks none. */
  readonly contract: NovaContract | null;
  /** Told of every answer of the Compute API. */
  readonly answered?: (answer: Answered) => void;
}

interface Login {
  readonly token: string;
  readonly projectId: string;
  readonly userId: string;
}

/** One user in one project, with clients of every service. */
export class CloudUser {
  private token: Promise<Login> | undefined;

  constructor(private readonly options: CloudUserOptions) {}

  readonly compute = this.client('compute', '/v2.1');
  readonly placement = this.client('placement', '');
  readonly image = this.client('image', '/v2');
  readonly network = this.client('network', '/v2.0');
  readonly identity = this.client('identity', '/v3');

  /** Authenticates once and keeps the token. */
  async authenticate(): Promise<string> {
    return (await this.known()).token;
  }

  async projectId(): Promise<string> {
    return (await this.known()).projectId;
  }

  async userId(): Promise<string> {
    return (await this.known()).userId;
  }

  forgetToken(): void {
    this.token = undefined;
  }

  private known(): Promise<Login> {
    const login = (this.token ??= this.login());
    // a login that failed is tried again by whoever asks next
    login.catch(() => this.token === login && this.forgetToken());
    return login;
  }

  private client(service: ServiceName, path: string): ApiClient {
    const { urls, contract, answered } = this.options;
    return new ApiClient({
      get url() {
        return `${urls()[service]}${path}`;
      },
      service,
      token: () => this.authenticate(),
      contract,
      ...(answered && service === 'compute' ? { answered } : {}),
    });
  }

  private async login(): Promise<Login> {
    const { name, password, project } = this.options.who;
    const answer = await fetch(`${this.options.urls().identity}/v3/auth/tokens`, {
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

/**
 * Makes a user, the project it works in where there is none, and its role there, all through identity's API as `admin`;
 * gives what it logs in with.
 */
export async function makeUser(
  { identity }: CloudUser,
  { name, project = name, role = 'member' }: NewUser,
): Promise<Credentials> {
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
  return { name, password, project };
}
