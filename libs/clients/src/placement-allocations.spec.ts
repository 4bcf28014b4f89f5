/**
 * A task that lost its lease and its successor, at one consumer of a Placement that knows no fences, in every order of
 * their requests that fast-check thinks of.
 */
import fc from 'fast-check';
import { systemContext } from '@fractus/objects';
import { PlacementAllocations } from './placement-allocations';
import type { PlacementApi, PlacementCall } from './placement-api';

const ctx = systemContext('req-test');
const CONSUMER = 'server';

/** Upstream's rules for one consumer: a generation that grows with each write and goes with the last allocation. */
class Consumer {
  generation: number | null = null;
  holds = '';

  call({ method, json }: PlacementCall): { status: number; body: unknown } {
    const allocations = this.holds === '' ? {} : { [this.holds]: { resources: { VCPU: 1 } } };
    if (method === 'GET') return { status: 200, body: { allocations, consumer_generation: this.generation } };
    const sent = (method === 'POST' ? (json as Record<string, object>)[CONSUMER] : json) as {
      consumer_generation: number | null;
      allocations: object;
    };
    if (sent.consumer_generation !== this.generation) {
      const errors = [{ code: 'placement.concurrent_update', detail: 'consumer generation conflict' }];
      return { status: 409, body: { errors } };
    }
    this.holds = Object.keys(sent.allocations)[0] ?? '';
    this.generation = this.holds === '' ? null : (this.generation ?? 0) + 1;
    return { status: 204, body: undefined };
  }
}

const claim = (provider: string, fence: number, more: { consumerGeneration?: null } = {}) => ({
  consumers: [
    {
      consumerId: CONSUMER,
      projectId: 'p',
      userId: 'u',
      consumerType: 'INSTANCE',
      allocations: { [provider]: { resources: { VCPU: 1 } } },
      owner: { taskId: `task-${fence}`, fence },
      ...more,
    },
  ],
});

/** What the consumer held before, whether the task says what it expects, and whether it claims or gives back. */
const cases = fc.record({ before: fc.boolean(), named: fc.boolean(), undoes: fc.boolean() });

describe('claims where no fences are kept', () => {
  it.each([
    ['deletes', ''],
    ['claims', 'new'],
  ] as const)('are what the successor makes of them, when it %s', async (_what, wanted) => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.nat(8), cases, async (s, wait, { before, named, undoes }) => {
        const consumer = new Consumer();
        if (before) Object.assign(consumer, { generation: 1, holds: 'old' });
        let highest = 1;
        // what is asked arrives at some time, and so does the answer
        const away = async <T>(ask: () => T): Promise<T> => {
          await s.schedule(Promise.resolve());
          const answer = ask();
          await s.schedule(Promise.resolve());
          return answer;
        };
        const call = (_ctx: unknown, asked: PlacementCall) => away(() => consumer.call(asked));
        const fenceOf = () => away(() => highest);
        const api = { minor: async () => 39, width: 8, call } as unknown as PlacementApi;
        const late = new PlacementAllocations(api, fenceOf);
        const more = named && !before ? { consumerGeneration: null } : {};
        const write = (): Promise<unknown> => late.write(ctx, claim('old', 1, more));
        const undo = (): Promise<unknown> =>
          late.delete(ctx, { consumerId: CONSUMER, owner: { taskId: 'task-1', fence: 1 } });
        const first = (undoes ? undo() : write()).catch((e: unknown) => e);
        const successor = async (): Promise<void> => {
          for (let i = 0; i < wait; i++) await s.schedule(Promise.resolve());
          highest = 2;
          const own = new PlacementAllocations(api, fenceOf);
          const owner = { taskId: 'task-2', fence: 2 };
          await (wanted === '' ? own.delete(ctx, { consumerId: CONSUMER, owner }) : own.write(ctx, claim(wanted, 2)));
        };
        await s.waitFor(Promise.all([first, successor()]));
        expect(consumer.holds).toBe(wanted);
      }),
      { numRuns: 300 },
    );
  });
});
