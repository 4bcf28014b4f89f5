import type { OperationRef } from '@fractus/rpc-contracts';
import type { Begun } from '../journal/journal';

/**
 * Whether an operation that has just been accepted ends one that was accepted before it.
 *
 * One task drives a server and does one step at a time, so a new operation means that conductor has given the older
 * one up: its lease was lost, or it fell silent. The older one is then called off, or a hung build would keep the
 * destroy that is to undo it waiting for ever. Two cases are no successors: the same attempt of the same step sent to
 * another host, and a destroy on another host, for one step may destroy in several places.
 */
export function overtakes(newer: OperationRef, older: Begun): boolean {
  const { ref } = older;
  if (newer.taskId === ref.taskId && newer.step === ref.step && newer.attempt === ref.attempt) return false;
  return older.operation !== 'destroy' || newer.host === ref.host;
}
