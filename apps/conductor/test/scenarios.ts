/** One scenario per task of the registry: how a server comes to the state in which the task can be asked for. */
import { actionOfTask, actionRow, type ActionKey } from '@fractus/server-lifecycle';
import type { VmState } from '@fractus/objects';
import { TASKS } from '../src/tasks';
import type { World } from './world/world';

export interface Scenario {
  readonly type: string;
  readonly action: ActionKey;
  /** Makes ready; returns the server, or null where the task itself makes it. */
  readonly prepare: (world: World) => Promise<string | null>;
  /** Asks for the task; returns the server. */
  readonly ask: (world: World, serverId: string | null) => Promise<string>;
}

export const SCENARIOS: readonly Scenario[] = TASKS.map(({ type }) => {
  const action = actionOfTask(type);
  if (action === null) throw new Error(`no action leads to ${type}`);
  const { vmStates } = actionRow(action);
  const from: VmState = vmStates === 'any' ? 'active' : (vmStates[0] ?? 'active');
  if (action === 'create')
    return { type, action, prepare: async () => null, ask: async (world) => (await world.create())[0] ?? '' };
  return {
    type,
    action,
    prepare: (world) => world.serverIn(from),
    ask: async (world, id) => {
      await world.act(id ?? '', action);
      return id ?? '';
    },
  };
});

/** Where an undisturbed run of a scenario passes the probe, in order: `spawn written`. */
export async function probePoints(world: World, scenario: Scenario): Promise<string[]> {
  const id = await scenario.prepare(world);
  const points: string[] = [];
  world.probe = (point, task) => void points.push(`${task.step || 'first'} ${point}`);
  await scenario.ask(world, id);
  await world.settle();
  world.probe = () => undefined;
  return points;
}
