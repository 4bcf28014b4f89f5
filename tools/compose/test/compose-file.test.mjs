// What docker-compose.yml must hold to, beyond what docker-compose itself checks.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { root } from '../lib/folders.mjs';
import { writeSecrets } from '../lib/secrets.mjs';

const { services, secrets, volumes } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true });
const ours = Object.entries(services).filter(([name]) => !['mariadb', 'rabbitmq'].includes(name));
const each = (check) => ours.forEach(([name, service]) => check(service, name));

describe('docker-compose.yml', () => {
  it('names every secret that is drawn, and no other', () => {
    const folder = mkdtempSync(join(tmpdir(), 'fractus-secrets-'));
    writeSecrets(folder, { authUrl: 'http://127.0.0.1:5000/v3' });
    const files = readdirSync(join(folder, 'secrets')).sort();
    rmSync(folder, { recursive: true });
    assert.deepEqual(Object.keys(secrets).sort(), files);
    for (const [name, { file }] of Object.entries(secrets)) assert.ok(file.endsWith(`/${name}`), name);
  });

  it('mounts every secret file that a service is pointed to, and no other', () => {
    for (const [name, { environment = {}, command = [], secrets: mounted = [] }] of Object.entries(services)) {
      if (name === 'migrate' || name === 'seed') continue; // they know the paths by themselves
      const text = JSON.stringify([environment, command]);
      const pointed = [...text.matchAll(/\/run\/secrets\/([\w-]+)/g)].map((m) => m[1]);
      if (name === 'rabbitmq') pointed.push(/\/run\/secrets\/([\w-]+)/.exec(rabbitmqConf)[1]);
      assert.deepEqual([...new Set(pointed)].sort(), [...mounted].sort(), name);
    }
  });

  it('publishes on loopback only', () => {
    const ports = Object.values(services).flatMap((s) => s.ports ?? []);
    assert.equal(ports.length, 5);
    for (const port of ports) assert.match(port, /^127\.0\.0\.1:/);
  });

  it('gives agents no database, neither its password nor a way to it', () => {
    const agent = services['compute-agent'];
    assert.deepEqual([agent.secrets, agent.networks], [['agent-rpc-urls'], ['bus']]);
    assert.ok(!(services.mariadb.networks ?? ['default']).includes('bus'));
  });

  it('starts nothing of ours before the migrations have ended', () => {
    each(({ depends_on: after, profiles }, name) => {
      if (profiles || name === 'migrate') return;
      if (name === 'seed') return assert.ok(after['compute-api'] && after.image && after.network && after.identity);
      assert.equal(after.migrate.condition, 'service_completed_successfully', name);
    });
  });

  it('says every state that must outlive a container', () => {
    const mounted = Object.values(services).flatMap((s) => (s.volumes ?? []).map((v) => v.split(':')[0]));
    assert.deepEqual(mounted.filter((v) => !v.startsWith('.')).sort(), Object.keys(volumes).sort());
    each(({ read_only: readOnly }, name) => assert.equal(readOnly, true, name));
  });

  it('sets only options that there are', () => {
    const page = readFileSync(join(root, 'docs/operations/options.md'), 'utf8');
    const known = new Set([...page.matchAll(/`(FRACTUS_[A-Z0-9_]+)`/g)].map((m) => m[1]));
    each(({ environment = {} }, name) => {
      const own = `FRACTUS_${name.toUpperCase().replace(/-/g, '_')}_`;
      for (const variable of Object.keys(environment)) {
        if (['migrate', 'seed', 'tools'].includes(name)) continue; // no service's options
        const whole = variable.startsWith(own) ? variable : variable.replace(/^FRACTUS_/, own);
        assert.ok(known.has(whole), `${name}: ${variable} is no option`);
      }
    });
  });
});

const rabbitmqConf = readFileSync(join(root, 'tools/compose/rabbitmq.conf'), 'utf8');
