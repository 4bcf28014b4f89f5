/**
 * Clocks of agents, as far as the ended tasks tell: an answer bears the instant at which the operation ended by the
 * agent's clock, which lies between the task's beginning and its end by conductor's. What lies outside is a clock that
 * is off by at least that much. An agent whose clock is ahead refuses calls as late; one behind works for callers that
 * have long gone.
 */
import type { Database } from '@fractus/database';
import { count, duration } from '@fractus/operator';
import type { Check, Finding } from './check';

const RECENT = 500;
const TOLERATED_MS = 5_000;

export const clocksCheck: Check = {
  name: 'clocks',
  async run(patient) {
    const answers = await answersOf(await patient.compute());
    const hosts = new Map<string, number>();
    for (const { host, at, begun, ended } of answers) {
      const off = at > ended ? at - ended : at < begun ? at - begun : 0;
      // newest first: an older answer tells of a clock that was off then
      if (!hosts.has(host)) hosts.set(host, off);
    }
    const findings = [...hosts]
      .filter(([, off]) => Math.abs(off) > TOLERATED_MS)
      .map(([host, off]): Finding => {
        const text = `the clock of host ${host} was ${duration(Math.abs(off))} or more ${off > 0 ? 'ahead' : 'behind'} at its last answer`;
        return { text, hint: 'see to its time synchronisation (chrony, ntpd)' };
      });
    return {
      looked: `${count(hosts.size, 'host')} answered lately, none more than ${TOLERATED_MS / 1000} s off as far as that shows`,
      findings,
    };
  },
};

interface Answered {
  readonly host: string;
  readonly at: number;
  readonly begun: number;
  readonly ended: number;
}

async function answersOf(database: Database): Promise<Answered[]> {
  const rows = await database.query<{ state: string; created_at: number; finished_at: number }>(
    "SELECT state, created_at, finished_at FROM tasks WHERE status <> 'open' AND finished_at IS NOT NULL ORDER BY finished_at DESC LIMIT ?",
    [RECENT],
  );
  return rows.flatMap(({ state, created_at: begun, finished_at: ended }) => {
    const { $: engine } = JSON.parse(state) as { $?: { answered?: { host?: string; at?: number } } };
    const { host, at } = engine?.answered ?? {};
    return host === undefined || at === undefined ? [] : [{ host, at, begun: Number(begun), ended: Number(ended) }];
  });
}
