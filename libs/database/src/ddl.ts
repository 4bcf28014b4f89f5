import type { QueryRunner } from 'typeorm';

/**
 * Runs DDL written once for SQLite and MySQL/MariaDB. Placeholders: `{pk}` generated integer key, `{json}` long text,
 * `{double}`, `{instant}` epoch milliseconds, `{options}` at the end of CREATE TABLE. Text compares byte by byte on both.
 */
export async function runDdl(runner: QueryRunner, statements: string[]): Promise<void> {
  const mysql = runner.connection.options.type === 'mysql';
  const words: Record<string, string> = mysql
    ? {
        pk: 'BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY',
        json: 'MEDIUMTEXT',
        double: 'DOUBLE',
        instant: 'BIGINT',
        options: 'ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      }
    : { pk: 'INTEGER PRIMARY KEY AUTOINCREMENT', json: 'TEXT', double: 'REAL', instant: 'INTEGER', options: '' };
  for (const statement of statements)
    await runner.query(statement.replace(/\{(\w+)\}/g, (whole, word: string) => words[word] ?? whole));
}
