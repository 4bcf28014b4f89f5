import { DataSource, type DataSourceOptions } from 'typeorm';
import { FractusError } from '@fractus/objects';
import { Database } from './database';
import { driverCode } from './errors';
import { migrateMysql, migrateSqlite, refusePending } from './migrations';
import { MysqlEngine } from './mysql-engine';
import { type MysqlAddress, parseMysqlUrl } from './mysql-url';
import { SqliteEngine } from './sqlite-engine';

// eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- TypeORM names entity and migration classes so
type ClassRef = Function;

export interface DatabaseOptions {
  /** `sqlite:/path/file.db`, `sqlite::memory:` (tests; one connection), or `mysql://user:password@host:port/name`, see `parseMysqlUrl`. */
  url: string;
  entities: ClassRef[];
  migrations: ClassRef[];
  /** Run pending migrations on opening. Off where a command of its own does it: then a database that is behind is refused. Default true. */
  migrate?: boolean;
  /** Milliseconds for which a database that is lost is tried again before callers are told `unavailable`. Default 5000. */
  patienceMs?: number;
  /** Is told of effects (`afterCommit`) that failed: by then the unit of work is committed. Default: they are logged. */
  onEffectError?: (err: unknown) => void;
  /** The rest is for MySQL only. Connections in the pool; default 10. */
  poolSize?: number;
  /** Milliseconds that a caller waits for a connection; default 5000. */
  acquireMs?: number;
  /** Milliseconds of silence after which a statement's connection counts as dead; default 30 000. */
  statementMs?: number;
  /** Seconds that a statement waits for a row lock; default 5. */
  lockWaitSeconds?: number;
}

const PATIENCE_MS = 5_000;
const MIGRATION_WAIT_SECONDS = 300;

/** Opens (and, unless told otherwise, migrates) a database. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url } = options;
  if (url.startsWith('sqlite:')) return openSqlite(url.slice('sqlite:'.length), options);
  if (url.startsWith('mysql://')) return openMysql(parseMysqlUrl(url), options);
  throw wrongUrl(url);
}

/** Runs what is pending and returns the names of it. For the command that does this before a release starts. */
export async function migrateDatabase(options: Pick<DatabaseOptions, 'url' | 'migrations'>): Promise<string[]> {
  const { url, migrations } = options;
  if (!url.startsWith('mysql://') && !url.startsWith('sqlite:')) throw wrongUrl(url);
  const address = url.startsWith('mysql://') ? parseMysqlUrl(url) : null;
  const source = await (
    address ? mysqlSource(address, [], migrations) : sqliteSource(url.slice('sqlite:'.length), [], migrations)
  ).initialize();
  try {
    return address ? await migrateMysql(source, address, MIGRATION_WAIT_SECONDS) : await migrateSqlite(source);
  } finally {
    await source.destroy();
  }
}

const wrongUrl = (url: string): FractusError =>
  new FractusError('invalid', `database url must start with sqlite: or mysql://, not ${url.split(':')[0]}:`, {
    code: 'config.database_url',
  });

interface BetterSqlite {
  pragma(text: string): unknown;
}

function sqliteSource(file: string, entities: ClassRef[], migrations: ClassRef[]): DataSource {
  return new DataSource({
    type: 'better-sqlite3',
    database: file,
    entities,
    migrations,
    prepareDatabase: (db: unknown) => {
      const handle = db as BetterSqlite;
      handle.pragma('journal_mode = WAL');
      handle.pragma('synchronous = NORMAL');
      handle.pragma('foreign_keys = ON');
      handle.pragma('busy_timeout = 5000');
    },
  });
}

async function openSqlite(file: string, options: DatabaseOptions): Promise<Database> {
  return useSqlite(file, options).catch((e: unknown) => {
    // no database, damaged, no right to it, disk full: an operator must learn which file
    if (!/^SQLITE_(NOTADB|CORRUPT|CANTOPEN|IOERR|FULL|READONLY|PERM)/.test(driverCode(e) ?? '')) throw e;
    throw new FractusError('unavailable', `cannot use the database ${file}: ${(e as Error).message}`, {
      code: 'database.unusable',
      cause: e,
    });
  });
}

async function useSqlite(
  file: string,
  { entities, migrations, migrate = true, patienceMs = PATIENCE_MS, onEffectError }: DatabaseOptions,
): Promise<Database> {
  const writer = await sqliteSource(file, entities, migrations).initialize();
  if (migrate) await migrateSqlite(writer);
  if (file === ':memory:') return new Database(writer, new SqliteEngine(writer, writer), patienceMs, onEffectError);
  const reading: DataSourceOptions = {
    type: 'better-sqlite3',
    database: file,
    readonly: true,
    prepareDatabase: (db: unknown) => void (db as BetterSqlite).pragma('busy_timeout = 5000'),
  };
  const reader = await new DataSource(reading).initialize();
  return new Database(writer, new SqliteEngine(writer, reader), patienceMs, onEffectError);
}

function mysqlSource(address: MysqlAddress, entities: ClassRef[], migrations: ClassRef[]): DataSource {
  const { host, port, user, password, database, socketPath, ssl } = address;
  return new DataSource({
    type: 'mysql',
    host,
    port,
    username: user,
    password,
    database,
    ...(socketPath ? { socketPath } : {}),
    ...(ssl ? { ssl } : {}),
    entities,
    migrations,
    charset: 'utf8mb4',
    supportBigNumbers: true,
    bigNumberStrings: false,
    // metadata and migrations only: repositories have the engine's pool
    poolSize: 2,
    extra: { connectTimeout: 5_000 },
  });
}

async function openMysql(address: MysqlAddress, options: DatabaseOptions): Promise<Database> {
  const source = await mysqlSource(address, options.entities, options.migrations).initialize();
  try {
    if (options.migrate ?? true) await migrateMysql(source, address, MIGRATION_WAIT_SECONDS);
    else await refusePending(source, `database ${address.database}`);
  } catch (e) {
    await source.destroy();
    throw e;
  }
  const engine = new MysqlEngine(address, {
    poolSize: options.poolSize ?? 10,
    acquireMs: options.acquireMs ?? 5_000,
    statementMs: options.statementMs ?? 30_000,
    lockWaitSeconds: options.lockWaitSeconds ?? 5,
  });
  return new Database(source, engine, options.patienceMs ?? PATIENCE_MS, options.onEffectError);
}
