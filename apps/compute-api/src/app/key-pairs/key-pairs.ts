import type { KeyPair, KeyPairsRepository, KeyPairType } from '@fractus/compute-db';
import { certificateFingerprint, generateCertificate } from './certificates';
import { generateSshKey, sshFingerprint } from './ssh-keys';

export interface KeyPairsDeps {
  readonly keyPairs: KeyPairsRepository;
  readonly now: () => number;
}

export interface KeyPairWish {
  readonly userId: string;
  readonly name: string;
  readonly type: KeyPairType;
}

/** Key pairs of a user. Private keys are made, handed out once and forgotten. */
export class KeyPairs {
  constructor(private readonly deps: KeyPairsDeps) {}

  list(userId: string, page?: { limit?: number; marker?: string }): Promise<KeyPair[]> {
    return this.deps.keyPairs.list(userId, page);
  }

  get(userId: string, name: string): Promise<KeyPair> {
    return this.deps.keyPairs.get(userId, name);
  }

  /** `invalid` for a text that is no public key of the type; `conflict` for a taken name; `forbidden` beyond `max`. */
  import(wish: KeyPairWish & { readonly publicKey: string }, max: number): Promise<KeyPair> {
    const fingerprint = wish.type === 'ssh' ? sshFingerprint(wish.publicKey) : certificateFingerprint(wish.publicKey);
    return this.deps.keyPairs.create({ ...wish, fingerprint }, max, this.deps.now());
  }

  /** An RSA key for ssh; for x509 a self-signed client certificate, its private half as PKCS #12 in base64. */
  async generate(wish: KeyPairWish, max: number): Promise<{ keyPair: KeyPair; privateKey: string }> {
    const made = wish.type === 'ssh' ? await generateSshKey() : await generateCertificate(wish.userId, this.deps.now());
    return { keyPair: await this.import({ ...wish, publicKey: made.publicKey }, max), privateKey: made.privateKey };
  }

  delete(userId: string, name: string): Promise<void> {
    return this.deps.keyPairs.delete(userId, name);
  }
}
