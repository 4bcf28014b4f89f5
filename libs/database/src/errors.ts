/**
 * What an error of a driver means for the unit of work. The drivers' codes are known here and nowhere else.
 *
 * - transient: the database undid the work because of others (deadlock, lock time-out, busy): run it again.
 * - lost: the database cannot be reached, or hung up; an open transaction is undone by it. Run it again on another
 *   connection for a while, then say `unavailable`. Only a COMMIT is different: it may have been done.
 * - anything else: the statement was refused; the caller's affair.
 */
import { unavailable, type FractusError } from '@fractus/objects';

const TRANSIENT = new Set([
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_CHECKREAD',
  'SQLITE_BUSY',
  'SQLITE_BUSY_SNAPSHOT',
  'SQLITE_LOCKED',
]);

const LOST = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT', // the socket of a server that is down
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'POOL_CLOSED',
  'ER_CON_COUNT_ERROR',
  'ER_USER_LIMIT_REACHED',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'ER_SERVER_SHUTDOWN',
  'ER_NORMAL_SHUTDOWN',
  'ER_CONNECTION_KILLED',
  'ER_QUERY_INTERRUPTED',
  'ER_OPTION_PREVENTS_STATEMENT', // read only: a replica, or a fail-over under way
  'ER_READ_ONLY_MODE',
  'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
  'ER_UNKNOWN_COM_ERROR', // Galera: the node is not ready
  'ER_LOCK_ABORTED',
  'ER_DISK_FULL',
  'ER_RECORD_FILE_FULL',
  'SQLITE_IOERR',
  'SQLITE_FULL',
  'SQLITE_CANTOPEN',
]);

/** Words of a server that has not begun with what it was asked for. */
const UNTOUCHED = new Set([
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_READ_ONLY_MODE',
  'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
  'ER_UNKNOWN_COM_ERROR',
]);

/** The driver's own code of an error, also where TypeORM has wrapped it. */
export function driverCode(e: unknown): string | undefined {
  if (typeof e !== 'object' || e === null) return undefined;
  const { code, driverError } = e as { code?: unknown; driverError?: { code?: unknown } };
  if (typeof driverError?.code === 'string') return driverError.code;
  return typeof code === 'string' ? code : undefined;
}

/** Deadlock, lock time-out, record changed since last read, busy: running the block again may succeed. */
export function isTransient(e: unknown): boolean {
  const code = driverCode(e);
  return code !== undefined && TRANSIENT.has(code);
}

/** The database cannot be reached, is going down, or the connection is no more. */
export function isLost(e: unknown): boolean {
  const code = driverCode(e);
  if (code !== undefined && (LOST.has(code) || /^SQLITE_(IOERR|READONLY)_/.test(code))) return true;
  // the driver's word for a connection on which nothing can be said any more
  return typeof e === 'object' && e !== null && (e as { fatal?: unknown }).fatal === true;
}

/** Of what counts as lost: the statement is certainly not done. */
export function isUntouched(e: unknown): boolean {
  const code = driverCode(e);
  return code !== undefined && UNTOUCHED.has(code);
}

/** Whether the write failed because a unique key already exists. */
export function isDuplicateKey(e: unknown): boolean {
  const code = driverCode(e);
  return code === 'ER_DUP_ENTRY' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}

/** Nothing was written, and trying again soon is worth while. */
export const databaseUnavailable = (cause: unknown): FractusError =>
  unavailable('The database cannot be reached or takes no writes.', {
    code: 'database.unavailable',
    cause,
    retryAfter: 1,
  });

/** Others were in the way for as long as was waited; nothing was written. */
export const databaseContention = (cause: unknown): FractusError =>
  unavailable('The database is too busy with conflicting work.', {
    code: 'database.contention',
    cause,
    retryAfter: 1,
  });

/** No connection came free in time; nothing was written. */
export const poolExhausted = (waitedMs: number): FractusError =>
  unavailable('The database is busy: no connection came free in time.', {
    code: 'database.pool_exhausted',
    details: { waitedMs },
    retryAfter: 1,
  });

/** The connection was lost while the commit was under way: the work is either done as a whole, or not at all. */
export const commitUnknown = (cause: unknown): FractusError =>
  unavailable('The database was lost during a commit; whether the work was done is not known.', {
    code: 'database.commit_unknown',
    cause,
    retryAfter: 1,
  });
