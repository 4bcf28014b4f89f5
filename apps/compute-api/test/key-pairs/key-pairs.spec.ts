import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sshpk from 'sshpk';
import { ApiUnderTest, type Reply } from '../api-under-test';

const sshKey = (type: 'ed25519' | 'rsa' = 'ed25519'): string => {
  const { publicKey } = generateKeyPairSync(type as 'rsa', { modulusLength: 2048 });
  return sshpk.parseKey(publicKey.export({ type: 'spki', format: 'pem' }).toString(), 'pem').toString('ssh');
};
const hasOpenssl = ((): boolean => {
  try {
    execFileSync('openssl', ['version']);
    return true;
  } catch {
    return false;
  }
})();

describe('key pairs', () => {
  let api: ApiUnderTest;
  beforeEach(async () => void (api = await ApiUnderTest.start({ quota: { keyPairs: 4 } })));
  afterEach(async () => {
    expect(api.schemaFaults).toEqual([]);
    await api.close();
  });

  const create = (keypair: object, version = '2.91', as = 'joe:p1'): Promise<Reply> =>
    api.post('/v2.1/os-keypairs', { keypair }, { version, as });
  const as = 'joe:p1';

  it('are imported, shown, listed and deleted', async () => {
    const publicKey = sshKey();
    const made = await create({ name: 'mine', public_key: publicKey }, '2.104');
    const fingerprint = sshpk.parseKey(publicKey, 'ssh').fingerprint('md5').toString('hex').replace(/^md5:/i, '');
    expect(made).toMatchObject({
      status: 201,
      body: { keypair: { name: 'mine', type: 'ssh', user_id: 'joe', public_key: publicKey, fingerprint } },
    });
    expect(made.body.keypair).not.toHaveProperty('private_key');
    const shown = await api.get('/v2.1/os-keypairs/mine', { version: '2.104', as });
    expect(shown.body.keypair).toMatchObject({
      id: 1,
      deleted: false,
      deleted_at: null,
      updated_at: null,
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{6}$/),
    });
    expect((await api.get('/v2.1/os-keypairs', { as, version: '2.104' })).body.keypairs).toEqual([
      { keypair: { name: 'mine', type: 'ssh', public_key: publicKey, fingerprint } },
    ]);
    expect((await api.delete('/v2.1/os-keypairs/mine', { as, version: '2.104' })).status).toBe(204);
    expect((await api.delete('/v2.1/os-keypairs/mine', { as })).status).toBe(404);
    expect((await api.get('/v2.1/os-keypairs/mine', { as })).status).toBe(404);
  });

  it('know their versions', async () => {
    expect((await create({ name: 'a' }, '2.1')).status).toBe(200);
    expect((await api.get('/v2.1/os-keypairs/a', { as, version: '2.1' })).body.keypair).not.toHaveProperty('type');
    expect((await api.get('/v2.1/os-keypairs', { as, version: '2.2' })).body.keypairs[0].keypair).toHaveProperty(
      'type',
      'ssh',
    );
    expect((await api.delete('/v2.1/os-keypairs/a', { as, version: '2.1' })).status).toBe(202);
    expect((await create({ name: 'a', type: 'ssh' }, '2.1')).status).toBe(400);
    expect((await create({ name: 'a', type: 'ssh' }, '2.2')).status).toBe(201);
    expect(await create({ name: 'b' }, '2.92')).toMatchObject({
      status: 400,
      body: { badRequest: { message: expect.stringContaining("'public_key' is a required property") } },
    });
    expect((await create({ name: 'a@b.c', public_key: sshKey() }, '2.91')).status).toBe(400);
    expect((await create({ name: 'a@b.c', public_key: sshKey() }, '2.92')).status).toBe(201);
  });

  it('are generated for ssh: the private half opens what the public one locks', async () => {
    const { keypair } = (await create({ name: 'a' })).body;
    const derived = sshpk.parsePrivateKey(keypair.private_key, 'pem').toPublic();
    expect(keypair.public_key.split(' ')[1]).toBe(derived.toString('ssh').split(' ')[1]);
    expect(keypair.private_key).toMatch(/^-----BEGIN RSA PRIVATE KEY-----/);
  });

  it('are generated for x509 with a client certificate', async () => {
    const { keypair } = (await create({ name: 'a', type: 'x509' })).body;
    const certificate = new X509Certificate(keypair.public_key);
    expect(certificate.subject).toBe('CN=joe');
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(certificate.subjectAltName).toContain('joe@localhost');
    expect(keypair.fingerprint).toBe(certificate.fingerprint.toLowerCase());
  });

  (hasOpenssl ? it : it.skip)('come for x509 in a PKCS #12 file that openssl can read', async () => {
    const { keypair } = (await create({ name: 'a', type: 'x509' })).body;
    const certificate = new X509Certificate(keypair.public_key);
    const folder = mkdtempSync(join(tmpdir(), 'fractus-pkcs12-'));
    writeFileSync(join(folder, 'key.p12'), Buffer.from(keypair.private_key, 'base64'));
    const pem = execFileSync('openssl', [
      'pkcs12',
      '-in',
      join(folder, 'key.p12'),
      '-nodes',
      '-passin',
      'pass:',
    ]).toString();
    rmSync(folder, { recursive: true });
    expect(certificate.checkPrivateKey(createPrivateKey(pem.slice(pem.indexOf('-----BEGIN PRIVATE KEY'))))).toBe(true);
  });

  it.each([
    ['no key', 'nonsense'],
    ['half a key', 'ssh-rsa AAAA'],
    ['one type named, another inside', `ssh-rsa ${sshKey().split(' ')[1]}`],
    ['nothing', ''],
    ['a certificate for ssh', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'],
  ])('refuse %s', async (_, public_key) => {
    expect(await create({ name: 'a', public_key })).toMatchObject({
      status: 400,
      body: { badRequest: { message: expect.stringContaining('Keypair data is invalid') } },
    });
    expect((await create({ name: 'a', public_key, type: 'x509' })).status).toBe(400);
  });

  it('are unique by user and name, and limited by quota', async () => {
    const public_key = sshKey('rsa');
    expect((await create({ name: 'a', public_key })).status).toBe(201);
    expect(await create({ name: 'a', public_key })).toMatchObject({
      status: 409,
      body: { conflictingRequest: { message: "Key pair 'a' already exists." } },
    });
    expect((await create({ name: 'a', public_key }, '2.91', 'ann:p1')).status).toBe(201);
    for (const name of ['b', 'c', 'd']) expect((await create({ name, public_key })).status).toBe(201);
    expect(await create({ name: 'e', public_key })).toMatchObject({
      status: 403,
      body: { forbidden: { message: 'Quota exceeded, too many key pairs.' } },
    });
  });

  it('of others are the operators’ affair, from 2.10 on', async () => {
    const public_key = sshKey();
    const other = { name: 'a', public_key, user_id: 'ann' };
    expect((await create(other, '2.9', 'admin:admin')).status).toBe(400);
    expect((await create(other, '2.10', 'joe:p1')).status).toBe(403);
    expect((await create(other, '2.10', 'admin:admin')).body.keypair.user_id).toBe('ann');
    const get = async (version: string, who: string): Promise<number> =>
      (await api.get('/v2.1/os-keypairs/a?user_id=ann', { version, as: who })).status;
    expect([await get('2.10', 'admin:admin'), await get('2.10', 'joe:p1'), await get('2.9', 'admin:admin')]).toEqual([
      200, 403, 404,
    ]);
    expect((await api.get('/v2.1/os-keypairs?user_id=ann', { version: '2.10', as: 'joe:p1' })).status).toBe(403);
    expect((await api.delete('/v2.1/os-keypairs/a?user_id=ann', { version: '2.10', as: 'admin:admin' })).status).toBe(
      204,
    );
  });

  it('are listed page by page from 2.35 on', async () => {
    const public_key = sshKey();
    for (const name of ['c', 'a', 'b']) await create({ name, public_key });
    const names = async (query: string, version: string): Promise<string[]> =>
      (await api.get(`/v2.1/os-keypairs${query}`, { version, as })).body.keypairs.map(
        (k: { keypair: { name: string } }) => k.keypair.name,
      );
    expect(await names('?limit=1', '2.34')).toEqual(['a', 'b', 'c']);
    expect(await names('?limit=2', '2.35')).toEqual(['a', 'b']);
    expect(await names('?limit=2&marker=b', '2.35')).toEqual(['c']);
    expect((await api.get('/v2.1/os-keypairs?limit=2', { version: '2.35', as })).body.keypairs_links).toEqual([
      { rel: 'next', href: `${api.service.url}/v2.1/os-keypairs?limit=2&marker=b` },
    ]);
    expect((await api.get('/v2.1/os-keypairs?marker=x', { version: '2.35', as })).status).toBe(400);
    expect((await api.get('/v2.1/os-keypairs?x=1', { version: '2.75', as })).status).toBe(400);
  });
});
