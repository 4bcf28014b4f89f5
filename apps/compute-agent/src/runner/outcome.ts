import { isFractusError } from '@fractus/objects';
import type { OperationError } from '@fractus/rpc-contracts';
import { isDriverError } from '@fractus/virt';
import { SUPERSEDED, type Result } from '../journal/journal';

export const failed = (code: string, message: string, retryElsewhere = false): Result => ({
  outcome: 'failed',
  error: { code, message, retryElsewhere },
});

export const stale = (highest: number): Result =>
  failed('fence.stale', `A later lease of this server is in force here (fence ${highest}).`);

export const superseded = (): Result => failed(SUPERSEDED, 'A later operation on the same server called this one off.');

/** What conductor is told of something thrown. An error that no driver means to throw shows its class, never its text. */
export function errorOf(e: unknown, builds: boolean): OperationError {
  if (isDriverError(e)) return { code: e.code, message: e.message, retryElsewhere: e.retryElsewhere };
  if (isFractusError(e)) return { code: e.code, message: e.message, retryElsewhere: builds };
  const name = e instanceof Error ? e.name : typeof e;
  return { code: 'driver.fault', message: `The driver failed unexpectedly (${name}).`, retryElsewhere: builds };
}
