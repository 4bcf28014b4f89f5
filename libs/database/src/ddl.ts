import type { QueryRunner } from 'typeorm';

/**
 * Runs DDL written once for SQLite and MySQL/MariaDB. Placeholders: `{pk}` generated integer key, `{json}` long text,
 * `{int}` 64-bit integer, `{double}`, `{instant}` epoch milliseconds, `{options}` at the end of CREATE TABLE. Text
 * compares byte by byte on both, trailing spaces included.
 *
 * MySQL commits each statement of DDL by itself, so a migration that was cut off has left a part. CREATE TABLE, CREATE
 * INDEX and ALTER TABLE … ADD COLUMN of what is there already are therefore passed over, and the rest follows.
 */
export async function runDdl(runner: QueryRunner, statements: string[]): Promise<void> {
  const words = runner.connection.options.type === 'mysql' ? await mysqlWords(runner) : SQLITE_WORDS;
  for (const statement of statements) {
    const sql = statement.replace(/\{(\w+)\}/g, (whole, word: string) => words[word] ?? whole);
    if (words === SQLITE_WORDS || !(await isThere(runner, sql))) await runner.query(sql);
  }
}

const SQLITE_WORDS: Record<string, string> = {
  pk: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  int: 'INTEGER',
  json: 'TEXT',
  double: 'REAL',
  instant: 'INTEGER',
  options: '',
};

async function mysqlWords(runner: QueryRunner): Promise<Record<string, string>> {
  const [row] = (await runner.query('SELECT VERSION() AS version')) as { version: string }[];
  // utf8mb4_bin takes 'a' and 'a ' for the same; each of the two has another name for the collation that does not
  const collation = row?.version.includes('MariaDB') ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin';
  return {
    pk: 'BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY',
    int: 'BIGINT',
    json: 'MEDIUMTEXT',
    double: 'DOUBLE',
    instant: 'BIGINT',
    options: `ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=${collation}`,
  };
}

async function isThere(runner: QueryRunner, sql: string): Promise<boolean> {
  const here = 'table_schema = DATABASE() AND table_name = ?';
  const found = async (from: string, params: string[]): Promise<boolean> =>
    ((await runner.query(`SELECT 1 FROM information_schema.${from}`, params)) as unknown[]).length > 0;
  const table = /^CREATE TABLE (\w+)/.exec(sql);
  if (table?.[1]) return found(`tables WHERE ${here}`, [table[1]]);
  const index = /^CREATE (?:UNIQUE )?INDEX (\w+) ON (\w+)/.exec(sql);
  if (index?.[1] && index[2]) return found(`statistics WHERE ${here} AND index_name = ?`, [index[2], index[1]]);
  const column = /^ALTER TABLE (\w+) ADD COLUMN (\w+)/.exec(sql);
  if (column?.[1] && column[2]) return found(`columns WHERE ${here} AND column_name = ?`, [column[1], column[2]]);
  return false;
}
