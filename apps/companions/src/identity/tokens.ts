/**
 * Issuing and opening tokens. Issuing checks credentials and that the scope may be had; opening checks on every use
 * that user, project and domain are still there and enabled, that nothing was revoked, and computes the roles anew.
 */
import type { Database } from '@fractus/database';
import { FractusError } from '@fractus/objects';
import type { ValidatedToken } from '@fractus/http';
import type { Assignments } from './assignments';
import { Authentication, type AuthRequest, type Authenticated } from './authentication';
import { refusedLogin } from './identity-errors';
import type { ApplicationCredentialRow, DomainRow, ProjectRow, RoleRow, UserRow } from './identity.rows';
import type { Passwords } from './passwords';
import type { Revocations } from './revocations';
import { auditId, type TokenCodec, type TokenContent, type TokenScope } from './token-codec';

/** A token that holds, with all that its answer shows. */
export interface LiveToken extends ValidatedToken {
  readonly content: TokenContent;
  readonly user: UserRow;
  readonly userDomain: DomainRow;
  readonly project: ProjectRow | null;
  readonly projectDomain: DomainRow | null;
  readonly domain: DomainRow | null;
  readonly roleRows: readonly RoleRow[];
  readonly applicationCredential: ApplicationCredentialRow | null;
}

type Scoped = Pick<LiveToken, 'project' | 'projectDomain' | 'domain' | 'roleRows'>;
const NOTHING: Scoped = { project: null, projectDomain: null, domain: null, roleRows: [] };

export class Tokens {
  private readonly authentication: Authentication;

  constructor(
    private readonly db: Database,
    private readonly codec: TokenCodec,
    passwords: Passwords,
    private readonly assignments: Assignments,
    private readonly revocations: Revocations,
    private readonly lifetimeMs: number,
  ) {
    this.authentication = new Authentication(db, passwords, (id) => this.open(id));
  }

  /** @throws unauthenticated for credentials or a scope that are not to be had; invalid for a malformed request */
  async issue(request: AuthRequest): Promise<{ id: string; token: LiveToken }> {
    const who = await this.authentication.authenticate(request);
    const scope = await this.scopeOf(request, who);
    const now = Date.now();
    const notBefore = await this.notBefore(who.user, scope);
    const issuedAt = Math.max(now, notBefore);
    const own = auditId();
    const content: TokenContent = {
      userId: who.user.id,
      methods: who.methods,
      scope,
      issuedAt,
      expiresAt: Math.min(
        who.parent?.content.expiresAt ?? Infinity,
        who.credential?.expires_at ?? Infinity,
        now + this.lifetimeMs,
      ),
      auditIds: who.parent ? [own, who.parent.content.auditIds.at(-1) as string] : [own],
      ...(who.credential ? { applicationCredentialId: who.credential.id } : {}),
    };
    return { id: this.codec.seal(content), token: await this.revive(content) };
  }

  /** @throws unauthenticated for anything that is not a token of ours that still holds */
  async open(id: string): Promise<LiveToken> {
    const content = this.codec.open(id);
    if (!content || content.expiresAt <= Date.now()) throw refusedLogin();
    if (await this.revocations.isRevoked(content.auditIds[0] as string)) throw refusedLogin();
    return this.revive(content);
  }

  /** Takes one token back. Other tokens of its chain hold on. */
  async revoke(token: LiveToken): Promise<void> {
    const auditId = token.content.auditIds[0] as string;
    await this.db.transaction((tx) => this.revocations.add(tx, { auditId, issuedBefore: Date.now() }));
  }

  private async revive(content: TokenContent): Promise<LiveToken> {
    const { user, domain } = await this.authentication.enabledUser(content.userId);
    if (content.issuedAt < Number(user.tokens_not_before) || content.issuedAt < Number(domain.tokens_not_before))
      throw refusedLogin();
    const credential = await this.credentialOf(content);
    const scoped = await this.scoped(content, user, credential);
    return {
      content,
      user,
      userDomain: domain,
      ...scoped,
      applicationCredential: credential,
      userId: user.id,
      userName: user.name,
      userDomainId: user.domain_id,
      projectId: scoped.project?.id ?? null,
      ...(scoped.project ? { projectName: scoped.project.name, projectDomainId: scoped.project.domain_id } : {}),
      domainId: scoped.domain?.id ?? null,
      systemScope: content.scope.kind === 'system' ? 'all' : null,
      roles: scoped.roleRows.map((r) => r.name),
      expiresAt: content.expiresAt,
    };
  }

