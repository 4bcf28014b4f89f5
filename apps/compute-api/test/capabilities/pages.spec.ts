import { randomUUID } from 'node:crypto';
import { HostsRepository, HypervisorsRepository, openComputeDatabase } from '@fractus/compute-db';
import type { Database } from '@fractus/database';
import { systemContext } from '@fractus/objects';
import { HypervisorsCapabilities } from '../../src/app/capabilities/hypervisor-capabilities';
import { hostState, uuid } from '../hosts/hosts-world';

const HOSTS = 2100;
/** Few of many have both: only the last ones of thousands, and some at the beginning. */
const able = (n: number): boolean => n % 3 === 0;
const gold = (n: number): boolean => n < 30 || n > 2050;

describe('pages of hypervisors by their capabilities', () => {
  let db: Database;
  let asked: number[];
  let pages: HypervisorsCapabilities;
  beforeAll(async () => {
    db = await openComputeDatabase({ url: 'sqlite::memory:' });
    const states = Array.from({ length: HOSTS }, (_, i) =>
      hostState(i + 1, { capabilities: { supports_multiattach: able(i + 1) } }),
    );
    const agent = { agentId: 'a', incarnation: 1, serviceVersion: 1 };
    const hosts = new HostsRepository(db);
    for (let i = 0; i < HOSTS; i += 500) await hosts.register(agent, states.slice(i, i + 500), randomUUID, Date.now());
    asked = [];
    pages = new HypervisorsCapabilities({
      hypervisors: new HypervisorsRepository(db),
      hosts: new HostsRepository(db),
      attempts: { since: async () => ({ attempts: [], truncated: false }) },
      // Placement is the edge here
      placement: {
        getTrees: async (_ctx, { rootIds }) => {
          asked.push(rootIds.length);
          const about = { generation: 1, parentId: null, inventories: {}, usages: {}, aggregates: [] };
          const traitsOf = (id: string): string[] => (gold(Number(id.slice(-12))) ? ['CUSTOM_GOLD'] : []);
          return {
            providers: rootIds.map((id) => ({
              ...about,
              providerId: id,
              rootId: id,
              name: id,
              traits: traitsOf(id),
            })),
          };
        },
      },
      isUp: () => true,
      now: Date.now,
    });
  });
  afterAll(() => db.close());

  async function walk(limit: number, query: { traits?: string[]; capabilities?: string[] }): Promise<string[][]> {
    const seen: string[][] = [];
    let marker: { id: string } | null = null;
    do {
      const page = await pages.page(systemContext('req-1'), { traits: [], capabilities: [], ...query, limit, marker });
      seen.push(page.items.map((i) => i.hypervisor.nodeId));
      marker = page.next ? { id: page.next.nodeId } : null;
    } while (marker && seen.length < 5000);
    return seen;
  }
  const wanted = (keep: (n: number) => boolean): string[] =>
    Array.from({ length: HOSTS }, (_, i) => i + 1)
      .filter(keep)
      .map(uuid);

  it.each([7, 200, 1000])('of %d visit each that has all of it once, in order', async (limit) => {
    const both = await walk(limit, { traits: ['CUSTOM_GOLD'], capabilities: ['supports_multiattach'] });
    expect(both.flat()).toEqual(wanted((n) => able(n) && gold(n)));
    expect((await walk(limit, { capabilities: ['supports_multiattach'] })).flat()).toEqual(wanted(able));
    expect((await walk(limit, {})).flat()).toEqual(wanted(() => true));
    expect(both.every((page) => page.length <= limit)).toBe(true);
  });

  it('are given before they are full when too many were looked at', async () => {
    const found = await walk(1000, { traits: ['CUSTOM_GOLD'] });
    expect(found.map((page) => page.length)).toEqual([29, 50]);
  });

  it('ask Placement for what is shown, or for a batch', async () => {
    asked.length = 0;
    await pages.page(systemContext('req-1'), { traits: [], capabilities: [], limit: 3, marker: null });
    expect(asked).toEqual([3]);
    await pages.page(systemContext('req-1'), { traits: [], capabilities: [], limit: 0, marker: null });
    expect(asked).toEqual([3]);
  });
});
