import type { KeyPair } from '@fractus/compute-db';
import { isoTimeMicros } from '@fractus/http';

/** An item of the list. */
export const briefKeyPair = ({ name, type, publicKey, fingerprint }: KeyPair): Record<string, unknown> => ({
  name,
  type,
  public_key: publicKey,
  fingerprint,
});

/** The answer to a create; the private half only where it was made here, and never again. */
export const createdKeyPair = (keyPair: KeyPair, privateKey: string | undefined): Record<string, unknown> => ({
  ...briefKeyPair(keyPair),
  user_id: keyPair.userId,
  ...(privateKey === undefined ? {} : { private_key: privateKey }),
});

export const detailedKeyPair = (keyPair: KeyPair): Record<string, unknown> => ({
  ...briefKeyPair(keyPair),
  id: keyPair.id,
  user_id: keyPair.userId,
  created_at: isoTimeMicros(keyPair.createdAt),
  // a key pair is never changed, and one that is deleted is gone
  updated_at: null,
  deleted: false,
  deleted_at: null,
});
