/** What each process says of itself on its admin listener. */
import { sentenceOf } from '@fractus/operator';
import { type Check, type Finding, NotHere } from './check';

const WAIT_MS = 5_000;

export const processesCheck: Check = {
  name: 'processes',
  async run({ places }) {
    if (places.processes.length === 0)
      throw new NotHere('no admin listeners are known (FRACTUS_OPERATOR_ADMIN_URLS=conductor-1=http://…,…)');
    const findings = await Promise.all(places.processes.map(({ name, admin }) => look(name, admin)));
    return {
      looked: `${places.processes.length} ${places.processes.length === 1 ? 'is' : 'are'} ready`,
      findings: findings.flat(),
    };
  },
};

interface Readiness {
  readonly checks?: readonly { readonly part: string; readonly ok: boolean; readonly why?: string }[];
}

async function look(name: string, admin: string): Promise<Finding[]> {
  try {
    const answer = await fetch(`${admin}/readyz`, { signal: AbortSignal.timeout(WAIT_MS) });
    if (answer.ok) return [];
    const { checks = [] } = (await answer.json()) as Readiness;
    const reasons = checks.filter((c) => !c.ok).map((c) => `${c.part}: ${c.why ?? 'no reason given'}`);
    return [{ text: `${name} is not ready (${reasons.join('; ') || `status ${answer.status}`})` }];
  } catch (e) {
    const cause = (e as Error).cause ?? e;
    return [{ text: `${name} does not answer at ${admin}: ${sentenceOf(cause)}` }];
  }
}
