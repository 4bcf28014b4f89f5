/** Who has which role on what. Roles reach a user directly, through groups, by inheritance, and by implication. */
import { placeholders, type Database, type Tx } from '@fractus/database';
import { unknownRecord } from './identity-errors';
import type { ProjectRow, RoleRow } from './identity.rows';
import type { Revocations } from './revocations';

export interface Assignment {
  readonly actor: 'user' | 'group';
  readonly actorId: string;
  readonly target: 'project' | 'domain' | 'system';
  /** `system` for the system. */
  readonly targetId: string;
  readonly roleId: string;
  readonly inherited: boolean;
}

interface AssignmentRow {
  actor_type: 'user' | 'group';
  actor_id: string;
  target_type: 'project' | 'domain' | 'system';
  target_id: string;
  role_id: string;
  inherited: number;
}

export const SYSTEM = 'system';
const HELD_BY = `((a.actor_type = 'user' AND a.actor_id = ?)
  OR (a.actor_type = 'group' AND a.actor_id IN (SELECT m.group_id FROM user_group_members m WHERE m.user_id = ?)))`;

export class Assignments {
  constructor(
    private readonly db: Database,
    private readonly revocations: Revocations,
  ) {}

  /** Roles that a user holds on a project, implied ones included. */
  async onProject(userId: string, project: ProjectRow): Promise<RoleRow[]> {
    const ancestors = await this.ancestors(project);
    const marks = placeholders(ancestors) || "''";
    const where = `((a.target_type = 'project' AND a.target_id = ? AND a.inherited = 0)
      OR (a.target_type = 'domain' AND a.target_id = ? AND a.inherited = 1)
      OR (a.target_type = 'project' AND a.target_id IN (${marks}) AND a.inherited = 1))`;
    return this.effective(userId, where, [project.id, project.domain_id, ...ancestors]);
  }

  async onDomain(userId: string, domainId: string): Promise<RoleRow[]> {
    return this.effective(userId, "a.target_type = 'domain' AND a.target_id = ? AND a.inherited = 0", [domainId]);
  }

  async onSystem(userId: string): Promise<RoleRow[]> {
    return this.effective(userId, "a.target_type = 'system'", []);
  }

  /** Ids of the enabled projects on which a user holds a role. */
  async projectsOf(userId: string): Promise<ProjectRow[]> {
    return this.db.query<ProjectRow>(
      `SELECT DISTINCT p.* FROM projects p JOIN role_assignments a ON
         ((a.target_type = 'project' AND a.target_id = p.id AND a.inherited = 0)
          OR (a.inherited = 1 AND a.target_type = 'domain' AND a.target_id = p.domain_id)
          OR (a.inherited = 1 AND a.target_type = 'project' AND a.target_id = p.parent_id))
       WHERE ${HELD_BY} ORDER BY p.name, p.id`,
      [userId, userId],
    );
  }

  async domainIdsOf(userId: string): Promise<string[]> {
    const rows = await this.db.query<{ target_id: string }>(
      `SELECT DISTINCT a.target_id FROM role_assignments a WHERE a.target_type = 'domain' AND a.inherited = 0 AND ${HELD_BY}`,
      [userId, userId],
    );
    return rows.map((r) => r.target_id);
  }

  /** Direct assignments that fit; the filters of the assignment listing. */
  async list(filter: Partial<Assignment>): Promise<Assignment[]> {
    const columns = {
      actor: 'actor_type',
      actorId: 'actor_id',
      target: 'target_type',
      targetId: 'target_id',
      roleId: 'role_id',
    } as const;
    const given = Object.entries(columns).filter(([key]) => filter[key as keyof typeof columns] !== undefined);
    const where = given.map(([, column]) => `${column} = ?`);
    const params = given.map(([key]) => filter[key as keyof typeof columns]);
    if (filter.inherited !== undefined) {
      where.push('inherited = ?');
      params.push(filter.inherited ? ('1' as string) : '0');
    }
    const rows = await this.db.query<AssignmentRow>(
      `SELECT * FROM role_assignments${where.length ? ` WHERE ${where.join(' AND ')}` : ''} ORDER BY target_type, target_id, actor_id, role_id`,
      params,
    );
    return rows.map((r) => ({
      actor: r.actor_type,
      actorId: r.actor_id,
      target: r.target_type,
      targetId: r.target_id,
      roleId: r.role_id,
      inherited: Number(r.inherited) === 1,
    }));
  }

  async grant(tx: Tx, a: Assignment): Promise<void> {
    const columns = ['actor_type', 'actor_id', 'target_type', 'target_id', 'role_id', 'inherited'];
    const sql = this.db.upsertSql('role_assignments', columns, [
      'actor_id',
      'target_id',
      'role_id',
      'actor_type',
      'target_type',
      'inherited',
    ]);
    await tx.execute(sql, [a.actor, a.actorId, a.target, a.targetId, a.roleId, a.inherited ? 1 : 0]);
  }

  /** @throws not_found where there is no such assignment */
  async withdraw(tx: Tx, a: Assignment): Promise<void> {
    const { affected } = await tx.execute(
      `DELETE FROM role_assignments WHERE actor_type = ? AND actor_id = ? AND target_type = ? AND target_id = ? AND role_id = ? AND inherited = ?`,
      [a.actor, a.actorId, a.target, a.targetId, a.roleId, a.inherited ? 1 : 0],
    );
    if (affected === 0) throw unknownRecord('role_assignment', a.roleId);
    // cached validations carry roles: they are to be asked for anew
    await this.revocations.add(tx, a.actor === 'user' ? { userId: a.actorId } : {});
  }

  /** Closure over implied roles, in the order of their names. */
  async expand(roleIds: readonly string[]): Promise<RoleRow[]> {
    if (roleIds.length === 0) return [];
    const [roles, implied] = await Promise.all([
      this.db.query<RoleRow>('SELECT * FROM roles'),
      this.db.query<{ prior_role_id: string; implied_role_id: string }>('SELECT * FROM implied_roles'),
    ]);
    const held = new Set(roleIds);
    for (let before = -1; before !== held.size;) {
      before = held.size;
      for (const rule of implied) if (held.has(rule.prior_role_id)) held.add(rule.implied_role_id);
    }
    return roles.filter((r) => held.has(r.id)).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  private async effective(userId: string, where: string, params: string[]): Promise<RoleRow[]> {
    const rows = await this.db.query<{ role_id: string }>(
      `SELECT DISTINCT a.role_id FROM role_assignments a WHERE ${HELD_BY} AND ${where}`,
      [userId, userId, ...params],
    );
    return this.expand(rows.map((r) => r.role_id));
  }

  private async ancestors(project: ProjectRow): Promise<string[]> {
    const found: string[] = [];
    for (let at = project.parent_id; at !== project.domain_id && !found.includes(at);) {
      const [parent] = await this.db.query<ProjectRow>('SELECT * FROM projects WHERE id = ?', [at]);
      if (!parent) break;
      found.push(parent.id);
      at = parent.parent_id;
    }
    return found;
  }
}
