/** Opening what a command works on: bounded waiting, and sentences that say what could not be reached. */
import { existsSync } from 'node:fs';
import { openComputeDatabase } from '@fractus/compute-db';
import type { Database } from '@fractus/database';
import { FractusError, invalid, isFractusError, unavailable } from '@fractus/objects';
import { openRpc, type RabbitTransport, type RpcLogger } from '@fractus/rpc';
import { sentenceOf } from './command';
import type { CloudPlaces, DatabaseName } from './places';
import { withoutPassword } from './text';

/** The URL of a database; `invalid` `operator.no_database` where none is known. */
export function databaseUrl({ databases }: CloudPlaces, name: DatabaseName): string {
  const url = databases[name];
  if (url !== undefined) return url;
  const variable =
    name === 'compute' ? '--database or FRACTUS_DATABASE_URL' : `FRACTUS_${name.toUpperCase()}_DATABASE_URL`;
  throw invalid(`the ${name} database is not known: give --state-dir, or ${variable}`, {
    code: 'operator.no_database',
  });
}

/** Compute's database, never migrated by us. `unavailable` when it cannot be reached or is behind this release. */
export function openCompute(places: CloudPlaces): Promise<Database> {
  return openAs(databaseUrl(places, 'compute'), 'compute', (url) =>
    openComputeDatabase({ url, poolSize: 2, migrate: false }),
  );
}

/** Opens with `open`; failures name the database. A file that is not there is not made. */
export async function openAs(
  url: string,
  name: DatabaseName,
  open: (url: string) => Promise<Database>,
): Promise<Database> {
  const file = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : undefined;
  if (file !== undefined && !existsSync(file))
    throw unavailable(`there is no ${name} database ${file}`, { code: 'operator.database' });
  const database = await open(url).catch((cause: unknown) => {
    if (isFractusError(cause)) throw cause;
    throw unavailable(`cannot use the ${name} database ${withoutPassword(url)}: ${sentenceOf(cause)}`, {
      code: 'operator.database',
      cause,
    });
  });
  // MySQL's opening looks itself
  if (file === undefined || !(await database.dataSource.showMigrations())) return database;
  await database.close();
  throw new FractusError('unavailable', `the ${name} database ${file} is behind this release: start the cloud first`, {
    code: 'database.not_migrated',
  });
}

/** Says nothing: a command that fails says why itself. */
const QUIET: RpcLogger = { warn: () => undefined, error: () => undefined };
const PATIENCE_MS = 10_000;

/**
 * A connection to the broker. `invalid` `operator.no_broker` where none is known, or there can be none; `unavailable`
 * when it does not answer within ten seconds.
 */
export async function openBroker({ kind, rpc, folder }: CloudPlaces, name: string): Promise<RabbitTransport> {
  if (rpc === undefined)
    throw invalid(
      kind === 'embedded'
        ? `the cloud in ${folder ?? 'this folder'} is one process and has no broker`
        : 'the broker is not known: give --state-dir, or --rpc or FRACTUS_RPC_URLS',
      { code: 'operator.no_broker' },
    );
  try {
    return await openRpc(rpc, { name, logger: QUIET, patienceMs: PATIENCE_MS });
  } catch (cause) {
    if (!isFractusError(cause, 'unavailable', 'timeout')) throw cause;
    const where = rpc.urls.map(withoutPassword).join(', ');
    throw unavailable(`the broker ${where}: ${cause.message}`, { code: 'operator.broker', cause });
  }
}
