import { isDuplicateKey, type Database, type Tx } from '@fractus/database';
import { compileDto } from '@fractus/dto-schema';
import type { FractusError, RequestContext } from '@fractus/objects';
import { wireOfRow, type Condition, type Wire } from '../resource-table/resource-table';
import { insertRow, isAdmin, marks, ofProject, ownerOf, rowById, updateRow, type Kind } from './kind';
import { clash, missing } from './network-errors';
import { NewSecurityGroup } from './network.dto';
import type { SecurityGroupRow, SecurityGroupRuleRow } from './network.rows';
import { SECURITY_GROUPS, SECURITY_GROUP_RULES } from './network.tables';
import { presentRule } from './security-group-rule.presenter';

/** Security groups. Each project has one named `default`, made when it is first needed. */
export class SecurityGroups implements Kind<SecurityGroupRow> {
  readonly path = 'security-groups';
  readonly table = SECURITY_GROUPS;
  readonly missing = (id: string): FractusError => missing('SecurityGroupNotFound', 'Security group', id);

  constructor(private readonly db: Database) {}

  visibleTo(ctx: RequestContext): Condition {
    return ofProject(ctx);
  }

  filters(): Condition[] {
    return [];
  }

  async complete(rows: readonly SecurityGroupRow[]): Promise<Wire[]> {
    const ids = rows.map((r) => r.id);
    const sql = `SELECT * FROM security_group_rules WHERE group_id IN ${marks(ids)} ORDER BY created_at, id`;
    const rules = await this.db.query<SecurityGroupRuleRow>(sql, ids);
    return rows.map((row) => ({
      ...wireOfRow(SECURITY_GROUPS, { ...row }),
      shared: false,
      security_group_rules: rules.filter((r) => r.group_id === row.id).map(presentRule),
    }));
  }

  async create(tx: Tx, ctx: RequestContext, body: unknown): Promise<string> {
    const given = compileDto(NewSecurityGroup).parse(body);
    if (given.name === 'default') {
      throw clash('SecurityGroupDefaultAlreadyExists', 'Default security group already exists.');
    }
    return this.insert(tx, ownerOf(ctx, given), { name: '', stateful: true, ...given });
  }

  async update(tx: Tx, _ctx: RequestContext, row: SecurityGroupRow, body: unknown): Promise<void> {
    const given = compileDto(NewSecurityGroup).parse(body);
    const isDefault = await this.isDefault(tx, row.id);
    if (given.name !== undefined && given.name !== row.name && (isDefault || given.name === 'default')) {
      throw clash('SecurityGroupCannotUpdateDefault', 'Updating default security group not allowed.');
    }
    await updateRow(tx, SECURITY_GROUPS, row.id, { ...given });
  }

  async remove(tx: Tx, ctx: RequestContext, row: SecurityGroupRow): Promise<void> {
    const used = await tx.query('SELECT port_id FROM port_security_groups WHERE group_id = ? LIMIT 1', [row.id]);
    if (used.length > 0) throw clash('SecurityGroupInUse', `Security Group ${row.id} in use.`);
    if (!isAdmin(ctx) && (await this.isDefault(tx, row.id))) {
      throw clash('SecurityGroupCannotRemoveDefault', 'Insufficient rights for removing default security group.');
    }
    await tx.execute('DELETE FROM default_security_groups WHERE group_id = ?', [row.id]);
    await tx.execute('DELETE FROM security_group_rules WHERE group_id = ? OR remote_group_id = ?', [row.id, row.id]);
    await tx.execute('DELETE FROM security_groups WHERE id = ?', [row.id]);
  }

  /** Makes the default group of a project unless it is there. */
  async ensureDefaultOf(projectId: string): Promise<void> {
    const known = await this.db.query('SELECT group_id FROM default_security_groups WHERE project_id = ?', [projectId]);
    if (known.length > 0) return;
    try {
      await this.db.transaction((tx) => this.ensureDefault(tx, projectId));
    } catch (e) {
      if (!isDuplicateKey(e)) throw e; // made by another request meanwhile
    }
  }

  /** The id of the default group, inside the transaction that needs it. */
  async ensureDefault(tx: Tx, projectId: string): Promise<string> {
    const sql = 'SELECT group_id FROM default_security_groups WHERE project_id = ?';
    const [known] = await tx.query<{ group_id: string }>(sql, [projectId]);
    if (known) return known.group_id;
    const id = await this.insert(tx, projectId, {
      name: 'default',
      description: 'Default security group',
      stateful: true,
    });
    for (const ethertype of ['IPv4', 'IPv6']) {
      await insertRow(tx, SECURITY_GROUP_RULES, projectId, {
        security_group_id: id,
        direction: 'ingress',
        ethertype,
        remote_group_id: id,
      });
    }
    await tx.insert('default_security_groups', { project_id: projectId, group_id: id });
    return id;
  }

  private async isDefault(tx: Tx, id: string): Promise<boolean> {
    return (await tx.query('SELECT group_id FROM default_security_groups WHERE group_id = ?', [id])).length > 0;
  }

  /** A group lets everything out from the beginning. */
  private async insert(tx: Tx, projectId: string, wire: Wire): Promise<string> {
    const id = await insertRow(tx, SECURITY_GROUPS, projectId, wire);
    for (const ethertype of ['IPv4', 'IPv6']) {
      await insertRow(tx, SECURITY_GROUP_RULES, projectId, { security_group_id: id, direction: 'egress', ethertype });
    }
    return id;
  }
}

/** @throws not_found unless it is the caller's own (administrators: anyone's) */
export async function usableGroup(tx: Tx, ctx: RequestContext, id: string): Promise<SecurityGroupRow> {
  const row = await rowById<SecurityGroupRow>(tx, SECURITY_GROUPS, id);
  if (!row || (!isAdmin(ctx) && row.project_id !== ctx.projectId))
    throw missing('SecurityGroupNotFound', 'Security group', id);
  return row;
}
