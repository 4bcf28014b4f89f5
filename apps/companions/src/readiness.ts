import type { Database } from '@fractus/database';
import type { ReadyCheck } from '@fractus/telemetry';

/** A companion is ready while its database answers. */
export async function readiness(db: Database): Promise<ReadyCheck[]> {
  const ok = await db.ping();
  return [{ part: 'database', ok, ...(ok ? {} : { why: 'the database does not answer' }) }];
}
