/**
 * The power actions: one task each, all of one step that has the host's agent do it. States before and after come from
 * the lifecycle table; `POWER` says what the agent is asked for, and the power state when it gives none.
 */
import { conflict, type PowerState, POWER_STATES, type RequestContext } from '@fractus/objects';
import type { Client, OperationRef, computeContract } from '@fractus/rpc-contracts';
import { type ActionKey, actionRow, type TaskType } from '@fractus/server-lifecycle';
import {
  type Answer,
  type Outcome,
  type StepContext,
  type TaskDefinition,
  type TaskSettings,
  defineTask,
} from '../engine/task-definition';

interface PowerRow {
  readonly action: ActionKey;
  readonly power: PowerState;
  readonly event: string;
  readonly ask: (
    agent: Client<typeof computeContract>,
    ctx: RequestContext,
    operation: OperationRef,
    settings: TaskSettings,
  ) => Promise<void>;
}
interface PowerResult {
  readonly powerState?: number;
}

const { running, paused, shutdown, suspended } = POWER_STATES;

const POWER: readonly PowerRow[] = [
  { action: 'start', power: running, event: 'compute_start_instance', ask: (agent, ctx, operation) => agent.start(ctx, { operation }) },
  { action: 'stop', power: shutdown, event: 'compute_stop_instance', ask: (agent, ctx, operation, { shutdownTimeoutSeconds }) => agent.stop(ctx, { operation, shutdownTimeoutSeconds }) },
  { action: 'reboot-soft', power: running, event: 'compute_reboot_instance', ask: (agent, ctx, operation) => agent.reboot(ctx, { operation, type: 'SOFT' }) },
  { action: 'reboot-hard', power: running, event: 'compute_reboot_instance', ask: (agent, ctx, operation) => agent.reboot(ctx, { operation, type: 'HARD' }) },
  { action: 'pause', power: paused, event: 'compute_pause_instance', ask: (agent, ctx, operation) => agent.pause(ctx, { operation }) },
  { action: 'unpause', power: running, event: 'compute_unpause_instance', ask: (agent, ctx, operation) => agent.unpause(ctx, { operation }) },
  { action: 'suspend', power: suspended, event: 'compute_suspend_instance', ask: (agent, ctx, operation) => agent.suspend(ctx, { operation }) },
  { action: 'resume', power: running, event: 'compute_resume_instance', ask: (agent, ctx, operation) => agent.resume(ctx, { operation }) },
]; // prettier-ignore

export const powerTasks: readonly TaskDefinition[] = POWER.map(powerTask);

function powerTask(row: PowerRow): TaskDefinition {
  const { silenceSeconds, task } = actionRow(row.action);
  return defineTask<PowerResult>({
    type: task as TaskType,
    steps: [{ name: 'guest', do: { run: (x) => ask(x, row), answered }, undo: null, silenceSeconds, event: row.event }],
    patch: ({ state }, ended) => {
      if (ended === 'done') return { powerState: (state.powerState ?? row.power) as PowerState };
      return state.powerState === undefined ? {} : { powerState: state.powerState as PowerState };
    },
  });
}

function ask({ server, tools }: StepContext<PowerResult>, row: PowerRow): Outcome<PowerResult> {
  const { host } = server;
  if (host === null) throw conflict(`Instance ${server.id} is not ready`, { code: 'server.host.none' });
  return {
    kind: 'wait',
    host,
    send: (operation, ctx) => row.ask(tools.compute.on(host), ctx, operation, tools.settings),
  };
}

function answered(x: StepContext<PowerResult>, answer: Answer): Outcome<PowerResult> {
  const state = answer.powerState === undefined ? {} : { powerState: answer.powerState };
  if (answer.outcome === 'done') return { kind: 'next', state };
  const { code = 'driver.unknown', message = 'The host gave no reason' } = answer.error ?? {};
  return { kind: 'fail', failure: { code, message, ...(x.server.host ? { host: x.server.host } : {}) } };
}