  private async credentialOf(content: TokenContent): Promise<ApplicationCredentialRow | null> {
    if (content.applicationCredentialId === undefined) return null;
    const [row] = await this.db.query<ApplicationCredentialRow>('SELECT * FROM application_credentials WHERE id = ?', [
      content.applicationCredentialId,
    ]);
    if (!row || (row.expires_at !== null && Number(row.expires_at) <= Date.now())) throw refusedLogin();
    return row;
  }

  private async scoped(
    content: TokenContent,
    user: UserRow,
    credential: ApplicationCredentialRow | null,
  ): Promise<Scoped> {
    const { scope } = content;
    switch (scope.kind) {
      case 'unscoped':
        return NOTHING;
      case 'system':
        return { ...NOTHING, roleRows: some(await this.assignments.onSystem(user.id)) };
      case 'domain': {
        const domain = await this.enabled<DomainRow>('domains', scope.id, content);
        return { ...NOTHING, domain, roleRows: some(await this.assignments.onDomain(user.id, domain.id)) };
      }
      case 'project': {
        const project = await this.enabled<ProjectRow>('projects', scope.id, content);
        const projectDomain = await this.enabled<DomainRow>('domains', project.domain_id, content);
        const held = await this.assignments.onProject(user.id, project);
        const roleRows = credential ? await this.within(credential, held) : held;
        return { ...NOTHING, project, projectDomain, roleRows: some(roleRows) };
      }
    }
  }

  /** An application credential gives its own roles, as far as its user still holds them. */
  private async within(credential: ApplicationCredentialRow, held: readonly RoleRow[]): Promise<RoleRow[]> {
    const granted = await this.assignments.expand(JSON.parse(credential.role_ids) as string[]);
    return granted.filter((role) => held.some((h) => h.id === role.id));
  }

  private async enabled<R extends DomainRow>(
    table: 'projects' | 'domains',
    id: string,
    content: TokenContent,
  ): Promise<R> {
    const [row] = await this.db.query<R>(`SELECT * FROM ${table} WHERE id = ?`, [id]);
    if (!row || Number(row.enabled) !== 1 || content.issuedAt < Number(row.tokens_not_before)) throw refusedLogin();
    return row;
  }

  /** The first instant at which a token for this user and scope can be issued: a revocation may lie in this millisecond. */
  private async notBefore(user: UserRow, scope: TokenScope): Promise<number> {
    const rows = await this.db.query<{ t: number }>(
      `SELECT tokens_not_before AS t FROM domains WHERE id = ? OR id = ? OR id IN (SELECT domain_id FROM projects WHERE id = ?)
       UNION ALL SELECT tokens_not_before FROM projects WHERE id = ?`,
      [user.domain_id, 'id' in scope ? scope.id : '', 'id' in scope ? scope.id : '', 'id' in scope ? scope.id : ''],
    );
    return Math.max(Number(user.tokens_not_before), ...rows.map((r) => Number(r.t)));
  }

  private async scopeOf(request: AuthRequest, who: Authenticated): Promise<TokenScope> {
    const asked = await this.authentication.scopeAsked(request);
    if (who.credential) {
      const own: TokenScope = { kind: 'project', id: who.credential.project_id };
      if (asked && !(asked.kind === 'project' && asked.id === own.id)) throw refusedLogin();
      return own;
    }
    if (asked) return asked;
    const preferred = who.user.default_project_id;
    if (preferred === null) return { kind: 'unscoped' };
    const scope: TokenScope = { kind: 'project', id: preferred };
    const usable = await this.scoped(
      { userId: who.user.id, methods: [], scope, issuedAt: Infinity, expiresAt: Infinity, auditIds: [] },
      who.user,
      null,
    ).then(
      () => true,
      (e: unknown) => {
        if (e instanceof FractusError) return false;
        throw e;
      },
    );
    return usable ? scope : { kind: 'unscoped' };
  }
}

function some<T>(roles: readonly T[]): readonly T[] {
  if (roles.length === 0) throw refusedLogin();
  return roles;
}
