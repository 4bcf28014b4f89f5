/** Tasks that nobody takes up, or that have been at one attempt of one step for long. */
import { TaskOperations, type TaskSummary } from '@fractus/compute-db';
import { count } from '@fractus/operator';
import type { Check, Finding } from './check';

/** More are counted, not told. */
const TOLD = 10;
const MOST = 1000;

export const tasksCheck: Check = {
  name: 'tasks',
  async run(patient) {
    const operations = new TaskOperations(await patient.compute(), { clock: patient.clock });
    const [open, stuck] = await Promise.all([
      operations.list({ filter: 'open', limit: MOST }),
      operations.list({ filter: 'stuck', limit: MOST }),
    ]);
    return {
      looked: `${open.length === MOST ? `${MOST} or more are` : open.length === 1 ? '1 is' : `${open.length} are`} open, none is stuck`,
      findings: findingsOf(stuck),
    };
  },
};

function findingsOf(stuck: readonly TaskSummary[]): Finding[] {
  const told = stuck.slice(-TOLD).map((t): Finding => ({ text: `${t.type} ${t.id}: ${t.stuck}` }));
  const more = stuck.length - told.length;
  if (more > 0) told.push({ text: `${count(more, 'more task')} ${more === 1 ? 'is' : 'are'} stuck` });
  const last = told.pop();
  return last
    ? [...told, { ...last, hint: 'npm run tasks -- list --state stuck; show ID says what each waits for' }]
    : [];
}
