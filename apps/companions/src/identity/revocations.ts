/**
 * Which tokens were taken back. Whole users, projects and domains carry an instant in their rows (`tokens_not_before`)
 * that identity itself goes by; an event is written as well, for the services that cache validations: they read the
 * events, or hear them at once where they live in the same process.
 */
import type { Database, Tx } from '@fractus/database';
import type { RevocationEvent } from '@fractus/clients';
import type { RevocationRow } from './identity.rows';
import { newId } from './records';

export type RevocationListener = (event: RevocationEvent) => void;

export class Revocations {
  private readonly listeners = new Set<RevocationListener>();

  constructor(
    private readonly db: Database,
    /** Longest life of a token, milliseconds: no event needs to be kept longer. */
    private readonly lifetimeMs: number,
  ) {}

  /** Hears of every revocation after its commit. Returns the end of the subscription. */
  onRevocation(listener: RevocationListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async add(tx: Tx, event: RevocationEvent): Promise<void> {
    const now = Date.now();
    await tx.execute('DELETE FROM revocation_events WHERE expires_at < ?', [now]);
    await tx.insert('revocation_events', {
      id: newId(),
      audit_id: event.auditId ?? null,
      audit_chain_id: event.auditChainId ?? null,
      user_id: event.userId ?? null,
      project_id: event.projectId ?? null,
      domain_id: event.domainId ?? null,
      role_id: event.roleId ?? null,
      issued_before: event.issuedBefore ?? now,
      revoked_at: now,
      expires_at: now + this.lifetimeMs + 60_000,
    });
    tx.afterCommit(() => this.listeners.forEach((listener) => listener(event)));
  }

  /** Takes back every token of a user, project or domain that exists now. Issuing goes on with later instants. */
  async revokeAllOf(tx: Tx, table: 'users' | 'projects' | 'domains', id: string): Promise<void> {
    const from = Date.now() + 1;
    await tx.execute(
      `UPDATE ${table} SET tokens_not_before = CASE WHEN tokens_not_before > ? THEN tokens_not_before ELSE ? END WHERE id = ?`,
      [from, from, id],
    );
    const ids = { users: { userId: id }, projects: { projectId: id }, domains: { domainId: id } };
    await this.add(tx, { ...ids[table], issuedBefore: from - 1 });
  }

  async isRevoked(auditId: string): Promise<boolean> {
    const rows = await this.db.query('SELECT id FROM revocation_events WHERE audit_id = ?', [auditId]);
    return rows.length > 0;
  }

  /** Events not older than `since` (epoch milliseconds), oldest first. */
  async since(since: number): Promise<RevocationRow[]> {
    return this.db.query<RevocationRow>(
      'SELECT * FROM revocation_events WHERE revoked_at >= ? ORDER BY revoked_at, id',
      [since],
    );
  }
}
