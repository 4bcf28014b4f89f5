/** What the engine itself keeps in a task's state, under `$`; and `hosts`, which every task has. */
import type { JsonObject, TaskRecord } from '@fractus/compute-db';
import type { Answer, TaskFailure } from './task-definition';

export interface EngineState {
  /** Repetitions of the current step for passing troubles. */
  readonly retries?: number;
  /** The host whose answer is awaited. */
  readonly host?: string;
  /** Highest fence sent to an agent. */
  readonly sentFence?: number;
  readonly answer?: Answer;
  /** Why the task is being undone. */
  readonly failure?: TaskFailure;
}

export function engineState(task: TaskRecord): EngineState {
  return (task.state['$'] ?? {}) as EngineState;
}

/** The task's state with `change` made to the engine's part; undefined values are dropped. */
export function withEngine(state: object, change: EngineState): JsonObject {
  const before = ((state as JsonObject)['$'] ?? {}) as JsonObject;
  return { ...(state as JsonObject), $: { ...before, ...(change as unknown as JsonObject) } };
}

/** Every host that the task ever sent an operation to: a guest may be there, whether or not an answer came. */
export function hostsNamed(state: object): string[] {
  return ((state as JsonObject)['hosts'] ?? []) as string[];
}

/** Hosts that could not be reached when the server's guests were destroyed. */
export function hostsLeft(state: object): string[] {
  return ((state as JsonObject)['left'] ?? []) as string[];
}
