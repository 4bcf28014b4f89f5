import fc from 'fast-check';
import { Dispatcher, type Job } from './dispatcher';
import { Fifo } from './fifo';
import { Gate } from './testing/fixture';

interface Plan {
  readonly pool: 'call' | 'cast';
  readonly key?: string;
  readonly host?: string;
}

/** Runs a plan, finishing handlers in an order of chance, and looks at the bounds after each step. */
async function run(
  plans: readonly Plan[],
  limits: { cast: number; call: number; perHost: number },
  picks: readonly number[],
) {
  const dispatcher = new Dispatcher(limits);
  const running = new Map<number, Gate>();
  const started: number[] = [];
  const broken: string[] = [];
  const countBy = (of: (p: Plan) => string | undefined, value: string | undefined) =>
    [...running.keys()].filter((i) => of(plans[i]) === value).length;
  plans.forEach((plan, i) => {
    const gate = new Gate();
    const job: Job = {
      ...plan,
      run: async () => {
        started.push(i);
        running.set(i, gate);
        if (countBy((p) => p.pool, plan.pool) > limits[plan.pool]) broken.push(`too many ${plan.pool}s`);
        if (plan.host && countBy((p) => p.host, plan.host) > limits.perHost) broken.push(`too many for ${plan.host}`);
        if (plan.key && countBy((p) => p.key, plan.key) > 1) broken.push(`${plan.key} overlaps`);
        await gate.opened;
      },
    };
    dispatcher.submit(job);
  });
  for (let step = 0; running.size > 0; step++) {
    const ids = [...running.keys()];
    const id = ids[(picks[step % picks.length] ?? 0) % ids.length];
    running.get(id)!.open();
    running.delete(id);
    for (let i = 0; i < 5; i++) await Promise.resolve(); // lets the next ones start
  }
  await dispatcher.drained();
  return { started, broken };
}

describe('the dispatcher', () => {
  const plan = fc.record<Plan>(
    {
      pool: fc.constantFrom('call', 'cast'),
      key: fc.constantFrom('s1', 's2', 's3'),
      host: fc.constantFrom('h1', 'h2'),
    },
    { requiredKeys: ['pool'] },
  );
  const limits = fc.record({
    cast: fc.integer({ min: 1, max: 4 }),
    call: fc.integer({ min: 1, max: 4 }),
    perHost: fc.integer({ min: 1, max: 3 }),
  });

  it('runs every job once, within the bounds, in order per key', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(plan, { maxLength: 30 }),
        limits,
        fc.array(fc.nat(), { minLength: 1, maxLength: 30 }),
        async (plans, bounds, picks) => {
          const { started, broken } = await run(plans, bounds, picks);
          expect(broken).toEqual([]);
          expect([...started].sort((a, b) => a - b)).toEqual(plans.map((_, i) => i));
          for (const key of ['s1', 's2', 's3']) {
            const order = started.filter((i) => plans[i].key === key);
            expect(order).toEqual([...order].sort((a, b) => a - b));
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('gives back what has not started, the last first, and forgets it', async () => {
    const dispatcher = new Dispatcher({ cast: 1, call: 1, perHost: 9 });
    const gate = new Gate();
    const released: string[] = [];
    const job = (name: string): Job => ({ pool: 'cast', run: () => gate.opened, release: () => released.push(name) });
    for (const name of ['a', 'b', 'c']) dispatcher.submit(job(name));
    dispatcher.releaseWaiting();
    expect(released).toEqual(['c', 'b']);
    gate.open();
    await dispatcher.drained();
  });
});

describe('Fifo', () => {
  it('behaves as an array would', () => {
    const command = fc.oneof(
      fc.constant('shift'),
      fc.constant('drain'),
      fc.integer(),
      fc.record({ first: fc.integer() }),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 200 }), (commands) => {
        const fifo = new Fifo<number>();
        let model: number[] = [];
        for (const c of commands) {
          if (c === 'shift') expect(fifo.shift()).toBe(model.shift());
          else if (c === 'drain') {
            expect(fifo.drain()).toEqual(model);
            model = [];
          } else if (typeof c === 'number') {
            fifo.push(c);
            model.push(c);
          } else if (typeof c === 'object') {
            fifo.unshift(c.first);
            model.unshift(c.first);
          }
          expect(fifo.length).toBe(model.length);
        }
      }),
    );
  });

  it('stays in order over many rounds', () => {
    const fifo = new Fifo<number>();
    let next = 0;
    for (let i = 0; i < 10_000; i++) {
      fifo.push(2 * i);
      fifo.push(2 * i + 1);
      expect(fifo.shift()).toBe(next++);
    }
    expect(fifo.drain()[0]).toBe(next);
  });
});
