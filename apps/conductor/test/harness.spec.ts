/**
 * The harnesses (D3), over every task of the registry: repeat every step, kill after every step, fail every step,
 * delete at every step; with one conductor and with two that take turns, of which one may stand still past its lease
 * without noticing. The cases are computed: a task or a step that is added is covered by being there.
 */
import { eachDatabase } from '@fractus/database/testing';
import { actionRow, applyChange } from '@fractus/server-lifecycle';
import type { Outcome, Step, StepContext, StepWork, TaskDefinition } from '../src/engine/task-definition';
import { Killed } from '../src/engine/task-runner';
import { TASKS } from '../src/tasks';
import { probePoints, SCENARIOS, type Scenario } from './scenarios';
import { LEASE_MS, type Conductor, World } from './world/world';

const run = async (world: World, scenario: Scenario): Promise<string> => {
  const ready = await scenario.prepare(world);
  const id = await scenario.ask(world, ready);
  await world.settle();
  return id;
};

/** The states that a task which succeeds leaves, whatever happened on the way. */
async function expectDone(world: World, { action }: Scenario, id: string): Promise<void> {
  const server = await world.get(id);
  const { done } = actionRow(action);
  expect({ vmState: server.vmState, taskState: server.taskState }).toEqual(applyChange(done, server));
  await world.check();
}

const withWorks = (
  change: (work: StepWork, step: Step, type: string, undo: boolean) => StepWork,
): readonly TaskDefinition[] =>
  TASKS.map((task) => ({
    ...task,
    steps: task.steps.map((step) => ({
      ...step,
      do: change(step.do, step, task.type, false),
      undo: step.undo === null ? null : change(step.undo, step, task.type, true),
    })),
  }));

/** Runs it, and sends what it sends, twice. */
const twice = (work: StepWork): StepWork => ({
  ...work,
  run: async (x) => {
    await work.run(x);
    const outcome = await work.run(x);
    return outcome.kind === 'wait'
      ? { ...outcome, send: async (op, ctx) => void (await outcome.send(op, ctx), await outcome.send(op, ctx)) }
      : outcome;
  },
  ...(work.answered
    ? {
        answered: async (x, answer) =>
          (await work.answered?.(x, answer), work.answered?.(x, answer)) as Promise<Outcome>,
      }
    : {}),
});

const refused: Outcome = { kind: 'fail', failure: { code: 'harness', message: 'the harness says no' } };
/** Fails instead of the step, or after it has had its effect. */
const failing = (work: StepWork, when: 'instead' | 'after'): StepWork => ({
  ...work,
  run: async (x: StepContext) => {
    if (when === 'instead') return refused;
    const outcome = await work.run(x);
    return outcome.kind === 'wait' ? outcome : refused;
  },
  ...(work.answered ? { answered: async () => refused } : {}),
});

jest.setTimeout(120_000);

