/**
 * The simulated hypervisors' world on disk: guests, the ledger, counters of injected faults.
 *
 * One SQLite file for all hosts of a driver, written through and mirrored in memory; an effect and its line in the
 * ledger are one transaction. WAL with synchronous=NORMAL: what was committed survives `kill -9`; a power cut may take
 * the last moments, as it would take the guests.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { unavailable, type PowerState } from '@fractus/objects';
import type { GuestSpec } from '@fractus/virt';
import { selectLedger, STATE_FILE, type LedgerEntry, type LedgerFilter } from './ledger';

/** A guest as the simulated hypervisor keeps it. Times are epoch milliseconds. */
export interface StoredGuest {
  readonly host: string;
  readonly serverId: string;
  readonly spec: GuestSpec;
  readonly powerState: PowerState;
  readonly fence: number;
  readonly createdAt: number;
  readonly bootedAt: number | null;
  /** How often it has booted. */
  readonly boots: number;
  /** When it will die by itself; null: never. */
  readonly diesAt: number | null;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS guests (
  host TEXT NOT NULL, server_id TEXT NOT NULL, spec TEXT NOT NULL, power_state INTEGER NOT NULL, fence INTEGER NOT NULL,
  created_at INTEGER NOT NULL, booted_at INTEGER, boots INTEGER NOT NULL, dies_at INTEGER,
  PRIMARY KEY (host, server_id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ledger (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, host TEXT NOT NULL, server_id TEXT NOT NULL,
  effect TEXT NOT NULL, fence INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS ledger_by_server ON ledger (server_id, seq);
CREATE TABLE IF NOT EXISTS fault_counts (server_id TEXT NOT NULL, fault TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (server_id, fault)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
`;

interface GuestRow {
  host: string;
  server_id: string;
  spec: string;
  power_state: PowerState;
  fence: number;
  created_at: number;
  booted_at: number | null;
  boots: number;
  dies_at: number | null;
}

export interface Effect {
  readonly effect: string;
  readonly fence: number;
  readonly at: number;
}

export class GuestStore {
  private readonly db: Database.Database;
  private readonly byHost = new Map<string, Map<string, StoredGuest>>();
  private readonly statements: ReturnType<typeof prepare>;

  constructor(stateDir: string, ledgerLimit: number) {
    this.db = open(stateDir);
    this.statements = prepare(this.db);
    this.statements.trim.run(ledgerLimit);
    for (const row of this.statements.all.iterate() as Iterable<GuestRow>) this.remember(guestOf(row));
  }

  guest(host: string, serverId: string): StoredGuest | undefined {
    return this.byHost.get(host)?.get(serverId);
  }

  guests(host: string): Iterable<StoredGuest> {
    return this.byHost.get(host)?.values() ?? [];
  }

  *mortals(): Iterable<StoredGuest> {
    for (const guests of this.byHost.values()) for (const g of guests.values()) if (g.diesAt !== null) yield g;
  }

  /** Writes the guest, new or changed, and the effect that made it so. */
  put(guest: StoredGuest, done: Effect): void {
    this.db.transaction(() => {
      this.statements.put.run(rowOf(guest));
      this.note(guest.host, guest.serverId, done);
    })();
    this.remember(guest);
  }

  remove(host: string, serverId: string, done: Effect): void {
    this.db.transaction(() => {
      this.statements.remove.run(host, serverId);
      this.note(host, serverId, done);
    })();
    this.byHost.get(host)?.delete(serverId);
  }

  /** Counts one more occurrence of a fault of a server; answers with how many there were before. */
  countFault(serverId: string, fault: string): number {
    const before = (this.statements.count.get(serverId, fault) as { count: number } | undefined)?.count ?? 0;
    this.statements.bump.run(serverId, fault);
    return before;
  }

  /** A number that keeps the value of its first asking. */
  fact(name: string, initial: number): number {
    this.statements.addFact.run(name, initial);
    return (this.statements.fact.get(name) as { value: number }).value;
  }

  ledger(filter: LedgerFilter = {}): LedgerEntry[] {
    return selectLedger(this.db, filter);
  }

  close(): void {
    this.db.close();
  }

  private note(host: string, serverId: string, { effect, fence, at }: Effect): void {
    this.statements.note.run(at, host, serverId, effect, fence);
  }

  private remember(guest: StoredGuest): void {
    let guests = this.byHost.get(guest.host);
    if (!guests) this.byHost.set(guest.host, (guests = new Map()));
    guests.set(guest.serverId, guest);
  }
}

function open(stateDir: string): Database.Database {
  const file = join(stateDir, STATE_FILE);
  try {
    mkdirSync(stateDir, { recursive: true });
    const db = new Database(file);
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.exec(SCHEMA);
    return db;
  } catch (e) {
    throw unavailable(`cannot use the simulated hypervisors' state ${file}: ${(e as Error).message}`, { cause: e });
  }
}

function prepare(db: Database.Database) {
  return {
    all: db.prepare('SELECT * FROM guests'),
    put: db.prepare(
      'INSERT OR REPLACE INTO guests (host, server_id, spec, power_state, fence, created_at, booted_at, boots, dies_at) ' +
        'VALUES (@host, @server_id, @spec, @power_state, @fence, @created_at, @booted_at, @boots, @dies_at)',
    ),
    remove: db.prepare('DELETE FROM guests WHERE host = ? AND server_id = ?'),
    note: db.prepare('INSERT INTO ledger (at, host, server_id, effect, fence) VALUES (?, ?, ?, ?, ?)'),
    trim: db.prepare('DELETE FROM ledger WHERE seq <= (SELECT COALESCE(MAX(seq), 0) FROM ledger) - ?'),
    count: db.prepare('SELECT count FROM fault_counts WHERE server_id = ? AND fault = ?'),
    bump: db.prepare(
      'INSERT INTO fault_counts (server_id, fault, count) VALUES (?, ?, 1) ON CONFLICT (server_id, fault) DO UPDATE SET count = count + 1',
    ),
    addFact: db.prepare('INSERT OR IGNORE INTO facts (name, value) VALUES (?, ?)'),
    fact: db.prepare('SELECT value FROM facts WHERE name = ?'),
  };
}

function guestOf(row: GuestRow): StoredGuest {
  return {
    host: row.host,
    serverId: row.server_id,
    spec: JSON.parse(row.spec) as GuestSpec,
    powerState: row.power_state,
    fence: row.fence,
    createdAt: row.created_at,
    bootedAt: row.booted_at,
    boots: row.boots,
    diesAt: row.dies_at,
  };
}

function rowOf(guest: StoredGuest): GuestRow {
  return {
    host: guest.host,
    server_id: guest.serverId,
    spec: JSON.stringify(guest.spec),
    power_state: guest.powerState,
    fence: guest.fence,
    created_at: guest.createdAt,
    booted_at: guest.bootedAt,
    boots: guest.boots,
    dies_at: guest.diesAt,
  };
}
