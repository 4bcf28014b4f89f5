/**
 * `kill -9` of every kind of process, of RabbitMQ and of MariaDB while servers are being booted, each started again a
 * few seconds later. What was accepted settles; no server runs twice; no allocation, port or unit of quota is lost or
 * left. By default all seven are killed in one boot; FRACTUS_FULL=1 boots 200 servers for each. FRACTUS_SEED repeats a
 * run's moments.
 */
import { randomInt } from 'node:crypto';
import { DistributedCloud, everythingIsGone, inParallel, pause, randomFrom } from '@fractus/testing';
import { booksMatch, loose } from './accounts';
import { Boots, type Shown } from './boots';

const FULL = process.env['FRACTUS_FULL'] === '1';
const SEED = Number(process.env['FRACTUS_SEED'] ?? randomInt(2 ** 31));
const WIDE = 20;
const SETTLE_MS = 120_000;
const HOSTS = 20;

/** What is killed (a service of two processes: either), and how a server that fails over it must call it. */
const VICTIMS: Readonly<Record<string, RegExp>> = {
  conductor: /conductor/i,
  scheduler: /scheduler/i,
  'compute-agent': /agent|host-\d+/i,
  placement: /placement/i,
  'compute-api': /compute|API/i,
  rabbitmq: /rabbitmq|broker/i,
  mariadb: /database|mariadb/i,
};

describe(`kill -9 in a boot (seed ${SEED})`, () => {
  const random = randomFrom(SEED);
  const between = (least: number, most: number): number => least + random() * (most - least);
  let cloud: DistributedCloud;
  let boots: Boots;
  let project: string;
  let count = 0;

  beforeAll(async () => {
    cloud = await DistributedCloud.start({
      hosts: HOSTS,
      // one: a client whose API has died has nowhere else to go
      apis: 1,
      checked: false,
      env: {
        FRACTUS_COMPUTE_API_QUOTA_INSTANCES: '-1',
        FRACTUS_COMPUTE_API_QUOTA_CORES: '-1',
        FRACTUS_COMPUTE_API_QUOTA_RAM: '-1',
      },
    });
    project = await cloud.demo.projectId();
    expect((await cloud.admin.network.put(`/quotas/${project}`, { quota: { port: -1 } })).status).toBe(200);
  }, 180_000);
  afterAll(() => cloud?.close(), 60_000);
  beforeEach(async () => {
    boots = new Boots(cloud.demo);
    await boots.prepare();
  });

  /** Boots more servers, twenty at a time; some take a while at their host, so that a kill meets builds at every step. */
  async function boot(more: number): Promise<void> {
    const first = count;
    count += more;
    await inParallel(WIDE, more, async (n) => {
      const metadata: Record<string, string> = random() < 0.4 ? { 'sim:delay_spawn': between(0, 2).toFixed(2) } : {};
      await boots.boot(`kill-${first + n}`, metadata);
    });
  }

  /** One of the service's processes, or the service that has none. */
  function processOf(victim: string): string {
    const names = cloud.processes(victim).map((p) => p.name);
    return names[Math.floor(random() * names.length)] ?? victim;
  }

  /** Waits until so many more servers were accepted; fails with the boot. */
  async function accepted(more: number, booting: Promise<void>): Promise<void> {
    const enough = boots.accepted.length + more;
    while (boots.accepted.length < enough) await Promise.race([pause(5), booting]);
  }

  async function killAndStart(victim: string): Promise<void> {
    const name = processOf(victim);
    const { length } = boots.accepted;
    await cloud.kill(name);
    const down = between(1, 3);
    await pause(down * 1000);
    await cloud.launch(name);
    console.log(`${name}: killed after ${length} servers were accepted, started again ${down.toFixed(1)} s later`);
  }

  /** Waits until all have settled, and checks the accounts and what failed. */
  async function settles(killed: readonly string[], leastActive = 0.98): Promise<Shown[]> {
    const servers = await boots.settled(SETTLE_MS);
    const names = new Set(servers.map((s) => s.name));
    const { tally, unhelpful } = boots.patience;
    console.log(`client: ${boots.doubtful} doubtful boots, tried again: ${JSON.stringify(tally)}`);
    expect(boots.accepted.filter((name) => !names.has(name))).toEqual([]);
    expect(servers.length - names.size).toBeLessThanOrEqual(boots.doubtful);
    expect(unhelpful).toEqual([]);
    const failed = servers.filter((s) => s.status === 'ERROR').map((s) => s.fault?.message ?? '');
    const named = new RegExp(killed.map((v) => VICTIMS[v]?.source).join('|'), 'i');
    expect(failed.filter((message) => !named.test(message))).toEqual([]);
    expect({ enough: servers.length - failed.length >= servers.length * leastActive, failed }).toEqual({
      enough: true,
      failed,
    });
    await cloud.ready();
    await booksMatch(cloud, project, servers);
    expect(await loose(cloud)).toEqual([]);
    return servers;
  }

  async function clear(servers: readonly Shown[]): Promise<void> {
    await boots.deleteAll(servers);
    await everythingIsGone(cloud, [project]);
    expect(await loose(cloud)).toEqual([]);
  }

  async function survives(victims: readonly string[], servers: number): Promise<void> {
    const share = Math.ceil(servers / victims.length);
    for (const victim of victims) {
      const booting = boot(share);
      booting.catch(() => undefined); // told when it is awaited
      await accepted(Math.floor(between(0, share * 0.7)), booting);
      await pause(between(0, 100));
      await killAndStart(victim);
      await booting;
      if (victim !== victims.at(-1)) await cloud.ready();
    }
    await clear(await settles(victims));
  }

  if (FULL)
    it.each(Object.keys(VICTIMS))('of %s loses nothing and doubles nothing', (v) => survives([v], 200), 420_000);
  else it('of each in turn loses nothing and doubles nothing', () => survives(shuffled(), 154), 420_000);

  it('of one of two conductors that stays away: the other ends all of it', async () => {
    const asked = FULL ? 200 : 60;
    const booting = boot(asked);
    booting.catch(() => undefined);
    await accepted(Math.floor(between(asked / 4, asked / 2)), booting);
    const name = processOf('conductor');
    await cloud.kill(name);
    await booting;
    const servers = await boots.settled(SETTLE_MS);
    expect(servers.filter((s) => s.status !== 'ACTIVE')).toEqual([]);
    await booksMatch(cloud, project, servers);
    expect(await loose(cloud)).toEqual([]);
    await clear(servers);
    await cloud.launch(name);
    await cloud.ready();
  }, 420_000);

  /** Every victim, in the seed's order. */
  function shuffled(): string[] {
    const all = Object.keys(VICTIMS).map((name): [number, string] => [random(), name]);
    return all.sort(([a], [b]) => a - b).map(([, name]) => name);
  }
});
