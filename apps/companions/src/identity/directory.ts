/** Domains, projects, users and groups: the rules that go beyond keeping records. */
import type { Database, SqlValue, Tx } from '@fractus/database';
import { conflict, forbidden, isFractusError } from '@fractus/objects';
import type { Wire } from '../resource-table/resource-table';
import { badInput, refusedLogin, unknownRecord } from './identity-errors';
import { DOMAINS, GROUPS, PROJECTS, USERS } from './identity.tables';
import type { DomainRow, ProjectRow, UserRow } from './identity.rows';
import type { NewGroup, NewProject, NewUser, UserChange } from './identity.dto';
import type { Passwords } from './passwords';
import { Records } from './records';
import type { Revocations } from './revocations';

export interface GroupRow {
  id: string;
  name: string;
  domain_id: string;
}

export const DEFAULT_DOMAIN = 'default';

export class Directory {
  readonly domains: Records<DomainRow>;
  readonly projects: Records<ProjectRow>;
  readonly users: Records<UserRow>;
  readonly groups: Records<GroupRow>;

  constructor(
    private readonly db: Database,
    private readonly passwords: Passwords,
    private readonly revocations: Revocations,
  ) {
    this.domains = new Records(db, DOMAINS);
    this.projects = new Records(db, PROJECTS);
    this.users = new Records(db, USERS);
    this.groups = new Records(db, GROUPS);
  }

  async createDomain(wire: Wire): Promise<DomainRow> {
    return this.domains.create({ enabled: true, description: '', tags: [], ...wire }, { tokens_not_before: 0 });
  }

  async updateDomain(id: string, wire: Wire): Promise<DomainRow> {
    const row = await this.domains.update(id, wire);
    if (wire['enabled'] === false) await this.db.transaction((tx) => this.revocations.revokeAllOf(tx, 'domains', id));
    return row;
  }

  /** Only a disabled domain goes, and takes along what is in it. */
  async deleteDomain(id: string): Promise<void> {
    const domain = await this.domains.get(id);
    if (Number(domain.enabled) === 1) {
      throw forbidden('Cannot delete a domain that is enabled, please disable it first.', {
        code: 'identity.domain_enabled',
      });
    }
    const [users, projects, groups] = await Promise.all([
      this.users.list({ domain_id: id }),
      this.projects.list({ domain_id: id }),
      this.groups.list({ domain_id: id }),
    ]);
    await this.db.transaction(async (tx) => {
      for (const user of users) await this.removeUser(tx, user.id);
      for (const project of projects) await this.removeProject(tx, project.id);
      for (const group of groups) await this.removeGroup(tx, group.id);
      await tx.execute("DELETE FROM role_assignments WHERE target_type = 'domain' AND target_id = ?", [id]);
      await this.domains.delete(tx, id);
      await this.revocations.add(tx, { domainId: id });
    });
  }

  async createProject(given: NewProject, callerDomain: string): Promise<ProjectRow> {
    const parent = given.parent_id ? await this.parentOf(given.parent_id) : undefined;
    const domainId = given.domain_id ?? parent?.domain_id ?? callerDomain;
    await this.domains.get(domainId);
    if (parent && parent.domain_id !== domainId) throw badInput('parent_id must name a project of the same domain.');
    const defaults = { enabled: true, description: '', tags: [] };
    const { is_domain: _never, ...wire } = given;
    return this.projects.create(
      { ...defaults, ...wire, domain_id: domainId, parent_id: parent?.id ?? domainId },
      { tokens_not_before: 0 },
    );
  }

  async updateProject(id: string, wire: Wire): Promise<ProjectRow> {
    const row = await this.projects.update(id, wire);
    if (wire['enabled'] === false) await this.db.transaction((tx) => this.revocations.revokeAllOf(tx, 'projects', id));
    return row;
  }

  async deleteProject(id: string): Promise<void> {
    await this.projects.get(id);
    const children = await this.projects.list({ parent_id: id });
    if (children.length > 0)
      throw forbidden(`Cannot delete project ${id}: it has children.`, { code: 'identity.project_has_children' });
    await this.db.transaction((tx) => this.removeProject(tx, id));
  }

  async createUser(given: NewUser, callerDomain: string): Promise<UserRow> {
    const domainId = given.domain_id ?? callerDomain;
    await this.domains.get(domainId);
    const hash = given.password ? await this.passwords.hash(given.password) : null;
    const wire = { enabled: true, ...given, domain_id: domainId };
    return this.users.create(wire, { password_hash: hash, tokens_not_before: 0 });
  }

