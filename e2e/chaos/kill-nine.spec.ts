/**
 * `kill -9` of the whole cloud at random moments while servers are being booted, started again each time. A server that
 * was accepted settles; none runs twice; no allocation, port or unit of quota is lost or left.
 * FRACTUS_FULL=1 kills 20 times in the boot of 100 servers; FRACTUS_SEED repeats a run.
 */
import { randomInt } from 'node:crypto';
import { eventually, inParallel, pause, ProcessCloud, randomFrom, readBooks, Servers } from '@fractus/testing';

const FULL = process.env['FRACTUS_FULL'] === '1';
const KILLS = FULL ? 20 : 6;
const COUNT = FULL ? 100 : 60;
const SEED = Number(process.env['FRACTUS_SEED'] ?? randomInt(2 ** 31));

describe('kill -9', () => {
  let cloud: ProcessCloud;
  let demo: Servers;
  beforeAll(async () => {
    cloud = await ProcessCloud.prepare({ hosts: 12 });
    demo = new Servers(cloud.demo);
    await cloud.start();
    const project = await cloud.demo.projectId();
    const unlimited = { quota_set: { instances: -1, cores: -1, ram: -1 } };
    expect((await cloud.admin.compute.put(`/os-quota-sets/${project}`, unlimited)).status).toBe(200);
    expect((await cloud.admin.network.put(`/quotas/${project}`, { quota: { port: -1 } })).status).toBe(200);
    await demo.imageId();
  }, 90_000);
  afterAll(() => cloud.close());

  const names = async (): Promise<Set<string>> => {
    const { body } = await cloud.demo.compute.get('/servers?limit=1000');
    return new Set(body.servers.map((s: { name: string }) => s.name));
  };

  /** Asks for the servers of one life of the cloud; a request that a kill cuts off is found out about in the next. */
  async function ask(from: number, to: number, random: () => number): Promise<void> {
    const known = await names();
    const wanted = Array.from({ length: to - from }, (_, i) => `chaos-${from + i}`).filter((name) => !known.has(name));
    await inParallel(5, wanted.length, async (n) => {
      const metadata: Record<string, string> = random() < 0.3 ? { 'sim:delay_spawn': (random() * 1.5).toFixed(2) } : {};
      await demo.create({ server: { name: wanted[n], networks: 'auto', metadata } });
    });
  }

  it(
    `${KILLS} times in the boot of ${COUNT} servers loses nothing and doubles nothing (seed ${SEED})`,
    async () => {
      const random = randomFrom(SEED);
      const share = Math.ceil(COUNT / KILLS);
      const starts: number[] = [];
      for (let kill = 0; kill < KILLS; kill++) {
        const asking = ask(kill * share, Math.min(COUNT, (kill + 1) * share), random).catch(() => 'cut off');
        await pause(random() * 2000);
        await cloud.end('SIGKILL');
        await asking;
        cloud.launch();
        if (random() < 0.2) {
          // some kills hit the start itself
          await pause(random() * 1500);
          await cloud.end('SIGKILL');
          cloud.launch();
        }
        starts.push(await cloud.ready());
      }
      const lastStart = Date.now();
      await ask(0, COUNT, random);

      let servers: { id: string; status: string; fault?: unknown; 'OS-EXT-STS:task_state': string | null }[] = [];
      await eventually(
        'every server settles',
        async () => {
          servers = (await cloud.demo.compute.get('/servers/detail?limit=1000')).body.servers;
          const moving = servers.filter(
            (s) => s['OS-EXT-STS:task_state'] !== null || !['ACTIVE', 'ERROR'].includes(s.status),
          );
          return moving.length === 0
            ? true
            : `${moving.length} of ${servers.length} are not settled, e.g. ${JSON.stringify(moving[0])}`;
        },
        60_000 - (Date.now() - lastStart),
      );
      const active = servers
        .filter((s) => s.status === 'ACTIVE')
        .map((s) => s.id)
        .sort();
      expect(servers).toHaveLength(COUNT);
      const failed = servers.filter((s) => s.status !== 'ACTIVE').map((s) => s.fault);
      expect({ active: active.length >= COUNT * 0.98, failed }).toEqual({
        active: true,
        failed: failed.slice(0, Math.floor(COUNT * 0.02)),
      });

      const project = await cloud.demo.projectId();
      const books = await readBooks(cloud, [project]);
      expect(books.doubles).toEqual([]);
      expect([...books.guests].sort()).toEqual(active);
      expect([...books.consumers].sort()).toEqual(active);
      expect(books.ports).toHaveLength(active.length);
      expect(books.quota[project]).toEqual({ instances: COUNT, cores: COUNT, ram: COUNT * 128 });
      expect(starts).toHaveLength(KILLS);
    },
    FULL ? 420_000 : 240_000,
  );

  it('leaves a cloud in which all of it can be deleted', async () => {
    const { body } = await cloud.demo.compute.get('/servers?limit=1000');
    await inParallel(10, body.servers.length, async (n) => demo.delete(body.servers[n].id));
    const { consumers, used, ports, guests, quota } = await readBooks(cloud, [await cloud.demo.projectId()]);
    expect({ consumers, used, ports, guests }).toEqual({ consumers: [], used: 0, ports: [], guests: [] });
    expect(Object.values(quota)).toEqual([{ instances: 0, cores: 0, ram: 0 }]);
  }, 120_000);
});
