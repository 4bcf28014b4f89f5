/** Proving who asks: the `identity` part of an authentication request, and naming what is asked for. */
import type { Database } from '@fractus/database';
import { FractusError } from '@fractus/objects';
import { badInput, refusedLogin } from './identity-errors';
import type { ApplicationCredentialRow, DomainRow, ProjectRow, UserRow } from './identity.rows';
import type { Passwords } from './passwords';
import type { TokenScope } from './token-codec';
import type { LiveToken } from './tokens';

export interface Reference {
  id?: string;
  name?: string;
  domain?: { id?: string; name?: string };
}

/** Keystone's `auth` object, shape already checked. */
export interface AuthRequest {
  identity: {
    methods: string[];
    password?: { user: Reference & { password: string } };
    token?: { id: string };
    application_credential?: { id?: string; name?: string; secret: string; user?: Reference };
  };
  scope?: 'unscoped' | { project?: Reference; domain?: Reference; system?: { all?: boolean }; unscoped?: object };
}

export interface Authenticated {
  readonly user: UserRow;
  readonly methods: readonly string[];
  /** The token that this one is made from. */
  readonly parent: LiveToken | null;
  readonly credential: ApplicationCredentialRow | null;
}

export class Authentication {
  constructor(
    private readonly db: Database,
    private readonly passwords: Passwords,
    private readonly openToken: (id: string) => Promise<LiveToken>,
  ) {}

  /** Every method that is named must hold, and all must be about one user. */
  async authenticate({ identity }: AuthRequest): Promise<Authenticated> {
    let found: Authenticated | undefined;
    for (const method of new Set(identity.methods)) {
      const next = await this.byMethod(method, identity);
      if (found && found.user.id !== next.user.id) throw refusedLogin();
      found = {
        user: next.user,
        methods: [...new Set([...(found?.methods ?? []), ...next.methods])],
        parent: next.parent ?? found?.parent ?? null,
        credential: next.credential ?? found?.credential ?? null,
      };
    }
    if (!found) throw badInput('auth.identity.methods must name at least one method.');
    return found;
  }

  /** @throws unauthenticated where the user or its domain is gone or disabled */
  async enabledUser(id: string): Promise<{ user: UserRow; domain: DomainRow }> {
    const [user] = await this.db.query<UserRow>('SELECT * FROM users WHERE id = ?', [id]);
    const [domain] = user ? await this.db.query<DomainRow>('SELECT * FROM domains WHERE id = ?', [user.domain_id]) : [];
    if (!user || !domain || Number(user.enabled) !== 1 || Number(domain.enabled) !== 1) throw refusedLogin();
    return { user, domain };
  }

  /** The scope that is asked for; undefined where the request leaves it open. */
  async scopeAsked({ scope }: AuthRequest): Promise<TokenScope | undefined> {
    if (scope === undefined) return undefined;
    if (scope === 'unscoped') return { kind: 'unscoped' };
    const kinds = Object.keys(scope).filter((k) => scope[k as keyof typeof scope] !== undefined);
    if (kinds.length !== 1) throw badInput('auth.scope must name exactly one of project, domain, system.');
    if (scope.project) return { kind: 'project', id: (await this.project(scope.project)).id };
    if (scope.domain) return { kind: 'domain', id: await this.domainId(scope.domain) };
    if (scope.system) {
      if (scope.system.all !== true) throw badInput('auth.scope.system.all must be true.');
      return { kind: 'system' };
    }
    if (scope.unscoped) return { kind: 'unscoped' };
    throw badInput('auth.scope must name one of project, domain, system.');
  }

  private async byMethod(method: string, identity: AuthRequest['identity']): Promise<Authenticated> {
    switch (method) {
      case 'password':
        if (!identity.password) throw badInput('auth.identity.password is required for the method password.');
        return this.byPassword(identity.password.user);
      case 'token':
        if (!identity.token) throw badInput('auth.identity.token is required for the method token.');
        return this.byToken(identity.token.id);
      case 'application_credential':
        if (!identity.application_credential) {
          throw badInput('auth.identity.application_credential is required for the method application_credential.');
        }
        return this.byCredential(identity.application_credential);
      default:
        throw new FractusError('unauthenticated', `Attempted to authenticate with an unsupported method: ${method}.`, {
          code: 'identity.method_unsupported',
        });
    }
  }

