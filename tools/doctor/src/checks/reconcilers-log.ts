/** What the reconcilers of a cloud in one process have done lately, by its log. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { duration } from '@fractus/operator';
import type { Finding, Seen } from './check';

/** The end of the log that is read; a line is some 200 bytes. */
const TAIL_BYTES = 4_000_000;
/** What is older was put right long ago, or is told again. */
const LATELY_MS = 3_600_000;
/** A failure is told again every minute as long as it lasts; a pass that changes nothing is not. */
const STILL_MS = 180_000;

/** The end of the cloud's log, whole lines; null when it has none. */
export async function logOf(folder: string): Promise<string | null> {
  const file = await open(join(folder, 'logs', 'fractus.log'), 'r').catch(() => null);
  if (!file) return null;
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    const text = buffer.toString('utf8', 0, bytesRead);
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    await file.close();
  }
}

interface Line {
  readonly time?: string;
  readonly msg?: string;
  readonly reconciler?: string;
  /** How much was done. */
  readonly acted?: number;
  readonly err?: { readonly message?: string };
}

/** What was done is told as what was looked at; a reconciler that still fails is a finding. */
export function seenInLog(log: string, now: number): Seen {
  const done = new Map<string, number>();
  const failing = new Map<string, Finding>();
  for (const line of log
    .split('\n')
    .filter((text) => text.includes('"reconciler"'))
    .map(parse)) {
    const age = now - Date.parse(line?.time ?? '');
    if (!line?.reconciler || !(age <= LATELY_MS)) continue;
    if (line.acted === undefined) {
      if (age > STILL_MS) continue;
      const why = line.err?.message ?? 'the log says no reason';
      failing.set(line.reconciler, { text: `${line.reconciler} failed ${duration(age)} ago: ${why}` });
    } else {
      failing.delete(line.reconciler);
      done.set(line.reconciler, (done.get(line.reconciler) ?? 0) + line.acted);
    }
  }
  const told = [...done].map(([name, n]) => `${name} ${n}`).join(', ');
  return {
    looked: `they run by themselves each minute; in the last hour they put right: ${told || 'nothing'} (by the log)`,
    findings: [...failing.values()],
  };
}

function parse(text: string): Line | null {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return null; // cut off in mid-write
  }
}
