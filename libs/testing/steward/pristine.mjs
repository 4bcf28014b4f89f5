// What databases hold right after their migrations, noted once and brought back in no time.
import { createRequire } from 'node:module';

const { createConnection } = createRequire(import.meta.url)('mysql2/promise');
const nameOf = (url) => new URL(url).pathname.slice(1);
const copyOf = (database) => `${database}_pristine`;

async function withConnection(url, use) {
  const connection = await createConnection({ uri: url });
  try {
    await connection.query('SET SESSION foreign_key_checks = 0');
    return await use(async (sql, values) => (await connection.query(sql, values))[0]);
  } finally {
    await connection.end();
  }
}

async function filledTables(query, database) {
  const sql =
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = ? AND table_type = 'BASE TABLE'";
  const names = (await query(sql, [database])).map((t) => t.name);
  if (names.length === 0) return [];
  const asked = names.map((n) => `SELECT '${n}' AS name FROM DUAL WHERE EXISTS (SELECT 1 FROM ${database}.\`${n}\`)`);
  return (await query(asked.join(' UNION ALL '))).map((t) => t.name);
}

/** Notes the rows of every database; `url` is the server's, as root. */
export async function remember(url, databases) {
  for (const database of Object.values(databases).map(nameOf))
    await withConnection(url, async (query) => {
      await query(`CREATE DATABASE ${copyOf(database)} CHARACTER SET utf8mb4`);
      for (const table of await filledTables(query, database))
        await query(`CREATE TABLE ${copyOf(database)}.\`${table}\` AS SELECT * FROM ${database}.\`${table}\``);
    });
}

/** Brings every database back to the rows that were noted. */
export async function restore(url, databases) {
  const one = (database) =>
    withConnection(url, async (query) => {
      const noted = await filledTables(query, copyOf(database));
      for (const table of await filledTables(query, database)) await query(`TRUNCATE ${database}.\`${table}\``);
      for (const table of noted)
        await query(`INSERT INTO ${database}.\`${table}\` SELECT * FROM ${copyOf(database)}.\`${table}\``);
    });
  await Promise.all(Object.values(databases).map(nameOf).map(one));
}
