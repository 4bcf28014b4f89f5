/**
 * One pass of all reconcilers. In a cloud of processes it is asked of a conductor. A cloud in one process can be asked
 * for nothing from outside; it reconciles every minute by itself, and its log tells what that came to.
 */
import { isFractusError, systemContext } from '@fractus/objects';
import type { ReconcileFinding } from '@fractus/rpc-contracts';
import type { Patient } from '../patient';
import { type Check, type Finding, NotHere, type Seen } from './check';
import { logOf, seenInLog } from './reconcilers-log';

/** More are counted, not told. */
const TOLD = 20;

export const reconcilersCheck: Check = {
  name: 'reconcilers',
  async run(patient) {
    if (patient.places.kind === 'embedded') return ofLog(patient);
    if (!patient.options.reconcile) throw new NotHere('not run (--no-reconcile)');
    const conductor = await patient.conductor();
    try {
      const { findings } = await conductor.runReconcilers(systemContext('req-doctor'), {});
      return { looked: 'one pass was made, nothing was out of place', findings: tell(findings) };
    } catch (e) {
      if (!isFractusError(e, 'unroutable')) throw e;
      return { looked: '', findings: [{ text: 'no conductor is there to be asked', hint: 'start one' }] };
    }
  },
};

function tell(found: readonly ReconcileFinding[]): Finding[] {
  // what nothing was done about comes first: it may need somebody
  const sorted = [...found].sort((a, b) => Number(a.acted) - Number(b.acted));
  const told = sorted.slice(0, TOLD).map(({ reconciler, subject, finding, acted, outcome }): Finding => {
    return { text: `${reconciler}, ${subject}: ${finding} ${acted ? 'Done: ' : ''}${outcome}` };
  });
  const more = sorted.length - told.length;
  return more > 0 ? [...told, { text: `and ${more} more` }] : told;
}

async function ofLog({ places, clock }: Patient): Promise<Seen> {
  const log = places.folder === undefined ? null : await logOf(places.folder);
  if (log === null)
    throw new NotHere('they run by themselves each minute inside the one process; there is no log here');
  return seenInLog(log, clock());
}
