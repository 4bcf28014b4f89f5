/** Each database that is known: does it answer, is its schema this release's, does its clock go right. */
import { IDENTITY_MIGRATIONS, IMAGE_MIGRATIONS, NETWORK_MIGRATIONS } from '@fractus/app-companions';
import { PLACEMENT_MIGRATIONS } from '@fractus/app-placement';
import { COMPUTE_MIGRATIONS } from '@fractus/compute-db';
import { type Database, openDatabase } from '@fractus/database';
import { isFractusError } from '@fractus/objects';
import { type CloudPlaces, type DatabaseName, databaseUrl, duration, openAs, sentenceOf } from '@fractus/operator';
import { type Check, type Finding, NotHere } from './check';

type Migrations = typeof COMPUTE_MIGRATIONS;
const MIGRATIONS: Record<DatabaseName, Migrations> = {
  compute: COMPUTE_MIGRATIONS,
  placement: PLACEMENT_MIGRATIONS as Migrations,
  identity: IDENTITY_MIGRATIONS as Migrations,
  image: IMAGE_MIGRATIONS as Migrations,
  network: NETWORK_MIGRATIONS as Migrations,
};
const CLOCK_MS = 2_000;

export const databasesCheck: Check = {
  name: 'databases',
  async run({ places, clock }) {
    const names = Object.keys(places.databases) as DatabaseName[];
    if (names.length === 0) throw new NotHere('none is known (--database or FRACTUS_DATABASE_URL)');
    const findings = await Promise.all(names.map((name) => look(places, name, clock)));
    return { looked: `${names.join(', ')}: reachable, schema of this release`, findings: findings.flat() };
  },
};

async function look(places: CloudPlaces, name: DatabaseName, clock: () => number): Promise<Finding[]> {
  const migrations = MIGRATIONS[name];
  let database: Database;
  try {
    database = await openAs(databaseUrl(places, name), name, (url) =>
      openDatabase({ url, entities: [], migrations, migrate: false, poolSize: 1 }),
    );
  } catch (e) {
    const behind = isFractusError(e) && e.code === 'database.not_migrated';
    return [{ text: sentenceOf(e), ...(behind ? { hint: `npm run migrate -- ${name}` } : {}) }];
  }
  try {
    return await clockOf(database, name, clock);
  } finally {
    await database.close();
  }
}

/** The server's clock against ours, as far as the round trip lets us see. */
async function clockOf(database: Database, name: string, clock: () => number): Promise<Finding[]> {
  if (database.dialect !== 'mysql') return [];
  const before = clock();
  const [row] = await database.query<{ now: number }>('SELECT UNIX_TIMESTAMP(NOW(3)) * 1000 AS now');
  const now = Number(row?.now);
  const off = now < before ? now - before : Math.max(0, now - clock());
  if (Math.abs(off) <= CLOCK_MS) return [];
  const word = off > 0 ? 'ahead of' : 'behind';
  return [{ text: `the clock of the ${name} database's server is ${duration(Math.abs(off))} ${word} ours` }];
}
