/** A server of the test's own, killed under load: what was acknowledged is there, once; what was not may be tried again. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { isFractusError } from '@fractus/objects';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { openDatabase, runDdl } from './index';
import { onMysql } from './testing';

class CreateItems1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runDdl(runner, [
      'CREATE TABLE items (id {pk}, name VARCHAR(64) NOT NULL) {options}',
      'CREATE INDEX ix_items_name ON items (name)',
      'CREATE TABLE counters (name VARCHAR(8) NOT NULL PRIMARY KEY, n {int} NOT NULL) {options}',
    ]);
  }
  async down(): Promise<void> {
    throw new Error('not undone');
  }
}

const tool = resolve(__dirname, '../../../tools/services/mariadb.mjs');
const WRITERS = 8;
jest.setTimeout(120_000);

onMysql('a server that is killed and started again', () => {
  let folder: string;
  const run = promisify(execFile);
  const mariadb = async (...args: string[]): Promise<{ url: string }> =>
    JSON.parse((await run(process.execPath, [tool, ...args, '--folder', folder])).stdout) as never;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fractus-mariadb-'));
    await mariadb('start', '--flush', '1');
  });
  afterAll(async () => {
    await mariadb('kill');
    rmSync(folder, { recursive: true, force: true });
  });

  it('loses nothing that was acknowledged and doubles nothing, while writers bridge the gap', async () => {
    const { url } = await mariadb('database', 'crash');
    const db = await openDatabase({ url, entities: [], migrations: [CreateItems1700000000000], patienceMs: 60_000 });
    await db.transaction((tx) => tx.insert('counters', { name: 'all', n: 0 }));
    const acknowledged: string[] = [];
    const unknown: string[] = [];
    let stop = false;
    const writer = async (w: number): Promise<void> => {
      for (let i = 0; !stop; i++) {
        const name = `${w}/${i}`;
        const proof = i % 2 ? { committed: async (tx: { query: typeof db.query }) => (await tx.query('SELECT id FROM items WHERE name = ? FOR UPDATE', [name])).length > 0 } : {}; // prettier-ignore
        await db
          .transaction(async (tx) => {
            await tx.insert('items', { name });
            await tx.execute("UPDATE counters SET n = n + 1 WHERE name = 'all'");
          }, proof)
          .then(
            () => void acknowledged.push(name),
            (e: unknown) => {
              if (!isFractusError(e, 'unavailable') || e.code !== 'database.commit_unknown' || i % 2) throw e;
              unknown.push(name);
            },
          );
      }
    };
    const until = async (n: number): Promise<void> => {
      while (acknowledged.length < n) await new Promise((r) => setTimeout(r, 10));
    };
    const writers = Array.from({ length: WRITERS }, (_, w) => writer(w));
    for (let round = 0; round < 3; round++) {
      await until(acknowledged.length + 60);
      await mariadb('kill');
      await mariadb('start', '--flush', '1');
    }
    await until(acknowledged.length + 60);
    stop = true;
    await Promise.all(writers);
    const rows = await db.query<{ name: string; c: number }>('SELECT name, COUNT(*) AS c FROM items GROUP BY name');
    expect(rows.filter((r) => r.c !== 1)).toEqual([]);
    const there = new Set(rows.map((r) => r.name));
    expect(acknowledged.filter((name) => !there.has(name))).toEqual([]);
    expect([...there].filter((name) => !acknowledged.includes(name) && !unknown.includes(name))).toEqual([]);
    expect(await db.query('SELECT n FROM counters')).toEqual([{ n: rows.length }]);
    await db.close();
  });
});
