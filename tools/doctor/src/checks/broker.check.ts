/** Can the broker be reached, and does it hold messages that nobody could handle. */
import { isFractusError } from '@fractus/objects';
import { count, duration } from '@fractus/operator';
import type { DeadLetter } from '@fractus/rpc';
import { type Check, NotHere } from './check';

export const brokerCheck: Check = {
  name: 'broker',
  async run(patient) {
    if (patient.places.kind === 'embedded') throw new NotHere('one process needs none');
    if (!patient.places.rpc) throw new NotHere('not known (--rpc or FRACTUS_RPC_URLS)');
    let letters: DeadLetter[];
    try {
      letters = await (await patient.broker()).deadLetters.list();
    } catch (e) {
      if (!isFractusError(e, 'unavailable', 'timeout')) throw e;
      return { looked: '', findings: [{ text: e.message }] };
    }
    const kinds = new Map<string, { count: number; oldest: number; reason: string }>();
    for (const { pattern, deadAt, reason } of letters) {
      const kind = kinds.get(pattern) ?? { count: 0, oldest: deadAt, reason };
      kinds.set(pattern, { ...kind, count: kind.count + 1, oldest: Math.min(kind.oldest, deadAt) });
    }
    const hint = 'npm run tasks -- dead-letters: retry them when their cause is mended, or drop them';
    const findings = [...kinds].map(([pattern, kind], i) => ({
      text: `${count(kind.count, 'dead letter')} of ${pattern}, the oldest ${duration(patient.clock() - kind.oldest)} old: ${kind.reason.split('\n')[0]}`,
      ...(i === kinds.size - 1 ? { hint } : {}),
    }));
    return { looked: 'reachable, no dead letters', findings };
  },
};
