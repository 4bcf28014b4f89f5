/** Rows of tasks that ended `keepTasksSeconds` ago. */
import type { ConductorParts } from '../parts';
import type { Reconciler } from './index';

export function endedTasks({ tools, options }: ConductorParts): Reconciler {
  return {
    name: 'ended-tasks',
    run: () => tools.tasks.purge(tools.clock() - options.config.keepTasksSeconds * 1000),
  };
}
