/**
 * 500 servers on 100 hosts, asked for twenty at a time and deleted while half of them are still being built. Whatever
 * meets whatever: all end, and no book of the cloud has a line left.
 */
import { eventually, everythingIsGone, inParallel, readBooks, Servers, useCloud } from '@fractus/testing';

const COUNT = 500;
const CONCURRENCY = 20;

describe('servers deleted while they are built', () => {
  const cloud = useCloud({
    hosts: 100,
    env: {
      FRACTUS_COMPUTE_API_QUOTA_INSTANCES: '-1',
      FRACTUS_COMPUTE_API_QUOTA_CORES: '-1',
      FRACTUS_COMPUTE_API_QUOTA_RAM: '-1',
      FRACTUS_COMPUTE_AGENT_SIMULATED_LATENCY: '{"spawn": 400, "destroy": 20}',
    },
  });

  it(`all ${COUNT} end, and nothing of them is left`, async () => {
    const demo = new Servers(cloud().demo);
    const project = await cloud().demo.projectId();
    await cloud().admin.network.put(`/quotas/${project}`, { quota: { port: -1 } });
    await demo.imageId();
    const waiting: string[] = [];
    const deleted: string[] = [];
    const statuses: Record<string, number> = {};
    const states = { BUILD: 0, ACTIVE: 0 };
    const remove = async (id: string) => {
      states[(await demo.show(id)).status as keyof typeof states]++;
      const { status } = await demo.user.compute.delete(`/servers/${id}`);
      statuses[status] = (statuses[status] ?? 0) + 1;
      deleted.push(id);
    };
    // a quarter goes as soon as it is asked for, in whatever step; a quarter while its host is at it and would never
    // end; the others a good while later, ready or not
    await inParallel(CONCURRENCY, COUNT, async (n) => {
      const metadata = n % 4 === 1 ? { 'sim:hang_spawn': 'alive' } : {};
      const id = await demo.create({ server: { networks: n % 3 ? 'auto' : 'none', metadata } });
      if (n % 4 === 0) return remove(id);
      waiting.push(id);
      if (waiting.length > 60) await remove(waiting.shift()!);
    });
    await inParallel(CONCURRENCY, waiting.length, async () => remove(waiting.shift()!));
    expect(states.BUILD).toBeGreaterThanOrEqual(COUNT / 4);
    expect(states.ACTIVE).toBeGreaterThan(0);
    expect(statuses).toEqual({ 204: COUNT });
    expect(new Set(deleted).size).toBe(COUNT);
    await eventually(
      'no server is left',
      async () => {
        const { body } = await demo.user.compute.get('/servers/detail');
        const left = body.servers.map(
          (s: { status: string; 'OS-EXT-STS:task_state': string }) => `${s.status}/${s['OS-EXT-STS:task_state']}`,
        );
        return left.length === 0 ? true : `${left.length}: ${[...new Set(left)].join(', ')}`;
      },
      240_000,
    );
    await inParallel(CONCURRENCY, COUNT, async (n) => {
      expect((await demo.user.compute.get(`/servers/${deleted[n]}`)).status).toBe(404);
    });
    await everythingIsGone(cloud(), [project]);
    const { doubles, guests } = await readBooks(cloud());
    expect({ doubles, guests }).toEqual({ doubles: [], guests: [] });
  }, 420_000);
});
