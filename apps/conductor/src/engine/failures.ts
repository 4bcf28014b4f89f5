import { isFractusError } from '@fractus/objects';
import type { TaskFailure } from './task-definition';

/** Troubles that pass: the step is repeated after a pause. */
export function isPassing(e: unknown): boolean {
  if (isFractusError(e, 'unavailable', 'timeout', 'unroutable')) return true;
  return isFractusError(e, 'conflict') && e.code.endsWith('concurrent_update');
}

/** What the owner may read: our own sentences; of anything unforeseen only its class (upstream CVE-2019-14433). */
export function failureOf(e: unknown, step: string): TaskFailure {
  if (isFractusError(e) && e.kind !== 'internal') return { code: e.code, message: e.message, details: story(e, step) };
  const name = e instanceof Error ? e.constructor.name : 'Error';
  return {
    code: 'internal',
    message: isFractusError(e) ? `Unexpected error (${e.code})` : name,
    details: story(e, step),
  };
}

function story(e: unknown, step: string): string {
  const lines = [`step ${step}: ${e instanceof Error ? (e.stack ?? e.message) : String(e)}`];
  for (let cause = (e as Error)?.cause; cause instanceof Error; cause = cause.cause)
    lines.push(`caused by ${cause.stack ?? cause.message}`);
  return lines.join('\n').slice(0, 8000);
}

const PAUSES_MS = [100, 250, 500, 1000, 2000, 4000, 8000, 15_000];
/** Milliseconds before repetition `n` (from 1). */
export const backoff = (n: number): number => PAUSES_MS[Math.min(n, PAUSES_MS.length) - 1] ?? 100;
