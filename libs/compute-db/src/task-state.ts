/** What the task engine itself keeps in a task's state, under `$`; and `hosts` and `left`, which every task may have. */
import type { OperationFinished } from '@fractus/rpc-contracts';
import type { JsonObject, TaskRecord } from './task-record';

/** Why a step failed. The message is for the server's owner; details are for operators. */
export interface TaskFailure {
  readonly code: string;
  readonly message: string;
  readonly details?: string;
  readonly host?: string;
}

/** What made a step pause: it passes, or the step fails in the end. */
export interface TaskTrouble {
  readonly code: string;
  readonly message: string;
  /** Epoch ms of the last and of the first time in a row. */
  readonly at: number;
  readonly since: number;
}

/** An agent's answer to what a step had asked for. */
export type Answer = Pick<OperationFinished, 'outcome' | 'powerState' | 'error' | 'replayed' | 'at'>;

export interface EngineState {
  /** Repetitions of the current step for passing troubles. */
  readonly retries?: number;
  readonly trouble?: TaskTrouble;
  /** How often in a row nobody served the host that the step would speak to. */
  readonly unreached?: number;
  /** The host whose answer is awaited. */
  readonly host?: string;
  /** Highest fence sent to an agent. */
  readonly sentFence?: number;
  readonly answer?: Answer;
  /** The host that answered last, and when its operation ended by its own clock: what a guest did there before is stale. */
  readonly answered?: { readonly host: string; readonly at: number };
  /** Why the task is being undone. */
  readonly failure?: TaskFailure;
}

export function engineState(task: Pick<TaskRecord, 'state'>): EngineState {
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
