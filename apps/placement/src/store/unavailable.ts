import { unavailable } from '@fractus/objects';

/** Codes of drivers for a database that cannot be reached, as against a statement that it refuses. */
const LOST = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'PROTOCOL_CONNECTION_LOST',
  'ER_CON_COUNT_ERROR',
  'ER_SERVER_SHUTDOWN',
  'SQLITE_IOERR',
  'SQLITE_FULL',
  'SQLITE_CANTOPEN',
]);

/** Rethrows; what says that the database is gone becomes 503, since nothing was decided. */
export function rethrowUnavailable(e: unknown): never {
  const { code, driverError } = (typeof e === 'object' && e !== null ? e : {}) as {
    code?: unknown;
    driverError?: { code?: unknown };
  };
  const found = [code, driverError?.code].find((c) => typeof c === 'string' && LOST.has(c));
  if (found === undefined) throw e;
  throw unavailable('The placement database cannot be reached.', {
    code: 'database.unavailable',
    cause: e,
    retryAfter: 1,
  });
}
