import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { composeFolder } from '../lib/folders.mjs';
import { DATABASES, writeSecrets } from '../lib/secrets.mjs';

describe('secrets', () => {
  let folder;
  beforeEach(() => (folder = composeFolder(mkdtempSync(join(tmpdir(), 'fractus-secrets-')))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (options = {}) => writeSecrets(folder, { authUrl: 'http://127.0.0.1:5000/v3', ...options });
  const read = (name) => readFileSync(join(folder, 'secrets', name), 'utf8').trim();
  const passwords = () => JSON.parse(readFileSync(join(folder, 'passwords.json'), 'utf8'));
  const mode = (...path) => statSync(join(folder, ...path)).mode & 0o777;

  it('are drawn once, and lie where nobody else gets in', () => {
    assert.equal(write().length, 13);
    const first = passwords();
    assert.deepEqual(write(), []);
    assert.deepEqual(passwords(), first);
    assert.equal(new Set(Object.values(first)).size, 13);
    assert.deepEqual([mode(), mode('passwords.json'), mode('clouds.yaml')], [0o700, 0o600, 0o600]);
    assert.deepEqual(
      readdirSync(join(folder, 'secrets')).filter((name) => mode('secrets', name) !== 0o444),
      [],
    );
  });

  it('fit together: what a service says is what its server was told', () => {
    write();
    const users = read('mariadb-users').split('\n');
    for (const name of DATABASES) {
      const url = new URL(read(`${name}-database-url`));
      assert.ok(users.includes(`ALTER USER '${url.username}'@'%' IDENTIFIED BY '${url.password}';`));
      assert.ok(users.includes(`GRANT ALL PRIVILEGES ON ${url.pathname.slice(1)}.* TO '${url.username}'@'%';`));
    }
    const broker = JSON.parse(read('rabbitmq-definitions'));
    for (const name of ['control', 'agent']) {
      const url = new URL(read(`${name}-rpc-urls`));
      const hash = Buffer.from(broker.users.find((u) => u.name === url.username).password_hash, 'base64');
      const salted = Buffer.concat([hash.subarray(0, 4), Buffer.from(url.password)]);
      assert.deepEqual(hash.subarray(4), createHash('sha256').update(salted).digest());
    }
    assert.equal(JSON.parse(read('identity-service-users')).nova, read('nova-password'));
    const { clouds } = JSON.parse(readFileSync(join(folder, 'clouds.yaml'), 'utf8'));
    assert.equal(clouds.fractus.auth.password, read('admin-password'));
  });

  it('give an agent no right to others’ queues of work', () => {
    write();
    const { permissions } = JSON.parse(read('rabbitmq-definitions'));
    const agent = permissions.find((p) => p.user === 'agent');
    for (const right of ['configure', 'write', 'read'])
      for (const queue of ['fractus.conductor', 'fractus.placement', 'fractus.scheduler', 'other'])
        assert.doesNotMatch(queue, new RegExp(agent[right]));
    assert.match('fractus.compute@agent-1', new RegExp(agent.read));
  });

  it('are renewed for services, and kept for people and root', () => {
    write();
    const before = passwords();
    const drawn = write({ rotate: true });
    const same = Object.keys(before).filter((name) => passwords()[name] === before[name]);
    assert.deepEqual(same.sort(), ['identity/admin', 'identity/demo', 'mariadb/root']);
    assert.equal(drawn.length, 10);
    assert.ok(read('compute-database-url').includes(passwords()['mariadb/compute']));
  });
});
