#!/usr/bin/env node
// A certificate authority of one's own, for a private MariaDB or RabbitMQ with TLS: openssl, no questions asked.
//
//   node tools/services/certificates.mjs DIR [--host NAME …]     writes ca.pem, server.pem, server.key, client.pem, client.key
//
// The server's certificate is for localhost and 127.0.0.1 unless hosts are named. For tests and for trying things out:
// keys have no passphrase, and the authority's own key stays in DIR.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const DAYS = '3650';
const names = (hosts) => hosts.map((h) => (/^[\d.]+$|:/.test(h) ? `IP:${h}` : `DNS:${h}`)).join(',');

function openssl(...args) {
  const done = spawnSync('openssl', args, { encoding: 'utf8' });
  if (done.error) throw new Error('openssl is not installed: apt-get install -y --no-install-recommends openssl');
  if (done.status !== 0) throw new Error(`openssl ${args[0]} failed:\n${done.stderr}`);
}

/** Makes an authority, a server's certificate for `hosts` and a client's for `client`; returns the paths by name. */
export function makeCertificates({ folder, hosts = ['localhost', '127.0.0.1'], client = 'fractus' }) {
  const dir = resolve(folder);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = (name) => join(dir, name);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const authority = ['-x509', '-days', DAYS, '-subj', '/CN=Private authority'];
  openssl('req', ...authority, ...key, '-keyout', file('ca.key'), '-out', file('ca.pem'));
  const issue = (name, subject, extensions) => {
    writeFileSync(file('extensions'), extensions);
    openssl('req', ...key, '-subj', `/CN=${subject}`, '-keyout', file(`${name}.key`), '-out', file('request'));
    const signed = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial', '-days', DAYS];
    openssl(
      'x509',
      '-req',
      '-in',
      file('request'),
      '-extfile',
      file('extensions'),
      ...signed,
      '-out',
      file(`${name}.pem`),
    );
  };
  issue('server', hosts[0], `subjectAltName=${names(hosts)}\nextendedKeyUsage=serverAuth\n`);
  issue('client', client, 'extendedKeyUsage=clientAuth\n');
  for (const name of ['extensions', 'request']) rmSync(file(name));
  return {
    ca: file('ca.pem'),
    cert: file('server.pem'),
    key: file('server.key'),
    clientCert: file('client.pem'),
    clientKey: file('client.key'),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, ...rest] = process.argv.slice(2);
  const hosts = rest.filter((_, i) => rest[i - 1] === '--host');
  if (!folder || folder.startsWith('-')) {
    console.error('usage: certificates.mjs DIR [--host NAME …]');
    process.exitCode = 1;
  } else console.log(JSON.stringify(makeCertificates({ folder, ...(hosts.length > 0 ? { hosts } : {}) })));
}
