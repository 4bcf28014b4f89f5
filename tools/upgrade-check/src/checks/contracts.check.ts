import {
  count,
  failure,
  type Outcome,
  type ProcessPlace,
  success,
  together,
  type UpgradeCheck,
  warning,
} from '@fractus/operator';
import { isFractusError } from '@fractus/objects';
import { contractFingerprints } from '@fractus/rpc-contracts';
import { type Cloud, read } from '../cloud';

const MOST_TOLD = 5;

/**
 * Which RPC contracts the processes that run now have, as each tells at its admin listener. Two neighbouring releases
 * work side by side, in the order of the upgrade; so another contract is a warning, and a process that cannot be asked
 * a failure.
 */
export const contractsCheck: UpgradeCheck<Cloud> = {
  name: 'RPC Contracts In Use',
  async run({ places: { processes, kind } }) {
    if (processes.length > 0) return together(await Promise.all(processes.map(contractsOf)));
    return kind === 'embedded'
      ? success('one process: it has no contracts with others')
      : warning('no admin listeners are known: FRACTUS_OPERATOR_ADMIN_URLS=conductor-1=http://host:port,…');
  },
};

async function contractsOf({ name, admin }: ProcessPlace): Promise<Outcome> {
  let told: unknown;
  try {
    told = await read(`${admin}/contracts`);
  } catch (e) {
    if (isFractusError(e, 'not_found')) return warning(`${name} tells no contracts: it is of an earlier release`);
    if (isFractusError(e)) return failure(`${name} does not answer at ${admin}: ${e.message}`);
    throw e;
  }
  return compare(name, told as Readonly<Record<string, string>>, contractFingerprints());
}

type Fingerprints = Readonly<Record<string, string>>;

/** What differs between a process's contracts and this release's, in one sentence. */
export function compare(name: string, theirs: Fingerprints, ours: Fingerprints): Outcome {
  const changed = Object.keys(theirs).filter((m) => m in ours && ours[m] !== theirs[m]);
  const missing = Object.keys(ours).filter((m) => !(m in theirs));
  const unknown = Object.keys(theirs).filter((m) => !(m in ours));
  const parts = [
    ...told('differs in', changed),
    ...told('does not have', missing),
    ...told('has, unlike this release,', unknown),
  ];
  return parts.length === 0
    ? success()
    : warning(`${name} has the contracts of another release: it ${parts.join('; ')}`);
}

function told(what: string, methods: readonly string[]): string[] {
  if (methods.length === 0) return [];
  const more = methods.length - MOST_TOLD;
  return [`${what} ${methods.slice(0, MOST_TOLD).join(', ')}${more > 0 ? ` and ${count(more, 'more method')}` : ''}`];
}
