/** A database of upstream's, read only, in one snapshot. TypeORM is kept away: it would make a table of its own there. */
import { existsSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { createConnection } from 'mysql2/promise';
import { parseMysqlUrl } from '@fractus/database';
import { invalid, unavailable } from '@fractus/objects';
import { sentenceOf, withoutPassword } from '@fractus/operator';

export interface SourceConnection {
  query<T>(sql: string, params?: readonly (string | number)[]): Promise<T[]>;
  /** Names of a table's columns; empty where there is no such table. */
  columns(table: string): Promise<ReadonlySet<string>>;
  close(): Promise<void>;
}

/**
 * Opens `mysql://user:password@host:port/name` (also as SQLAlchemy writes it, `mysql+pymysql://…?charset=utf8`) or
 * `sqlite:/path/file.db`. `unavailable` `migrate.source` when it cannot be reached.
 */
export async function openSource(text: string): Promise<SourceConnection> {
  const url = text.replace(/^mysql\+\w+:/, 'mysql:').replace(/^sqlite:\/{3}/, 'sqlite:');
  try {
    if (url.startsWith('mysql://')) return await openMysql(withoutCharset(url));
    if (url.startsWith('sqlite:')) return openSqlite(url.slice('sqlite:'.length));
  } catch (cause) {
    throw unavailable(`cannot read the source ${withoutPassword(url)}: ${sentenceOf(cause)}`, {
      code: 'migrate.source',
      cause,
    });
  }
  throw invalid('--from must be mysql://user:password@host:port/name, or sqlite:/path/file.db', {
    code: 'migrate.usage',
  });
}

const withoutCharset = (url: string): string => url.replace(/([?&])charset=[^&]*&?/, '$1').replace(/[?&]$/, '');

async function openMysql(url: string): Promise<SourceConnection> {
  const connection = await createConnection({
    ...parseMysqlUrl(url),
    charset: 'utf8mb4',
    dateStrings: true,
    connectTimeout: 10_000,
  });
  const query = async <T>(sql: string, params: readonly (string | number)[] = []): Promise<T[]> =>
    // as text: a FLOAT comes as upstream reads it, and not as the nearest double
    (await connection.query(sql, [...params]))[0] as T[];
  await query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
  await query('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
  return {
    query,
    columns: async (table) => {
      const rows = await query<{ name: string }>(
        'SELECT column_name AS name FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ?',
        [table],
      );
      return new Set(rows.map((r) => r.name));
    },
    close: () => connection.end(),
  };
}

function openSqlite(file: string): SourceConnection {
  if (!existsSync(file)) throw new Error('there is no such file');
  const database = new Sqlite(file, { readonly: true });
  database.exec('BEGIN');
  const query = async <T>(sql: string, params: readonly (string | number)[] = []): Promise<T[]> =>
    database.prepare(sql).all(...params) as T[];
  return {
    query,
    columns: async (table) =>
      new Set((await query<{ name: string }>('SELECT name FROM pragma_table_info(?)', [table])).map((r) => r.name)),
    close: async () => void database.close(),
  };
}

/** Who is connected to the database at the moment, as `user@host`, as far as its user may see; none for a file. */
export async function connectedTo(url: string): Promise<string[]> {
  if (!url.startsWith('mysql://')) return [];
  const connection = await createConnection({ ...parseMysqlUrl(url), connectTimeout: 10_000 }).catch((cause) => {
    throw unavailable(`cannot reach the target ${withoutPassword(url)}: ${sentenceOf(cause)}`, {
      code: 'migrate.target',
      cause,
    });
  });
  try {
    const [rows] = await connection.query(
      `SELECT CONCAT(user, '@', host) AS label FROM information_schema.processlist
       WHERE db = DATABASE() AND id <> CONNECTION_ID()`,
    );
    return (rows as { label: string }[]).map((r) => r.label);
  } finally {
    await connection.end();
  }
}
