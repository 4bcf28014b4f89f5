/** Rows of tasks that ended `keepTasksSeconds` ago. */
import type { ConductorParts } from '../parts';
import type { Reconciler } from './reconciler';

const PAGE = 500;
/** Of a pass: more than a busy minute ends, and no more than a pass should take. */
const MAX_PAGES = 20;

export function endedTasks({ tools, options }: ConductorParts): Reconciler {
  const { keepTasksSeconds } = options.config;
  return {
    name: 'ended-tasks',
    async run() {
      let removed = 0;
      for (let page = 0; page < MAX_PAGES; page++) {
        const gone = await tools.tasks.purge(tools.clock() - keepTasksSeconds * 1000, PAGE);
        removed += gone;
        if (gone < PAGE) break;
      }
      if (removed === 0) return [];
      const finding = `${removed} tasks ended more than ${keepTasksSeconds} s ago.`;
      return [{ subject: 'tasks', finding, acted: true, outcome: 'Their rows are removed.' }];
    },
  };
}
