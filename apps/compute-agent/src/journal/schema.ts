import type Database from 'better-sqlite3';

const SCHEMA = `
CREATE TABLE IF NOT EXISTS fences (
  server_id TEXT PRIMARY KEY, fence INTEGER NOT NULL, tombstone INTEGER NOT NULL DEFAULT 0, touched_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS fences_by_age ON fences (touched_at);
CREATE TABLE IF NOT EXISTS operations (
  key TEXT PRIMARY KEY, server_id TEXT NOT NULL, task_id TEXT NOT NULL, step TEXT NOT NULL, attempt INTEGER NOT NULL,
  host TEXT NOT NULL, operation TEXT NOT NULL, fence INTEGER NOT NULL, silence_seconds INTEGER NOT NULL,
  request_id TEXT NOT NULL, begun_at INTEGER NOT NULL, finished_at INTEGER, result TEXT,
  reported INTEGER NOT NULL DEFAULT 0, replayed INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS operations_by_server ON operations (server_id);
CREATE INDEX IF NOT EXISTS operations_unreported ON operations (key) WHERE finished_at IS NOT NULL AND reported = 0;
CREATE INDEX IF NOT EXISTS operations_unfinished ON operations (host) WHERE finished_at IS NULL;
CREATE INDEX IF NOT EXISTS operations_by_age ON operations (finished_at);
CREATE TABLE IF NOT EXISTS nodes (host TEXT PRIMARY KEY, node_id TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS lives (id INTEGER PRIMARY KEY CHECK (id = 1), incarnation INTEGER NOT NULL);
`;

export interface OperationRow {
  key: string;
  server_id: string;
  task_id: string;
  step: string;
  attempt: number;
  host: string;
  operation: string;
  fence: number;
  silence_seconds: number;
  request_id: string;
  begun_at: number;
  finished_at: number | null;
  /** JSON of a `Result`. */
  result: string | null;
  reported: number;
  replayed: number;
}

export type Statements = ReturnType<typeof prepareStatements>;

/** WAL with synchronous=FULL: a commit is on the disk before it returns, so that a result outlives a power cut. */
export function openSchema(db: Database.Database): Statements {
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec(SCHEMA);
  return prepareStatements(db);
}

function prepareStatements(db: Database.Database) {
  return {
    fence: db.prepare('SELECT fence, tombstone FROM fences WHERE server_id = ?'),
    // MAX: a fence never falls, whoever writes it
    raise: db.prepare(
      'INSERT INTO fences (server_id, fence, tombstone, touched_at) VALUES (@server, @fence, @tombstone, @at) ON CONFLICT (server_id) DO UPDATE SET ' +
        'fence = MAX(fence, excluded.fence), tombstone = MAX(tombstone, excluded.tombstone), touched_at = excluded.touched_at',
    ),
    operation: db.prepare('SELECT * FROM operations WHERE key = ?'),
    latestAttempt: db.prepare(
      'SELECT MAX(attempt) AS attempt FROM operations WHERE server_id = ? AND task_id = ? AND step = ? AND host = ?',
    ),
    begin: db.prepare(
      'INSERT INTO operations (key, server_id, task_id, step, attempt, host, operation, fence, silence_seconds, request_id, begun_at) ' +
        'VALUES (@key, @server_id, @task_id, @step, @attempt, @host, @operation, @fence, @silence_seconds, @request_id, @begun_at) ' +
        'ON CONFLICT (key) DO UPDATE SET fence = excluded.fence, request_id = excluded.request_id, silence_seconds = excluded.silence_seconds, ' +
        'finished_at = NULL, result = NULL, reported = 0, replayed = 0',
    ),
    replay: db.prepare('UPDATE operations SET fence = ?, request_id = ?, reported = 0, replayed = 1 WHERE key = ?'),
    refence: db.prepare('UPDATE operations SET fence = ?, request_id = ? WHERE key = ? AND finished_at IS NULL'),
    finish: db.prepare('UPDATE operations SET result = ?, finished_at = ? WHERE key = ? AND finished_at IS NULL'),
    others: db.prepare('SELECT * FROM operations WHERE server_id = ? AND finished_at IS NULL AND key <> ?'),
    reported: db.prepare('UPDATE operations SET reported = 1 WHERE key = ? AND fence = ?'),
    unreported: db.prepare(
      'SELECT * FROM operations WHERE finished_at IS NOT NULL AND reported = 0 ORDER BY finished_at',
    ),
    unfinished: db.prepare(
      'SELECT DISTINCT server_id AS serverId FROM operations WHERE host = ? AND finished_at IS NULL',
    ),
    forgetOperations: db.prepare('DELETE FROM operations WHERE finished_at < ? AND reported = 1'),
    forgetUnfinished: db.prepare('DELETE FROM operations WHERE finished_at IS NULL AND begun_at < ?'),
    forgetFences: db.prepare(
      'DELETE FROM fences WHERE touched_at < ? AND NOT EXISTS (SELECT 1 FROM operations o WHERE o.server_id = fences.server_id)',
    ),
    life: db.prepare('SELECT incarnation FROM lives'),
    beginLife: db.prepare('INSERT OR REPLACE INTO lives (id, incarnation) VALUES (1, ?)'),
    nodes: db.prepare('SELECT host, node_id AS nodeId FROM nodes'),
    saveNode: db.prepare('INSERT OR REPLACE INTO nodes (host, node_id) VALUES (?, ?)'),
  };
}
