/**
 * Secrets with which a program acts for a user on one project, with some of the user's roles. One that is restricted
 * (the default) cannot be used to make or remove others.
 */
import { randomBytes } from 'node:crypto';
import { isDuplicateKey, type Database } from '@fractus/database';
import { parseTime } from '@fractus/http';
import { forbidden } from '@fractus/objects';
import { badInput, duplicate, notAllowed, unknownRecord } from './identity-errors';
import type { NewApplicationCredential } from './identity.dto';
import type { ApplicationCredentialRow } from './identity.rows';
import type { Passwords } from './passwords';
import { newId } from './records';
import type { Revocations } from './revocations';
import type { LiveToken } from './tokens';

export class ApplicationCredentials {
  constructor(
    private readonly db: Database,
    private readonly passwords: Passwords,
    private readonly revocations: Revocations,
  ) {}

  async list(userId: string, name?: string): Promise<ApplicationCredentialRow[]> {
    const where = name === undefined ? '' : ' AND name = ?';
    const params = name === undefined ? [userId] : [userId, name];
    return this.db.query(`SELECT * FROM application_credentials WHERE user_id = ?${where} ORDER BY name`, params);
  }

  async get(userId: string, id: string): Promise<ApplicationCredentialRow> {
    const sql = 'SELECT * FROM application_credentials WHERE id = ? AND user_id = ?';
    const [row] = await this.db.query<ApplicationCredentialRow>(sql, [id, userId]);
    if (!row) throw unknownRecord('application_credential', id);
    return row;
  }

  /** The secret is in this answer only. */
  async create(
    caller: LiveToken,
    given: NewApplicationCredential,
  ): Promise<{ row: ApplicationCredentialRow; secret: string }> {
    refuseRestricted(caller);
    if (!caller.project) throw badInput('An application credential is made with a token that is scoped to a project.');
    const secret = given.secret ?? randomBytes(48).toString('base64url');
    const row: ApplicationCredentialRow = {
      id: newId(),
      name: given.name,
      description: given.description ?? null,
      user_id: caller.user.id,
      project_id: caller.project.id,
      unrestricted: given.unrestricted ? 1 : 0,
      expires_at: expiry(given.expires_at),
      role_ids: JSON.stringify(rolesOf(caller, given)),
      access_rules: JSON.stringify(given.access_rules ?? []),
      secret_hash: await this.passwords.hash(secret),
    };
    try {
      await this.db.transaction((tx) => tx.insert('application_credentials', { ...row }));
    } catch (e) {
      if (isDuplicateKey(e)) throw duplicate('application_credential', given.name);
      throw e;
    }
    return { row, secret };
  }

  async delete(caller: LiveToken, userId: string, id: string): Promise<void> {
    refuseRestricted(caller);
    const row = await this.get(userId, id);
    await this.db.transaction(async (tx) => {
      await tx.execute('DELETE FROM application_credentials WHERE id = ?', [id]);
      await this.revocations.add(tx, { userId, projectId: row.project_id });
    });
  }
}

function refuseRestricted(caller: LiveToken): void {
  const credential = caller.applicationCredential;
  if (credential && Number(credential.unrestricted) !== 1) {
    throw notAllowed('manage application credentials with a restricted application credential');
  }
}

function rolesOf(caller: LiveToken, given: NewApplicationCredential): string[] {
  if (!given.roles) return caller.roleRows.map((r) => r.id);
  return given.roles.map((wanted) => {
    if (wanted.id === undefined && wanted.name === undefined)
      throw badInput('application_credential.roles: a role is named by id or name.');
    const held = caller.roleRows.find((r) => (wanted.id === undefined ? r.name === wanted.name : r.id === wanted.id));
    if (held) return held.id;
    throw forbidden(`The role ${wanted.name ?? wanted.id} is not among the roles of the token.`, {
      code: 'identity.role_not_held',
    });
  });
}

function expiry(text: string | null | undefined): number | null {
  if (text === null || text === undefined) return null;
  const at = parseTime(text);
  if (Number.isNaN(at)) throw badInput(`application_credential.expires_at '${text}' is not an ISO 8601 time.`);
  if (at <= Date.now()) throw badInput('application_credential.expires_at lies in the past.');
  return at;
}
