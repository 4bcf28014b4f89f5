import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { GroupCommit } from './group-commit';

const turns = async (n = 5): Promise<void> => {
  for (let i = 0; i < n; i++) await new Promise(setImmediate);
};

describe('group commit', () => {
  let dir: string;
  let db: Database.Database;
  let other: Database.Database;
  let group: GroupCommit;
  let commits: number;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'fractus-group-'));
    db = new Database(join(dir, 'x.db'));
    db.pragma('journal_mode = WAL');
    db.exec('CREATE TABLE t (n INTEGER)');
    other = new Database(join(dir, 'x.db'));
    group = new GroupCommit(db, () => undefined);
    commits = version();
  });
  afterEach(() => {
    group.commit();
    other.close();
    db.close();
    rmSync(dir, { recursive: true });
  });

  /** Changes whenever another connection has committed something. */
  const version = (): number => Number(other.pragma('data_version', { simple: true }));
  const committed = (): { times: number; rows: number } => {
    const times = version() - commits;
    commits = version();
    return { times, rows: other.prepare('SELECT COUNT(*) FROM t').pluck().get() as number };
  };
  const put = (lazy = false): void => void group.write(() => db.prepare('INSERT INTO t VALUES (1)').run(), lazy);

  it('makes one of all writes of a turn, and is on the disk when it says so', async () => {
    for (let i = 0; i < 10; i++) put();
    expect(committed()).toEqual({ times: 0, rows: 0 });
    await group.durable();
    expect(committed()).toEqual({ times: 1, rows: 10 });
    await group.durable();
    expect(committed()).toEqual({ times: 0, rows: 10 });
  });

  it('lets what nobody waits for ride with the next that somebody does', async () => {
    for (let i = 1; i <= 3; i++) {
      put(true);
      await turns();
      expect(committed()).toEqual({ times: 0, rows: 2 * (i - 1) });
      put();
      await group.durable();
      expect(committed()).toEqual({ times: 1, rows: 2 * i });
    }
  });

  it('forgets what was not committed in a crash', async () => {
    put(true);
    await turns();
    group.discard();
    expect(committed()).toEqual({ times: 0, rows: 0 });
    put();
    await group.durable();
    expect(committed()).toEqual({ times: 1, rows: 1 });
  });
});
