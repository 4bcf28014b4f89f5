/**
 * What has to be done to databases that were put back, before the first process starts on them.
 *
 * Compute: fences must never fall. Agents' journals, which were not put back, know the fences that were given out since
 * the backup, and refuse lower ones; so does Placement, where its backup is younger. All fences are raised above any
 * that can have been given out. Leases of former conductors are dropped; what is under way is due at once, for the
 * hosts that it waits for have long answered (they do so again from their journals), and gets back the time since it
 * was last written, in which nobody can have worked on it.
 *
 * Placement: a new epoch, so that a process that outlived the restore reads everything anew.
 */
import { renewEpoch } from '@fractus/app-placement';
import { HostsRepository } from '@fractus/compute-db';
import type { Database } from '@fractus/database';
import { conflict } from '@fractus/objects';
import { duration } from '@fractus/operator';

/** More often than any server's tasks are leased between two backups. */
export const FENCES_RAISED_BY = 1_000_000;
/** A heartbeat that is younger means that somebody is at work. */
const ALIVE_MS = 60_000;

/** Raises every fence; returns how many servers there are. `conflict` when processes seem to be at work and `force` is not set. */
export async function afterRestoreOfCompute(
  database: Database,
  { force, now }: { force: boolean; now: number },
): Promise<number> {
  const services = await new HostsRepository(database).services();
  const last = Math.max(0, ...services.map((s) => s.lastSeenAt ?? 0));
  if (!force && now - last < ALIVE_MS)
    throw conflict(
      `a service reported ${duration(now - last)} ago: stop every process first (or --force, where the backup is that young)`,
      { code: 'doctor.alive' },
    );
  return database.transaction(async (tx) => {
    await tx.execute("UPDATE tasks SET lease_owner = NULL, lease_until = NULL WHERE status IN ('open', 'superseded')");
    // who reconciles, and what was seen out of place: of former conductors too
    for (const table of ['duties', 'sightings']) await tx.execute(`DELETE FROM ${table}`);
    // in this order: MySQL lets a later assignment see an earlier one
    const due = `UPDATE tasks SET expires_at = expires_at + ? - updated_at, updated_at = ?, step_at = ?, ready_at = ?,
      waiting = 0, awaits_host = NULL, sent_by = NULL WHERE status = 'open'`;
    await tx.execute(due, [now, now, now, now]);
    return (await tx.execute('UPDATE servers SET fence = fence + ?', [FENCES_RAISED_BY])).affected;
  });
}

export const afterRestoreOfPlacement = (database: Database): Promise<void> => renewEpoch(database);
