import { type FractusError, isFractusError } from '@fractus/objects';
import type { Logger } from '@fractus/telemetry';

export interface Patience {
  readonly logger: Logger;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** Told what is waited for and why, and when it is over. */
  waiting(part: string, why: string | undefined): void;
  /** Milliseconds between tries. */
  readonly pauseMs?: number;
}

/**
 * Does `open` until it succeeds, for as long as what it needs cannot be reached: a broker or database that starts later
 * than we do, or is being restarted, is no reason to end. Every other failure (a wrong password, a schema that is
 * behind) is thrown at once.
 */
export async function untilReachable<T>(part: string, open: () => Promise<T>, patience: Patience): Promise<T> {
  const { logger, signal, waiting, pauseMs = 500 } = patience;
  for (let tries = 0; ; tries++) {
    try {
      const opened = await open();
      waiting(part, undefined);
      return opened;
    } catch (e) {
      if (signal.aborted || !isUnreachable(e)) throw e;
      const why = (e as Error).message;
      waiting(part, why);
      if (tries % 20 === 0) logger.warn({ part, why }, 'waiting for what cannot be reached yet');
      await pause(pauseMs * (0.75 + Math.random() / 2), signal);
    }
  }
}

/** Codes of the operating system and of databases for: nobody is there, or not yet. */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
  'ENOENT',
  'PROTOCOL_CONNECTION_LOST',
  'ER_SERVER_SHUTDOWN',
  'ER_CON_COUNT_ERROR',
]);

function isUnreachable(e: unknown): boolean {
  if (isFractusError(e)) return (e.kind === 'unavailable' && !isRefusal(e)) || e.kind === 'timeout';
  const { code, errors } = (e ?? {}) as { code?: unknown; errors?: unknown };
  if (typeof code === 'string' && UNREACHABLE.has(code)) return true;
  return Array.isArray(errors) && errors.length > 0 && errors.every(isUnreachable);
}

/** It was reached, and what is wrong does not pass: no migration was run, the password or a certificate is not taken. */
function isRefusal({ code, details }: FractusError): boolean {
  const { refusal } = details ?? {};
  return code === 'database.not_migrated' || (code === 'rpc.setup' && (refusal === 403 || typeof refusal === 'string'));
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
