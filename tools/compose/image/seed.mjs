// First flavors, image and networks, once in the life of the cloud: what an operator deletes later stays deleted. The
// mark that it was done goes with the volumes that hold everything else.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { seed } from '../../cluster/lib/seed.mjs';

const MARK = '/var/lib/fractus/seed/done';
const PATIENCE_MS = 120_000;

if (existsSync(MARK)) {
  console.log('seeded before: nothing to do');
  process.exit(0);
}
const password = readFileSync('/run/secrets/admin-password', 'utf8').trim();
const admin = { authUrl: process.env.FRACTUS_AUTH_URL, username: 'admin', password, projectName: 'admin' };
let said;
for (const until = Date.now() + PATIENCE_MS; ; await sleep(500)) {
  try {
    const made = await seed({ ...admin, interface: 'internal' });
    console.log(made.length > 0 ? `made: ${made.join(', ')}` : 'all was there');
    break;
  } catch (e) {
    // services start at the same time as we do, or are restarted meanwhile
    const why = `${e.message}${e.cause ? `: ${e.cause.message}` : ''}`;
    if (why !== said) console.log(`waiting: ${why}`);
    said = why;
    if (Date.now() > until) process.exit(1);
  }
}
writeFileSync(MARK, `${new Date().toISOString()}\n`);