  async updateUser(id: string, change: UserChange): Promise<UserRow> {
    const hash = change.password ? { password_hash: await this.passwords.hash(change.password) } : {};
    return this.db.transaction(async (tx) => {
      const row = await this.users.update(id, { ...change }, hash);
      if (change.password || change.enabled === false) await this.revocations.revokeAllOf(tx, 'users', id);
      return row;
    });
  }

  /** Changes a user's own password. @throws unauthenticated where the old one does not fit */
  async changePassword(id: string, original: string, next: string): Promise<void> {
    const user = await this.users.find(id);
    if (!(await this.passwords.verify(original, user?.password_hash ?? null))) throw refusedLogin();
    const hash = await this.passwords.hash(next);
    await this.db.transaction(async (tx) => {
      const sql = 'UPDATE users SET password_hash = ? WHERE id = ? AND password_hash = ?';
      const { affected } = await tx.execute(sql, [hash, id, user?.password_hash]);
      if (affected === 0)
        throw conflict('The password was changed by another request meanwhile.', { code: 'identity.password_race' });
      await this.revocations.revokeAllOf(tx, 'users', id);
    });
  }

  async deleteUser(id: string): Promise<void> {
    await this.db.transaction((tx) => this.removeUser(tx, id));
  }

  async createGroup(given: NewGroup, callerDomain: string): Promise<GroupRow> {
    const domainId = given.domain_id ?? callerDomain;
    await this.domains.get(domainId);
    return this.groups.create({ description: '', ...given, domain_id: domainId });
  }

  async deleteGroup(id: string): Promise<void> {
    await this.db.transaction((tx) => this.removeGroup(tx, id));
  }

  async addMember(groupId: string, userId: string): Promise<void> {
    await Promise.all([this.groups.get(groupId), this.users.get(userId)]);
    const sql = this.db.upsertSql('user_group_members', ['group_id', 'user_id'], ['group_id', 'user_id']);
    await this.db.transaction((tx) => tx.execute(sql, [groupId, userId]));
  }

  async removeMember(groupId: string, userId: string): Promise<void> {
    await this.db.transaction(async (tx) => {
      const { affected } = await tx.execute('DELETE FROM user_group_members WHERE group_id = ? AND user_id = ?', [
        groupId,
        userId,
      ]);
      if (affected === 0) throw unknownRecord('group_member', userId);
      await this.revocations.add(tx, { userId });
    });
  }

  async isMember(groupId: string, userId: string): Promise<boolean> {
    const sql = 'SELECT user_id FROM user_group_members WHERE group_id = ? AND user_id = ?';
    return (await this.db.query(sql, [groupId, userId])).length > 0;
  }

  membersOf(groupId: string): Promise<UserRow[]> {
    return this.users.list({}, [related('SELECT user_id FROM user_group_members WHERE group_id = ?', groupId)]);
  }

  groupsOf(userId: string): Promise<GroupRow[]> {
    return this.groups.list({}, [related('SELECT group_id FROM user_group_members WHERE user_id = ?', userId)]);
  }

  /** A parent may be given as the domain itself. */
  private async parentOf(id: string): Promise<ProjectRow | undefined> {
    const project = await this.projects.find(id);
    if (!project)
      await this.domains.get(id).catch((e: unknown) => {
        throw isFractusError(e, 'not_found') ? unknownRecord('project', id) : e;
      });
    return project;
  }

  private async removeUser(tx: Tx, id: string): Promise<void> {
    await this.users.delete(tx, id);
    await tx.execute('DELETE FROM user_group_members WHERE user_id = ?', [id]);
    await tx.execute("DELETE FROM role_assignments WHERE actor_type = 'user' AND actor_id = ?", [id]);
    await tx.execute('DELETE FROM application_credentials WHERE user_id = ?', [id]);
    await this.revocations.add(tx, { userId: id });
  }

  private async removeProject(tx: Tx, id: string): Promise<void> {
    await this.projects.delete(tx, id);
    await tx.execute("DELETE FROM role_assignments WHERE target_type = 'project' AND target_id = ?", [id]);
    await tx.execute('DELETE FROM application_credentials WHERE project_id = ?', [id]);
    await tx.execute('UPDATE users SET default_project_id = NULL WHERE default_project_id = ?', [id]);
    await this.revocations.add(tx, { projectId: id });
  }

  private async removeGroup(tx: Tx, id: string): Promise<void> {
    await this.groups.delete(tx, id);
    await tx.execute('DELETE FROM user_group_members WHERE group_id = ?', [id]);
    await tx.execute("DELETE FROM role_assignments WHERE actor_type = 'group' AND actor_id = ?", [id]);
    await this.revocations.add(tx, {});
  }
}

const related = (subquery: string, id: SqlValue): { sql: string; params: SqlValue[] } => ({
  sql: `t.id IN (${subquery})`,
  params: [id],
});
