/**
 * Secrets are kept as scrypt hashes in PHC form (`$scrypt$ln=15,r=8,p=1$salt$hash`), so the cost can be raised later
 * and old hashes still verify. Hashing runs in the thread pool, two at a time: logins must not starve the event loop
 * or the pool's other users.
 */
import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';

export interface PasswordCost {
  /** log2 of scrypt's N; memory is 2^logN · 128 · r bytes. */
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

export const DEFAULT_COST: PasswordCost = { logN: 15, r: 8, p: 1 };

const AT_ONCE = 2;
const LENGTH = 32;

export class Passwords {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  private readonly decoy: Promise<string>;

  constructor(private readonly cost: PasswordCost = DEFAULT_COST) {
    this.decoy = this.hash(randomBytes(16).toString('hex'));
    this.decoy.catch(() => undefined);
  }

  async hash(secret: string): Promise<string> {
    const salt = randomBytes(16);
    const { logN, r, p } = this.cost;
    const key = await this.derive(secret, salt, this.cost);
    return `$scrypt$ln=${logN},r=${r},p=${p}$${salt.toString('base64url')}$${key.toString('base64url')}`;
  }

  /** Whether `secret` fits; takes as long for an unknown user (`stored` null) as for a known one. */
  async verify(secret: string, stored: string | null): Promise<boolean> {
    const parsed = parse(stored ?? (await this.decoy));
    if (!parsed) return false;
    const key = await this.derive(secret, parsed.salt, parsed.cost);
    return key.length === parsed.key.length && timingSafeEqual(key, parsed.key) && stored !== null;
  }

  private async derive(secret: string, salt: Buffer, cost: PasswordCost): Promise<Buffer> {
    if (this.running >= AT_ONCE) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running++;
    try {
      const N = 2 ** cost.logN;
      const options: ScryptOptions = { N, r: cost.r, p: cost.p, maxmem: 256 * N * cost.r };
      return await new Promise((resolve, reject) =>
        scrypt(secret, salt, LENGTH, options, (e, key) => (e ? reject(e) : resolve(key))),
      );
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}

function parse(stored: string): { cost: PasswordCost; salt: Buffer; key: Buffer } | undefined {
  const m = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([\w-]+)\$([\w-]+)$/.exec(stored);
  if (!m) return undefined;
  const [, logN, r, p, salt = '', key = ''] = m;
  return {
    cost: { logN: Number(logN), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
    key: Buffer.from(key, 'base64url'),
  };
}
