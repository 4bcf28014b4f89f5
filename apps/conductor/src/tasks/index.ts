import type { TaskDefinition } from '../engine/task-definition';
import { buildServer } from './build-server.task';
import { deleteServer } from './delete-server.task';
import { powerTasks } from './power-server.task';

/** Every task there is. The harnesses take their cases from here. */
export const TASKS: readonly TaskDefinition[] = [buildServer, deleteServer, ...powerTasks];
