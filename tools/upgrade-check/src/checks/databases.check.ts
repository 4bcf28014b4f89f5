import { type DatabaseName, databaseUrl, schemaOutcome, together, type UpgradeCheck, warning } from '@fractus/operator';
import { type Cloud, orFailure } from '../cloud';
import { MIGRATIONS } from '../services';

/** Each database that is known, against this release's migrations. */
export const databasesCheck: UpgradeCheck<Cloud> = {
  name: 'Database Schemas',
  async run({ places }) {
    const names = Object.keys(places.databases) as DatabaseName[];
    if (names.length === 0) return warning('no database is known (--state-dir, or FRACTUS_DATABASE_URL and so on)');
    const outcomes = await Promise.all(
      names.map((name) => orFailure(name, () => schemaOutcome(databaseUrl(places, name), name, MIGRATIONS[name]))),
    );
    return together(outcomes);
  },
};
