/**
 * Brings a service's database up to this release, before any process of the release starts. Safe to start twice at
 * once, and again after it was cut off. Migrations only expand, so processes of the release before go on meanwhile.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { IDENTITY_MIGRATIONS, IMAGE_MIGRATIONS, NETWORK_MIGRATIONS, VOLUME_MIGRATIONS } from '@fractus/app-companions';
import { PLACEMENT_MIGRATIONS } from '@fractus/app-placement';
import { COMPUTE_MIGRATIONS } from '@fractus/compute-db';
import { type DatabaseOptions, migrateDatabase } from '@fractus/database';
import { invalid } from '@fractus/objects';

export const DATABASES: Readonly<Record<string, DatabaseOptions['migrations']>> = {
  compute: COMPUTE_MIGRATIONS,
  placement: PLACEMENT_MIGRATIONS,
  identity: IDENTITY_MIGRATIONS,
  image: IMAGE_MIGRATIONS,
  network: NETWORK_MIGRATIONS,
  volume: VOLUME_MIGRATIONS,
};

export const USAGE = `usage: npm run migrate -- ${Object.keys(DATABASES).join('|')} [--url URL]
The URL is mysql://user:password@host:port/name or sqlite:/path/file.db; without --url it is taken from FRACTUS_MIGRATE_URL,
or from the file that FRACTUS_MIGRATE_URL_FILE names, so that the password is in no list of processes.`;

/** Runs what `args` ask for; returns one line for each migration that was applied, or that there was none. */
export async function migrate(args: string[], env: NodeJS.ProcessEnv): Promise<string[]> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { url: { type: 'string' } } });
  const [name = '', ...rest] = positionals;
  const migrations = DATABASES[name];
  if (!migrations || rest.length > 0) throw invalid(USAGE, { code: 'migrate.usage' });
  const file = env['FRACTUS_MIGRATE_URL_FILE'];
  const url = values.url ?? env['FRACTUS_MIGRATE_URL'] ?? (file ? readFileSync(file, 'utf8').trim() : undefined);
  if (!url) throw invalid(USAGE, { code: 'migrate.usage' });
  const applied = await migrateDatabase({ url, migrations });
  return applied.length ? applied.map((m) => `${name}: applied ${m}`) : [`${name}: up to date`];
}