  private async byPassword(given: Reference & { password: string }): Promise<Authenticated> {
    const known = await this.user(given);
    if (!(await this.passwords.verify(given.password, known?.password_hash ?? null)) || !known) throw refusedLogin();
    // read after the hash was computed: a password changed meanwhile no longer opens anything
    const { user } = await this.enabledUser(known.id);
    if (user.password_hash !== known.password_hash) throw refusedLogin();
    return { user, methods: ['password'], parent: null, credential: null };
  }

  private async byToken(id: string): Promise<Authenticated> {
    const parent = await this.openToken(id);
    const methods = [...new Set([...parent.content.methods, 'token'])];
    return { user: parent.user, methods, parent, credential: parent.applicationCredential };
  }

  private async byCredential(
    given: NonNullable<AuthRequest['identity']['application_credential']>,
  ): Promise<Authenticated> {
    const row = await this.credential(given);
    if (!(await this.passwords.verify(given.secret, row?.secret_hash ?? null)) || !row) throw refusedLogin();
    if (row.expires_at !== null && Number(row.expires_at) <= Date.now()) throw refusedLogin();
    const { user } = await this.enabledUser(row.user_id);
    return { user, methods: ['application_credential'], parent: null, credential: row };
  }

  private async credential(given: {
    id?: string;
    name?: string;
    user?: Reference;
  }): Promise<ApplicationCredentialRow | undefined> {
    if (given.id !== undefined) {
      return (
        await this.db.query<ApplicationCredentialRow>('SELECT * FROM application_credentials WHERE id = ?', [given.id])
      )[0];
    }
    if (given.name === undefined || !given.user)
      throw badInput('An application credential is named by id, or by name and user.');
    const user = await this.user(given.user);
    if (!user) return undefined;
    const sql = 'SELECT * FROM application_credentials WHERE user_id = ? AND name = ?';
    return (await this.db.query<ApplicationCredentialRow>(sql, [user.id, given.name]))[0];
  }

  private async user(given: Reference): Promise<UserRow | undefined> {
    if (given.id !== undefined)
      return (await this.db.query<UserRow>('SELECT * FROM users WHERE id = ?', [given.id]))[0];
    if (given.name === undefined) throw badInput('A user is named by id, or by name and domain.');
    const domainId = await this.findDomainId(given.domain);
    if (domainId === undefined) return undefined;
    return (
      await this.db.query<UserRow>('SELECT * FROM users WHERE name = ? AND domain_id = ?', [given.name, domainId])
    )[0];
  }

  private async project(given: Reference): Promise<ProjectRow> {
    if (given.id !== undefined)
      return this.orRefuse((await this.db.query<ProjectRow>('SELECT * FROM projects WHERE id = ?', [given.id]))[0]);
    if (given.name === undefined) throw badInput('auth.scope.project is named by id, or by name and domain.');
    const domainId = await this.domainId(given.domain);
    const sql = 'SELECT * FROM projects WHERE name = ? AND domain_id = ?';
    return this.orRefuse((await this.db.query<ProjectRow>(sql, [given.name, domainId]))[0]);
  }

  private async domainId(given: { id?: string; name?: string } | undefined): Promise<string> {
    return this.orRefuse(await this.findDomainId(given));
  }

  private async findDomainId(given: { id?: string; name?: string } | undefined): Promise<string | undefined> {
    if (given?.id === undefined && given?.name === undefined)
      throw badInput('A domain (id or name) is required where a user or project is given by name.');
    const [column, value] = given.id === undefined ? ['name', given.name] : ['id', given.id];
    const [row] = await this.db.query<DomainRow>(`SELECT * FROM domains WHERE ${column} = ?`, [value]);
    return row?.id;
  }

  private orRefuse<T>(found: T | undefined): T {
    if (found === undefined) throw refusedLogin();
    return found;
  }
}
