import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { Passwords } from './passwords';
import { loadTokenKeys, TokenCodec, type TokenContent } from './token-codec';

const cheap = { logN: 4, r: 1, p: 1 };

describe('passwords', () => {
  it('verify what was hashed, whatever it was, and nothing else', async () => {
    const passwords = new Passwords(cheap);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), async (secret, other) => {
        const stored = await passwords.hash(secret);
        expect(stored).toMatch(/^\$scrypt\$ln=4,r=1,p=1\$/);
        expect(await passwords.verify(secret, stored)).toBe(true);
        if (other !== secret) expect(await passwords.verify(other, stored)).toBe(false);
      }),
    );
  });

  it('still verify what another cost hashed, and salt each hash', async () => {
    const old = await new Passwords({ logN: 5, r: 2, p: 1 }).hash('x');
    const passwords = new Passwords(cheap);
    expect(await passwords.verify('x', old)).toBe(true);
    expect(await passwords.hash('x')).not.toBe(await passwords.hash('x'));
  });

  it('refuse an unknown user, and a hash that is none', async () => {
    const passwords = new Passwords(cheap);
    expect([
      await passwords.verify('x', null),
      await passwords.verify('x', ''),
      await passwords.verify('x', '$2b$12$x'),
    ]).toEqual([false, false, false]);
  });

  it('are all served where many come at once', async () => {
    const passwords = new Passwords(cheap);
    const stored = await passwords.hash('x');
    expect(
      await Promise.all(Array.from({ length: 40 }, (_, i) => passwords.verify(i % 2 ? 'x' : 'y', stored))),
    ).toEqual(Array.from({ length: 40 }, (_, i) => i % 2 === 1));
  });
});

describe('sealed tokens', () => {
  const key = (n: number): Buffer => Buffer.alloc(32, n);
  const content: TokenContent = {
    userId: 'u',
    methods: ['password', 'token'],
    scope: { kind: 'project', id: 'p' },
    issuedAt: 1,
    expiresAt: 2,
    auditIds: ['a', 'b'],
    applicationCredentialId: 'c',
  };

  it.each([
    { kind: 'project', id: 'p' },
    { kind: 'domain', id: 'd' },
    { kind: 'system' },
    { kind: 'unscoped' },
  ] as const)('keep the scope %j', (scope) => {
    const codec = new TokenCodec([key(1)]);
    expect(codec.open(codec.seal({ ...content, scope }))).toEqual({ ...content, scope });
  });

  it('open with an older key, not with another', () => {
    const sealed = new TokenCodec([key(1)]).seal(content);
    expect(new TokenCodec([key(2), key(1)]).open(sealed)).toEqual(content);
    expect(new TokenCodec([key(2)]).open(sealed)).toBeUndefined();
  });

  it('do not open once any bit is changed', () => {
    const codec = new TokenCodec([key(1)]);
    const bytes = Buffer.from(codec.seal(content), 'base64url');
    fc.assert(
      fc.property(fc.nat(bytes.length * 8 - 1), (bit) => {
        const forged = Buffer.from(bytes);
        forged[bit >> 3]! ^= 1 << (bit & 7);
        expect(codec.open(forged.toString('base64url'))).toBeUndefined();
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => expect(codec.open(text)).toBeUndefined()));
  });

  it('have their key in a file of its owner, made once', () => {
    const folder = mkdtempSync(join(tmpdir(), 'fractus-keys-'));
    const file = join(folder, 'deep', 'keys');
    const [made] = loadTokenKeys(file);
    expect([made!.length, statSync(file).mode & 0o777]).toEqual([32, 0o600]);
    expect(loadTokenKeys(file)).toEqual([made]);
    writeFileSync(file, `${key(7).toString('base64')}\n${readFileSync(file, 'utf8')}`);
    expect(loadTokenKeys(file)).toEqual([key(7), made]);
    rmSync(folder, { recursive: true });
  });
});