eachDatabase(
  'the harnesses',
  (_open, dialect) => {
    let world: World;
    afterEach(() => world.end());

    /** Every task with two conductors; alone, one task of each shape: the power actions differ in a word. */
    const shapeOf = (type: string): string =>
      TASKS.find((t) => t.type === type)
        ?.steps.map((s) => s.name)
        .join() ?? '';
    const shapes = new Map([...SCENARIOS].reverse().map((scenario) => [shapeOf(scenario.type), scenario]));
    const CREWS = [
      ...SCENARIOS.map((scenario) => ({ conductors: 2, scenario })),
      ...[...shapes.values()].map((scenario) => ({ conductors: 1, scenario })),
    ];
    describe.each(CREWS)('$scenario.type with $conductors conductor(s)', ({ conductors, scenario }) => {
      it('bears every step and every message twice', async () => {
        world = await World.make({ dialect, conductors, tasks: withWorks(twice) });
        const id = await run(world, scenario);
        await expectDone(world, scenario, id);
      });

      it('bears the death of conductor at every point of its run', async () => {
        world = await World.make({ dialect, conductors });
        await eachPoint(scenario, {
          at: (_id, by) => world.die(by),
          then: (id) => expectDone(world, scenario, id),
        });
      });

      it('bears the death of conductor for good: another one takes over when the lease has run out', async () => {
        world = await World.make({ dialect, conductors });
        let n = 0;
        await eachPoint(scenario, {
          at: (_id, by) => {
            world.bury(by);
            throw new Killed();
          },
          rest: async () => void (await world.birth(`heir-${n++}`)),
          then: (id) => expectDone(world, scenario, id),
        });
      });

      it('bears a delete at every point of its run', async () => {
        world = await World.make({ dialect, conductors });
        await eachPoint(scenario, {
          at: (serverId) => world.act(serverId, 'delete'),
          then: (id) => expectNothingLeft(world, id),
        });
      });

      it('bears a delete that others drive while its run is held up at every point', async () => {
        world = await World.make({ dialect, conductors });
        await eachPoint(scenario, {
          at: async (serverId) => {
            world.probe = () => undefined;
            await world.act(serverId, 'delete', { hint: false });
            await world.runOpenTask(serverId);
          },
          then: (id) => expectNothingLeft(world, id),
        });
      });

      it('bears being held up past its lease at every point while others finish its work', async () => {
        world = await World.make({ dialect, conductors });
        await eachPoint(scenario, {
          at: async (serverId) => {
            world.probe = () => undefined;
            world.now += 31_000;
            await world.runOpenTask(serverId);
          },
          then: (id) => expectDone(world, scenario, id),
        });
      });

      it('bears a delete and the death of conductor at every point of its run', async () => {
        world = await World.make({ dialect, conductors });
        await eachPoint(scenario, {
          at: async (serverId, by) => {
            await world.act(serverId, 'delete');
            world.die(by);
          },
          then: (id) => expectNothingLeft(world, id),
        });
      });
    });

    describe.each(SCENARIOS)('$type', (scenario) => {
      it('bears a conductor that goes on under a lost lease at every point: it writes nothing, its messages are refused', async () => {
        world = await World.make({ dialect, conductors: 2 });
        let refusals = 0;
        let asleep: Conductor | undefined;
        let before: string[] = [];
        let said = 0;
        await eachPoint(scenario, {
          at: async (serverId, by) => {
            world.probe = () => undefined;
            // its clock stands still: it believes to hold its lease; the other one takes the task up and ends it
            by.frozenAt = world.now;
            world.sideline(by);
            world.now += LEASE_MS;
            await world.runByOthers(serverId);
            asleep = by;
            before = await world.books();
            said = world.agents.answers.length;
          },
          then: async (id) => {
            const late = world.agents.answers.slice(said);
            expect(late.map((answer) => answer.error?.code)).toEqual(late.map(() => 'fence.stale'));
            refusals += late.length;
            const after = await world.books();
            expect(after.filter((line) => !before.includes(line))).toEqual([]);
            expect(after.length).toBe(before.length);
            if (asleep) await world.wakeUp(asleep);
            await expectDone(world, scenario, id);
          },
        });
        expect(refusals).toBeGreaterThan(0);
      });

      it('bears one that goes on under a lost lease at every point while the other is at the same task', async () => {
        world = await World.make({ dialect, conductors: 2 });
        const hosts = world.hosts.map(({ host }) => host);
        let refusals = 0;
        await eachPoint(scenario, {
          at: async (serverId, by, lostFence) => {
            world.probe = () => undefined;
            by.frozenAt = world.now;
            world.sideline(by);
            world.now += LEASE_MS;
            for (const host of hosts) world.agents.behaviour.set(host, 'late');
            await world.runOpenTask(serverId);
            await world.othersIdle();
            const before = await world.books();
            const said = world.agents.answers.length;
            // when it has come to its end, and before anybody else goes on
            world.held = (async () => {
              await by.parts.engine.idle();
              expect((await world.books()).filter((line) => !before.includes(line))).toEqual([]);
              await world.wakeUp(by);
              for (const host of hosts) world.agents.wake(host);
              const ofTheLost = world.agents.answers.slice(said).filter((a) => a.operation.fence <= lostFence);
              expect(ofTheLost.map((a) => a.error?.code)).toEqual(ofTheLost.map(() => 'fence.stale'));
              refusals += ofTheLost.length;
            })();
          },
          then: (id) => expectDone(world, scenario, id),
        });
        expect(refusals).toBeGreaterThan(0);
      });
    });

    interface Blow {
      /** What happens at the point. */
      readonly at: (serverId: string, by: Conductor, fence: number) => void | Promise<void>;
      /** After the run has been hit, before the world settles. */
      readonly rest?: () => Promise<void>;
      readonly then: (serverId: string) => Promise<void>;
    }

    /** Runs the scenario once for each point that an undisturbed run passes, and strikes there. */
    async function eachPoint(scenario: Scenario, { at, rest, then }: Blow): Promise<void> {
      const points = await probePoints(world, scenario);
      expect(points.length).toBeGreaterThan(4);
      for (const [n, point] of points.entries()) {
        const ready = await scenario.prepare(world);
        let left = n;
        world.probe = async (_point, task, by) => {
          if (left-- === 0) await at(task.serverId, by, task.fence);
        };
        const id = await scenario.ask(world, ready);
        await world.idle();
        await rest?.();
        await world.settle();
        expect(left).toBeLessThan(0);
        world.probe = () => undefined;
        await then(id).catch((e: unknown) => Promise.reject(new Error(`struck at ${n} (${point}): ${String(e)}`)));
      }
    }

    const FAILURES = TASKS.flatMap(({ type, steps }) =>
      steps.flatMap(({ name }) =>
        (['instead', 'after'] as const).map((when) => ({
          type,
          name,
          when,
          scenario: SCENARIOS.find((s) => s.type === type) as Scenario,
        })),
      ),
    );

    it.each(FAILURES)(
      '$type fails in $name ($when of it) and leaves nothing behind',
      async ({ type, name, when, scenario }) => {
        let armed = false;
        const arm = (work: StepWork, step: Step, of: string, undo: boolean): StepWork => {
          if (of !== type || step.name !== name || undo) return work;
          const broken = failing(work, when);
          const pick = (): StepWork => (armed ? broken : work);
          return {
            ...work,
            run: (x) => pick().run(x),
            ...(work.answered ? { answered: (x, answer) => pick().answered?.(x, answer) as Promise<Outcome> } : {}),
          };
        };
        world = await World.make({ dialect, tasks: withWorks(arm) });
        const ready = await scenario.prepare(world);
        const before = ready === null ? null : await world.get(ready);
        armed = true;
        const id = await scenario.ask(world, ready);
        await world.settle();
        armed = false;
        const server = await world.get(id);
        const { failed } = actionRow(scenario.action);
        expect({ vmState: server.vmState, taskState: server.taskState }).toEqual(applyChange(failed, before ?? server));
        expect((await world.servers.latestFaults([id])).get(id)?.message).toBe('the harness says no');
        if (scenario.action === 'create') await world.check();
        await world.act(id, 'delete');
        await world.settle();
        await expectNothingLeft(world, id);
      },
    );
  },
  { long: true },
);

async function expectNothingLeft(w: World, id: string): Promise<void> {
  expect((await w.get(id)).deleted).toBe(true);
  expect(w.agents.hostsOf(id)).toEqual([]);
  expect(w.placement.consumers.has(id)).toBe(false);
  expect(await w.ports.listByDevice(undefined, id)).toEqual([]);
  await w.check();
  const live = await w.servers.list({ limit: 1000 });
  expect((await w.quota.usage('p1')).instances).toBe(live.length);
}
