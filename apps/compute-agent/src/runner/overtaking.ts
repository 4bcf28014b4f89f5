import type { Begun } from '../journal/journal';

/**
 * Whether an operation that has just been accepted ends one that was accepted before it.
 *
 * One task drives a server and does one step at a time, so a new operation means that conductor has given the older
 * one up: its lease was lost, or it fell silent. The older one is then called off, or a hung build would keep the
 * destroy that is to undo it waiting for ever. No successors are: a repeat of the same attempt for another host; what
 * goes on on another host, unless both are builds, for a server is built in one place; and, for a destroy, anything
 * that is neither a further attempt of its own task nor of a later lease.
 */
export function overtakes(newer: Begun, older: Begun): boolean {
  const [n, o] = [newer.ref, older.ref];
  if (n.taskId === o.taskId && n.step === o.step && n.attempt === o.attempt) return false;
  if (n.host !== o.host) return newer.operation === 'build' && older.operation === 'build';
  return older.operation !== 'destroy' || n.taskId === o.taskId || n.fence > o.fence;
}
