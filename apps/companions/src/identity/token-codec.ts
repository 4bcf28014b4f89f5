/**
 * Tokens carry their own content, sealed with AES-256-GCM: issuing one writes nothing, and they survive a restart as
 * long as the key does. Roles and catalog are not in them; they are looked up when a token is validated, so a changed
 * assignment counts at once.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { invalid } from '@fractus/objects';

export type TokenScope = { kind: 'project' | 'domain'; id: string } | { kind: 'system' } | { kind: 'unscoped' };

export interface TokenContent {
  readonly userId: string;
  readonly methods: readonly string[];
  readonly scope: TokenScope;
  /** Epoch milliseconds. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** Own audit id, then the chain's where the token came from another. */
  readonly auditIds: readonly string[];
  readonly applicationCredentialId?: string;
}

const VERSION = 1;
const IV = 12;
const TAG = 16;

export class TokenCodec {
  /** The first key seals; all of them open. */
  constructor(private readonly keys: readonly Buffer[]) {
    if (keys.length === 0 || keys.some((k) => k.length !== 32)) {
      throw invalid('token keys must be 32 bytes each, and there must be one', { code: 'config.token_key' });
    }
  }

  seal(content: TokenContent): string {
    const iv = randomBytes(IV);
    const cipher = createCipheriv('aes-256-gcm', this.keys[0] as Buffer, iv);
    const sealed = Buffer.concat([cipher.update(JSON.stringify(pack(content)), 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.of(VERSION), iv, sealed, cipher.getAuthTag()]).toString('base64url');
  }

  /** The content, or undefined for anything that this codec did not seal. */
  open(token: string): TokenContent | undefined {
    if (!/^[\w-]{40,4096}$/.test(token)) return undefined;
    const bytes = Buffer.from(token, 'base64url');
    if (bytes[0] !== VERSION || bytes.length <= 1 + IV + TAG) return undefined;
    for (const key of this.keys) {
      const opened = this.tryOpen(bytes, key);
      if (opened) return opened;
    }
    return undefined;
  }

  private tryOpen(bytes: Buffer, key: Buffer): TokenContent | undefined {
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 1 + IV));
      decipher.setAuthTag(bytes.subarray(bytes.length - TAG));
      const plain = Buffer.concat([decipher.update(bytes.subarray(1 + IV, bytes.length - TAG)), decipher.final()]);
      return unpack(JSON.parse(plain.toString('utf8')) as Packed);
    } catch {
      return undefined; // another key, or forged: the answer is the same
    }
  }
}

type Packed = [
  user: string,
  methods: string[],
  scope: string,
  issued: number,
  expires: number,
  audit: string[],
  credential?: string,
];

function pack(c: TokenContent): Packed {
  const scope = 'id' in c.scope ? `${c.scope.kind[0]}${c.scope.id}` : c.scope.kind === 'system' ? 's' : '';
  const base: Packed = [c.userId, [...c.methods], scope, c.issuedAt, c.expiresAt, [...c.auditIds]];
  if (c.applicationCredentialId !== undefined) base.push(c.applicationCredentialId);
  return base;
}

function unpack([userId, methods, packed, issuedAt, expiresAt, auditIds, credential]: Packed): TokenContent {
  const id = packed.slice(1);
  const kinds: Record<string, TokenScope> = {
    p: { kind: 'project', id },
    d: { kind: 'domain', id },
    s: { kind: 'system' },
  };
  const scope = kinds[packed[0] ?? ''] ?? { kind: 'unscoped' as const };
  const applied = credential === undefined ? {} : { applicationCredentialId: credential };
  return { userId, methods, scope, issuedAt, expiresAt, auditIds, ...applied };
}

/** Reads the keys (base64, one a line, first one seals), making the file with a fresh key where there is none. */
export function loadTokenKeys(file: string): Buffer[] {
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    const draft = `${file}.${process.pid}.tmp`;
    writeFileSync(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
    renameSync(draft, file); // whole or not at all, whatever happens in between
  }
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line.trim()).map((line) => Buffer.from(line.trim(), 'base64'));
}

/** 16 random bytes, as Keystone writes them: 22 characters. */
export const auditId = (): string => randomBytes(16).toString('base64url');
