/** Sends what the generator makes, each over a connection of its own, and tells what came back. */
import { connect } from 'node:net';
import * as fc from 'fast-check';
import { connection } from './requests';

/** A connection that is neither answered nor closed by then hangs. Generous: it says nothing about speed. */
const PATIENCE_MS = 30_000;
const AT_ONCE = 16;
const BATCH = 500;

export interface Tally {
  sent: number;
  /** How often each status came. */
  statuses: Map<number, number>;
  /** Connections that were closed without an answer. */
  closed: number;
  /** What was wrong, with the bytes that showed it. */
  faults: string[];
}

export const newTally = (): Tally => ({ sent: 0, statuses: new Map(), closed: 0, faults: [] });

/** Sends `count` more; the same seed makes the same bytes. */
export async function drive(
  url: string,
  { count, seed }: { count: number; seed: number },
  tally: Tally,
): Promise<void> {
  for (let made = 0; made < count; made += BATCH) {
    const numRuns = Math.min(BATCH, count - made);
    const batch = fc.sample(connection, { numRuns, seed: seed + made });
    const left = batch.values();
    const worker = async (): Promise<void> => {
      for (const bytes of left) note(tally, bytes, await exchange(url, bytes));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }
}

interface Outcome {
  readonly text: string;
  readonly hung: boolean;
}

function note(tally: Tally, bytes: Buffer, { text, hung }: Outcome): void {
  tally.sent++;
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) [A-Za-z' -]+\r\n/g)].map((m) => Number(m[1]));
  if (statuses.length === 0) tally.closed++;
  for (const status of statuses) tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
  const wrong = hung ? 'neither answered nor closed' : statuses.find((s) => s >= 500);
  if (wrong !== undefined)
    tally.faults.push(`${wrong}: ${JSON.stringify(bytes.toString('latin1').slice(0, 3000))} → ${text.slice(0, 600)}`);
}

function exchange(url: string, bytes: Buffer): Promise<Outcome> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), hostname);
    const patience = setTimeout(() => {
      resolve({ text, hung: true });
      socket.destroy();
    }, PATIENCE_MS);
    socket.on('data', (d) => (text += d.toString('latin1')));
    // the far end may close while bytes are still going out; what it said before that counts
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(patience);
      resolve({ text, hung: false });
    });
    socket.end(bytes);
  });
}
