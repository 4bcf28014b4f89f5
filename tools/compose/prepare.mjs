#!/usr/bin/env node
// What docker-compose.yml needs and no repository holds: passwords, drawn on the first run and kept, in .compose, and
// .compose/clouds.yaml for clients. Needs Node 20.19 or later and nothing installed.
//
//   node tools/compose/prepare.mjs               passwords and clouds.yaml
//   node tools/compose/prepare.mjs --prebuilt    and the built application, for an image that is made without the internet
//   node tools/compose/prepare.mjs --rotate      new passwords for databases, broker and service users; see docs/compose.md
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { composeFolder, root } from './lib/folders.mjs';
import { writeSecrets } from './lib/secrets.mjs';

/** A variable as docker-compose sees it: of the environment, else of the file .env. */
function variable(name, otherwise) {
  const file = join(root, '.env');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const line = lines.findLast((l) => l.startsWith(`${name}=`));
  return process.env[name] ?? line?.slice(name.length + 1).replace(/^(["'])(.*)\1$/, '$2') ?? otherwise;
}

let values;
try {
  const options = { prebuilt: { type: 'boolean' }, rotate: { type: 'boolean' } };
  ({ values } = parseArgs({ options }));
} catch (e) {
  console.error(`prepare: ${e.message}`);
  process.exit(64);
}

const folder = composeFolder();
const authUrl = `http://127.0.0.1:${variable('FRACTUS_IDENTITY_PORT', '5000')}/v3`;
const drawn = writeSecrets(folder, { authUrl, rotate: values.rotate });
console.log(drawn.length > 0 ? `drawn: ${drawn.join(', ')}` : 'every password was there and is kept');
if (values.prebuilt) {
  const { ensureInstalled } = await import('../start/checks.mjs');
  ensureInstalled();
  const { assemble } = await import('./assemble.mjs');
  console.log(`${join(folder, 'app')}: ${Math.round(assemble(join(folder, 'app')) / 1e6)} MB`);
}
console.log(`export OS_CLIENT_CONFIG_FILE=${join(folder, 'clouds.yaml')} OS_CLOUD=fractus`);
