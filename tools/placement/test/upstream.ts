/**
 * A database as upstream's Placement writes it, made of the columns that are documented, for SQLite and MariaDB. With
 * `age: 'queens'` as Nova's `nova_api` had it: no trees, no records of consumers, no rows of standard classes.
 */
import Sqlite from 'better-sqlite3';
import { createConnection } from 'mysql2/promise';
import { parseMysqlUrl } from '@fractus/database';
import { STANDARD_RESOURCE_CLASSES } from '@fractus/os-resource-classes';

export type Age = 'present' | 'queens';
type Value = string | number | null;
type Row = Readonly<Record<string, Value>>;

/** Table → its columns, by the ages that have them; `id` is a generated key, and instants come of themselves. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  resource_classes: ['id', 'name'],
  traits: ['id', 'name'],
  resource_providers: ['id', 'uuid', 'name', 'generation', 'root_provider_id+', 'parent_provider_id+', 'can_host-'],
  inventories: [
    ...['id', 'resource_provider_id', 'resource_class_id', 'total', 'reserved', 'min_unit', 'max_unit', 'step_size'],
    'allocation_ratio',
  ],
  allocations: ['id', 'resource_provider_id', 'consumer_id', 'resource_class_id', 'used'],
  resource_provider_aggregates: ['resource_provider_id', 'aggregate_id'],
  placement_aggregates: ['id', 'uuid'],
  resource_provider_traits: ['trait_id', 'resource_provider_id'],
  projects: ['id', 'external_id'],
  users: ['id', 'external_id'],
  'consumers+': ['id', 'uuid', 'project_id', 'user_id', 'generation', 'consumer_type_id'],
  'consumer_types+': ['id', 'name'],
};
const TEXT = new Set(['uuid', 'name', 'consumer_id', 'external_id']);
/** Without a default: what upstream's own code always writes. */
const INSTANT = '2024-05-06 07:08:09';

export interface Upstream {
  readonly url: string;
  insert(table: string, ...rows: Row[]): Promise<void>;
  execute(sql: string): Promise<void>;
  close(): Promise<void>;
}

export async function makeUpstream(url: string, age: Age = 'present'): Promise<Upstream> {
  const { execute, close, text, number } = await open(url);
  for (const [name, columns] of Object.entries(COLUMNS)) {
    if (!belongs(name, age)) continue;
    const defined = columns.filter((c) => belongs(c, age)).map((c) => typed(bare(c), { text, number }));
    await execute(
      `CREATE TABLE ${bare(name)} (${defined.join(', ')}, created_at ${text === 'TEXT' ? text : 'DATETIME'}, updated_at ${text === 'TEXT' ? text : 'DATETIME'})`,
    );
  }
  const insert = async (table: string, ...rows: Row[]): Promise<void> => {
    for (const row of rows) {
      const all: Row = { created_at: INSTANT, updated_at: null, ...row };
      const names = Object.keys(all);
      await execute(
        `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
        Object.values(all),
      );
    }
  };
  if (age === 'present')
    await insert('resource_classes', ...STANDARD_RESOURCE_CLASSES.map((name, id) => ({ id, name })));
  return { url, insert, execute: (sql) => execute(sql), close };
}

const bare = (name: string): string => name.replace(/[+-]$/, '');
/** `+`: of the present alone; `-`: of the past alone. */
const belongs = (name: string, age: Age): boolean =>
  name.endsWith('+') ? age === 'present' : name.endsWith('-') ? age === 'queens' : true;

function typed(column: string, { text, number }: { text: string; number: string }): string {
  if (column === 'id') return `id ${number} PRIMARY KEY ${text === 'TEXT' ? '' : 'AUTO_INCREMENT'}`;
  if (column === 'allocation_ratio') return `${column} FLOAT`;
  return `${column} ${TEXT.has(column) ? text : number}`;
}

interface Opened {
  readonly text: string;
  readonly number: string;
  execute(sql: string, params?: Value[]): Promise<void>;
  close(): Promise<void>;
}

async function open(url: string): Promise<Opened> {
  if (url.startsWith('sqlite:')) {
    const database = new Sqlite(url.slice('sqlite:'.length));
    const execute = async (sql: string, params: Value[] = []): Promise<void> =>
      void database.prepare(sql).run(...params);
    return { text: 'TEXT', number: 'INTEGER', execute, close: async () => void database.close() };
  }
  const connection = await createConnection(parseMysqlUrl(url));
  // the first class has the number 0
  await connection.query("SET sql_mode = CONCAT(@@sql_mode, ',NO_AUTO_VALUE_ON_ZERO')");
  return {
    ...{ text: 'VARCHAR(255)', number: 'INTEGER' },
    execute: async (sql, params = []) => void (await connection.query(sql, params)),
    close: () => connection.end(),
  };
}
