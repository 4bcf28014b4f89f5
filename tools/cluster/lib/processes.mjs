// Processes that outlive the command that started them, known by id and start time so that no later process of the same
// number is ever taken for one of ours.
import { spawn } from 'node:child_process';
import { openSync, closeSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** When the process started, in the system's own ticks; null when there is none, or it is dead and not yet reaped. */
function startedAt(pid) {
  try {
    // the name in brackets may hold anything: count from behind it
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\)\s/s, '')
      .split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : fields[19];
  } catch {
    return null;
  }
}

/** Starts a detached process whose output is appended to a file. */
export function launch({ command, args, env, log, cwd }) {
  const out = openSync(log, 'a');
  const child = spawn(command, args, { env, cwd, detached: true, stdio: ['ignore', out, out] });
  closeSync(out);
  child.once('error', () => undefined); // told by its pid being undefined
  child.unref();
  if (child.pid === undefined) throw new Error(`cannot start ${command}`);
  return { pid: child.pid, startedAt: startedAt(child.pid) };
}

export const isAlive = (known) =>
  known?.pid !== undefined && known.startedAt !== null && startedAt(known.pid) === known.startedAt;

/** Sends the signal, and waits until the process is gone; false when it is still there after `ms`. */
export async function end(known, signal, ms) {
  if (!isAlive(known)) return true;
  process.kill(known.pid, signal);
  for (const until = Date.now() + ms; isAlive(known); await sleep(20)) if (Date.now() > until) return false;
  return true;
}
