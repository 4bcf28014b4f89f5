/**
 * The ledger: every side effect on a simulated hypervisor, in order, never changed. Tests and operators read it to
 * prove what happened, above all that no server ever had two guests at once.
 */
import { join } from 'node:path';
import Database from 'better-sqlite3';

export const STATE_FILE = 'hypervisors.db';

export interface LedgerEntry {
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly host: string;
  readonly serverId: string;
  /** `spawn`, `destroy`, `start`, …, `crash` (the guest died by itself). */
  readonly effect: string;
  readonly fence: number;
}

export interface LedgerFilter {
  readonly serverId?: string;
  /** Only entries after this one. */
  readonly after?: number;
}

/** The entries of a state folder, oldest first; also while the driver runs, or after it was killed. */
export function readLedger(stateDir: string, filter: LedgerFilter = {}): LedgerEntry[] {
  const db = new Database(join(stateDir, STATE_FILE), { readonly: true, fileMustExist: true });
  try {
    return selectLedger(db, filter);
  } finally {
    db.close();
  }
}

export function selectLedger(db: Database.Database, { serverId, after = 0 }: LedgerFilter = {}): LedgerEntry[] {
  const columns = 'seq, at, host, server_id AS serverId, effect, fence';
  return (
    serverId === undefined
      ? db.prepare(`SELECT ${columns} FROM ledger WHERE seq > ? ORDER BY seq`).all(after)
      : db.prepare(`SELECT ${columns} FROM ledger WHERE server_id = ? AND seq > ? ORDER BY seq`).all(serverId, after)
  ) as LedgerEntry[];
}

export interface DoubleGuest {
  readonly serverId: string;
  /** Hosts that held a guest of the server at the same time. */
  readonly hosts: readonly string[];
  readonly seq: number;
}

/** Every moment at which a server had more than one guest. Empty is the only good answer. */
export function doubleGuests(ledger: readonly LedgerEntry[]): DoubleGuest[] {
  const living = new Map<string, string[]>();
  const found: DoubleGuest[] = [];
  for (const { serverId, host, effect, seq } of ledger) {
    const hosts = living.get(serverId) ?? [];
    if (effect === 'spawn') {
      const now = [...hosts, host];
      living.set(serverId, now);
      if (now.length > 1) found.push({ serverId, hosts: now, seq });
    } else if (effect === 'destroy') {
      const at = hosts.indexOf(host);
      living.set(
        serverId,
        hosts.filter((_, i) => i !== at),
      );
    }
  }
  return found;
}
