import { type Database, isDuplicateKey } from '@fractus/database';
import { conflict, forbidden, invalid, notFound } from '@fractus/objects';
import type { KeyPairRow } from './rows';
import { forUpdate } from './sql';

export type KeyPairType = 'ssh' | 'x509';

/** A public key of a user. Instants in epoch milliseconds. */
export interface KeyPair {
  readonly id: number;
  readonly userId: string;
  readonly name: string;
  readonly type: KeyPairType;
  readonly fingerprint: string;
  readonly publicKey: string;
  readonly createdAt: number;
}

export type NewKeyPair = Omit<KeyPair, 'id' | 'createdAt'>;

/** Key pairs, by user and name. */
export class KeyPairsRepository {
  constructor(private readonly db: Database) {}

  async find(userId: string, name: string): Promise<KeyPair | null> {
    const [row] = await this.db.query<KeyPairRow>('SELECT * FROM key_pairs WHERE user_id = ? AND name = ?', [
      userId,
      name,
    ]);
    return row ? keyPairOf(row) : null;
  }

  /** `not_found` code `keypair.not_found`. */
  async get(userId: string, name: string): Promise<KeyPair> {
    const found = await this.find(userId, name);
    if (!found) throw keyPairNotFound(userId, name);
    return found;
  }

  async count(userId: string): Promise<number> {
    const [row] = await this.db.query<{ n: number }>('SELECT COUNT(*) AS n FROM key_pairs WHERE user_id = ?', [userId]);
    return Number(row?.n ?? 0);
  }

  /** In order of name, after the marker if one is given. `invalid` code `keypair.marker` when it names none. */
  async list(userId: string, page: { limit?: number; marker?: string } = {}): Promise<KeyPair[]> {
    if (page.marker !== undefined && !(await this.find(userId, page.marker))) {
      throw invalid(`Marker ${page.marker.slice(0, 255)} could not be found.`, { code: 'keypair.marker' });
    }
    const after = page.marker === undefined ? '' : ' AND name > ?';
    const limit = page.limit === undefined ? '' : ' LIMIT ?';
    const rows = await this.db.query<KeyPairRow>(
      `SELECT * FROM key_pairs WHERE user_id = ?${after} ORDER BY name${limit}`,
      [userId, ...(page.marker === undefined ? [] : [page.marker]), ...(page.limit === undefined ? [] : [page.limit])],
    );
    return rows.map(keyPairOf);
  }

  /** `conflict` code `keypair.exists`; `forbidden` code `quota.key_pairs` when the user has `max` (-1: no limit). */
  async create(keyPair: NewKeyPair, max: number, now: number): Promise<KeyPair> {
    const { userId, name, type, fingerprint, publicKey } = keyPair;
    const row = { user_id: userId, name, type, fingerprint, public_key: publicKey, created_at: now };
    const id = await this.db
      .transaction(async (tx) => {
        if (max >= 0 && (await this.count(userId)) >= max) throw overQuota(max);
        // the row, and then the count under lock: of two that come at once, one waits for the other, or runs again
        const made = await tx.insert('key_pairs', row);
        const own = await tx.query<{ id: number }>(`SELECT id FROM key_pairs WHERE user_id = ?${forUpdate(tx)}`, [
          userId,
        ]);
        if (max >= 0 && own.length > max) throw overQuota(max);
        return made;
      })
      .catch((e: unknown) => {
        if (!isDuplicateKey(e)) throw e;
        throw conflict(`Key pair '${name}' already exists.`, { code: 'keypair.exists' });
      });
    return { ...keyPair, id, createdAt: now };
  }

  /** `not_found` code `keypair.not_found`. */
  async delete(userId: string, name: string): Promise<void> {
    const sql = 'DELETE FROM key_pairs WHERE user_id = ? AND name = ?';
    const { affected } = await this.db.transaction((tx) => tx.execute(sql, [userId, name]));
    if (affected === 0) throw keyPairNotFound(userId, name);
  }
}

const keyPairNotFound = (userId: string, name: string) =>
  notFound(`Keypair ${name.slice(0, 255)} not found for user ${userId.slice(0, 64)}`, { code: 'keypair.not_found' });
const overQuota = (limit: number) =>
  forbidden('Quota exceeded, too many key pairs.', {
    code: 'quota.key_pairs',
    details: { resource: 'key_pairs', limit },
  });

const keyPairOf = (row: KeyPairRow): KeyPair => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  type: row.type as KeyPairType,
  fingerprint: row.fingerprint,
  publicKey: row.public_key,
  createdAt: row.created_at,
});
