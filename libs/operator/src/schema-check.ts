/** Is the schema of a database what this release's migrations make? */
import { type DatabaseOptions, openDatabase } from '@fractus/database';
import type { DatabaseName } from './places';
import { openAs } from './reach';
import { count } from './text';
import { failure, type Outcome, success } from './upgrade-checks';

type Migrations = DatabaseOptions['migrations'];

/**
 * Failure where migrations are pending: processes of this release refuse such a database. A database of a later release
 * is a success that says so: migrations only expand. `unavailable` when it cannot be reached.
 */
export async function schemaOutcome(url: string, name: DatabaseName, migrations: Migrations): Promise<Outcome> {
  const applied = await appliedMigrations(url, name);
  const known = migrations.map(migrationName);
  const pending = known.filter((m) => !applied.includes(m));
  const later = applied.filter((m) => !known.includes(m));
  if (pending.length > 0)
    return failure(`${name}: ${count(pending.length, 'migration')} behind this release: npm run migrate -- ${name}`);
  if (later.length > 0)
    return success(`${name}: ${count(later.length, 'migration')} ahead of this release, which works on it as well`);
  return success();
}

/** TypeORM's name of a migration: what the class says, else what it is called. */
function migrationName(migration: Migrations[number]): string {
  const made = new (migration as new () => { name?: string })();
  return made.name ?? migration.name;
}

/** Opened with no migrations of its own, so that one that is behind is not refused but told of. */
async function appliedMigrations(url: string, name: DatabaseName): Promise<string[]> {
  const database = await openAs(url, name, (at) =>
    openDatabase({ url: at, entities: [], migrations: [], migrate: false, poolSize: 1 }),
  );
  try {
    return (await database.query<{ name: string }>('SELECT name FROM migrations ORDER BY id')).map((r) => r.name);
  } finally {
    await database.close();
  }
}
