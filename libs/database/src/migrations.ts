/**
 * Migrations, run by `openDatabase` (development) or by a command of its own (production), one process at a time.
 *
 * On MySQL a named lock of the server (GET_LOCK) is held by a connection of its own, so it ends with the process that
 * has it. Whoever comes second waits, and then finds nothing to do.
 */
import { createConnection, type Connection } from 'mysql2';
import type { DataSource } from 'typeorm';
import { FractusError, unavailable } from '@fractus/objects';
import type { MysqlAddress } from './mysql-url';

/** Applies what is pending, in order; returns the names of what was applied. */
export async function migrateSqlite(source: DataSource): Promise<string[]> {
  return (await source.runMigrations({ transaction: 'each' })).map((m) => m.name);
}

/** As `migrateSqlite`, under the lock of the database; `unavailable` when it is not had within `waitSeconds`. */
export async function migrateMysql(source: DataSource, address: MysqlAddress, waitSeconds: number): Promise<string[]> {
  const connection = createConnection({ ...address, connectTimeout: 5_000 });
  connection.on('error', () => undefined);
  const name = `fractus.migrate.${address.database}`.slice(0, 64);
  try {
    const [row] = await ask<{ got: number | null }>(connection, 'SELECT GET_LOCK(?, ?) AS got', [name, waitSeconds]);
    if (row?.got !== 1) {
      throw unavailable(`another process has been migrating ${address.database} for ${waitSeconds} s`, {
        code: 'database.migrating',
      });
    }
    return (await source.runMigrations({ transaction: 'each' })).map((m) => m.name);
  } finally {
    connection.destroy();
  }
}

/** Refuses a database that is behind this release. One that is ahead is fine: migrations only expand. */
export async function refusePending(source: DataSource, what: string): Promise<void> {
  if (!(await source.showMigrations())) return;
  throw new FractusError('unavailable', `${what} is behind this release: run its migrations first (npm run migrate)`, {
    code: 'database.not_migrated',
  });
}

function ask<T>(connection: Connection, sql: string, values: unknown[]): Promise<T[]> {
  return new Promise((resolve, reject) => {
    connection.query(sql, values, (e, rows) => (e ? reject(e) : resolve(rows as T[])));
  });
}
