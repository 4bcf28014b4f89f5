import { generateKeyPairSync } from 'node:crypto';
import { covers, Servers, useCloud } from '@fractus/testing';

describe('key pairs', () => {
  const cloud = useCloud({ hosts: 1 });

  it('are generated, and go along with a server', async () => {
    const { compute } = cloud().demo;
    const made = await compute.post('/os-keypairs', { keypair: { name: 'mine' } }, { version: '2.2' });
    expect(made.status).toBe(201);
    expect(made.body.keypair.private_key).toContain('PRIVATE KEY');
    expect(made.body.keypair.public_key).toMatch(/^ssh-rsa /);
    const demo = new Servers(cloud().demo);
    const id = await demo.boot({ server: { key_name: 'mine' } });
    expect((await demo.show(id)).key_name).toBe('mine');
    expect(
      (await compute.get('/os-keypairs')).body.keypairs.map((k: { keypair: { name: string } }) => k.keypair.name),
    ).toEqual(['mine']);
    expect((await compute.get('/os-keypairs/mine')).body.keypair).toMatchObject({
      name: 'mine',
      fingerprint: made.body.keypair.fingerprint,
    });
    // a server keeps its key when the pair goes
    expect((await compute.delete('/os-keypairs/mine', { version: '2.2' })).status).toBe(204);
    expect((await demo.show(id)).key_name).toBe('mine');
    await demo.delete(id);
  });

  it('are imported, from 2.92 only', async () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
    const field = (b: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, b.length]), b]);
    const key = `ssh-ed25519 ${Buffer.concat([field(Buffer.from('ssh-ed25519')), field(raw)]).toString('base64')} me`;
    const { compute } = cloud().demo;
    const post = (keypair: object, version: string) => compute.post('/os-keypairs', { keypair }, { version });
    expect((await post({ name: 'given', public_key: key }, '2.92')).status).toBe(201);
    expect((await post({ name: 'made' }, '2.92')).status).toBe(400);
    expect((await post({ name: 'made' }, '2.91')).status).toBe(201);
    expect((await post({ name: 'given', public_key: key }, '2.92')).status).toBe(409);
    expect((await post({ name: 'bad', public_key: 'ssh-rsa nothing' }, '2.92')).status).toBe(400);
  });

  it('are a user’s own', async () => {
    const other = await cloud().newUser({ name: 'other', project: 'demo' });
    expect((await other.compute.get('/os-keypairs')).body.keypairs).toEqual([]);
    expect((await other.compute.get('/os-keypairs/given')).status).toBe(404);
    expect((await other.compute.delete('/os-keypairs/given')).status).toBe(404);
    const asked = `/os-keypairs?user_id=${await cloud().demo.userId()}`;
    expect((await other.compute.get(asked, { version: '2.10' })).status).toBe(403);
    expect((await cloud().admin.compute.get(asked, { version: '2.10' })).body.keypairs).toHaveLength(2);
  });

  it('are limited by quota, with the sentence', async () => {
    const { admin, demo } = cloud();
    await admin.compute.put(`/os-quota-sets/${await demo.projectId()}`, { quota_set: { key_pairs: 2 } });
    const { status, body } = await demo.compute.post('/os-keypairs', { keypair: { name: 'third' } });
    expect([status, body.forbidden.message]).toEqual([403, expect.stringMatching(/^Quota exceeded/)]);
  });

  covers(cloud, ['GET /os-keypairs', 'POST /os-keypairs', 'GET /os-keypairs/{id}', 'DELETE /os-keypairs/{id}']);
});
