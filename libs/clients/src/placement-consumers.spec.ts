import fc from 'fast-check';
import { systemContext } from '@fractus/objects';
import type { PlacementApi, PlacementCall } from './placement-api';
import { PlacementConsumers } from './placement-consumers';

const ctx = systemContext('req-test');

/** A Placement with these holders by provider; `walks` counts how often its providers were listed. */
function estate(holders: readonly (readonly string[])[]) {
  let walks = 0;
  const gone = new Set<string>();
  const call = async (_ctx: unknown, { path }: PlacementCall): Promise<{ status: number; body: unknown }> => {
    if (path === '/resource_providers') {
      walks++;
      return { status: 200, body: { resource_providers: holders.map((_, i) => ({ uuid: String(i) })) } };
    }
    const held = holders[Number(path.split('/')[2])] ?? [];
    return { status: 200, body: { allocations: Object.fromEntries(held.map((c) => [c, {}])) } };
  };
  const get = async (_ctx: unknown, { consumerId }: { consumerId: string }) => ({
    consumerId,
    consumerGeneration: gone.has(consumerId) ? null : 1,
    allocations: {},
  });
  return { api: { call, width: 8 } as unknown as PlacementApi, source: { get }, gone, walks: () => walks };
}

async function all(list: PlacementConsumers, limit: number): Promise<string[]> {
  const seen: string[] = [];
  for (;;) {
    const marker = seen.at(-1);
    const { consumers } = await list.list(ctx, { limit, ...(marker === undefined ? {} : { marker }) });
    seen.push(...consumers.map((c) => c.consumerId));
    if (consumers.length < limit) return seen;
  }
}

describe('consumers read off providers', () => {
  const holder = fc.integer({ min: 0, max: 60 }).map((n) => `c${String(n).padStart(3, '0')}`);
  const holders = fc.array(fc.array(holder, { maxLength: 12 }), { maxLength: 8 });

  it('come each once and in order, whatever the page and the room there is', async () => {
    await fc.assert(
      fc.asyncProperty(
        holders,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 20 }),
        fc.array(holder, { maxLength: 4 }),
        async (held, limit, room, left) => {
          const { api, source, gone } = estate(held);
          for (const c of left) gone.add(c);
          const there = [...new Set(held.flat())].filter((c) => !gone.has(c)).sort();
          expect(await all(new PlacementConsumers(api, source, room), limit)).toEqual(there);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('are walked once for as many pages as there is room for, and anew from the beginning', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `c${i + 100}`);
    const { api, source, walks } = estate([names.slice(0, 25), names.slice(15)]);
    const list = new PlacementConsumers(api, source, 100);
    expect(await all(list, 7)).toEqual(names);
    expect(walks()).toBe(1);
    await list.list(ctx, { limit: 7 });
    expect(walks()).toBe(2);
  });
});
