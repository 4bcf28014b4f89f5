/**
 * Every app is stopped in good order and started again, one process after the other, while servers are booted, shown
 * and listed all the time. Only connections that the stopped Compute API refuses may fail; the client then asks the
 * other one.
 */
import { DistributedCloud, eventually, everythingIsGone, NANO, pause, Servers } from '@fractus/testing';
import type { ApiAnswer, CloudUser } from '@fractus/testing';
import { booksMatch, loose } from './accounts';
import { Boots } from './boots';

const LANES = 4;
const APPS = ['compute-api', 'conductor', 'scheduler', 'placement', 'compute-agent'];

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a story reads whatever the wire brings
type Answer = ApiAnswer<any>;

describe('a rolling restart', () => {
  let cloud: DistributedCloud;
  let project: string;
  /** One for each Compute API. */
  let users: CloudUser[];
  const failures: string[] = [];
  const refused: Record<string, number> = {};
  let asked = 0;
  let turn = 0;
  let goOn = true;
  let restarting = '';

  beforeAll(async () => {
    cloud = await DistributedCloud.start({
      hosts: 10,
      checked: false,
      env: {
        FRACTUS_COMPUTE_API_QUOTA_INSTANCES: '-1',
        FRACTUS_COMPUTE_API_QUOTA_CORES: '-1',
        FRACTUS_COMPUTE_API_QUOTA_RAM: '-1',
      },
    });
    project = await cloud.demo.projectId();
    await cloud.admin.network.put(`/quotas/${project}`, { quota: { port: -1 } });
    users = cloud.processes('compute-api').map(({ url = '' }) => cloud.demoAt(url));
    for (const user of users) await user.authenticate();
  }, 180_000);
  afterAll(() => cloud?.close(), 60_000);

  /** Asks one API, and the next where that one refuses the connection. Whatever else is no success is noted. */
  async function ask(
    what: string,
    request: (user: CloudUser) => Promise<Answer>,
    good: number,
  ): Promise<Answer | null> {
    const first = turn++;
    for (let tries = 0; tries < users.length; tries++) {
      asked++;
      const at = (first + tries) % users.length;
      const since = restarting; // the answer to a question may come when the next restart has begun
      try {
        const answer = await request(users[at]!);
        if (answer.status === good) return answer;
        failures.push(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
        return null;
      } catch (e) {
        const { cause } = e as { cause?: { code?: string; syscall?: string } };
        // a connection that still waited in line when the listener went is reset before it is one
        const neverMade =
          cause?.code === 'ECONNREFUSED' || (cause?.code === 'ECONNRESET' && cause.syscall === 'connect');
        if (!neverMade) {
          failures.push(`${what}: ${(e as Error).message} ${cause?.code ?? ''} ${String(cause)}`);
          return null;
        }
        const name = `compute-api-${at + 1}`;
        refused[name] = (refused[name] ?? 0) + 1;
        if (name !== restarting && name !== since)
          failures.push(`${what}: ${name} refuses while ${restarting} restarts`);
      }
    }
    failures.push(`${what}: refused by all`);
    return null;
  }

  async function bootLane(body: (n: number) => Record<string, unknown>, ids: string[]): Promise<void> {
    while (goOn) {
      const request = body(ids.length);
      const made = await ask('boot', (user) => user.compute.post('/servers', request, { version: '2.37' }), 202);
      if (!made) continue; // noted
      const id: string = made.body.server.id;
      ids.push(id);
      await eventually(
        `server ${id} is ACTIVE`,
        async () => {
          const shown = await ask('show', (user) => user.compute.get(`/servers/${id}`), 200);
          const status = shown?.body.server.status;
          if (status === 'ERROR') throw new Error(JSON.stringify(shown?.body.server.fault));
          return !shown || status === 'ACTIVE' ? true : `${status} ${shown.body.server['OS-EXT-STS:task_state']}`;
        },
        120_000,
        50,
      );
    }
  }

  async function listLane(): Promise<void> {
    for (; goOn; await pause(100)) await ask('list', (user) => user.compute.get('/servers/detail?limit=20'), 200);
  }

  it('of every app is seen by nobody but for refused connections', async () => {
    const boots = new Boots(cloud.demo);
    const imageRef = await new Servers(cloud.demo).imageId();
    const body = (n: number): Record<string, unknown> => ({
      server: { name: `roll-${n}`, imageRef, flavorRef: NANO, networks: 'auto' },
    });
    const ids: string[] = [];
    const load = Promise.all([...Array.from({ length: LANES }, () => bootLane(body, ids)), listLane()]);
    load.catch(() => (goOn = false));
    const restarted: string[] = [];
    try {
      for (const { name } of APPS.flatMap((app) => cloud.processes(app))) {
        const before = ids.length;
        restarting = name;
        await cloud.stop(name);
        await cloud.launch(name);
        await cloud.ready([name]);
        // the load goes on with the process back
        await eventually('boots go on', async () => ids.length > before + LANES || !goOn || `${ids.length} servers`);
        restarted.push(`${name} at ${before}`);
      }
    } finally {
      goOn = false;
      await load;
    }
    console.log(
      `${asked} requests, ${ids.length} servers; refused: ${JSON.stringify(refused)}; ${restarted.join(', ')}`,
    );
    expect(failures).toEqual([]);
    const servers = await boots.settled(60_000);
    expect(servers.filter((s) => s.status !== 'ACTIVE')).toEqual([]);
    expect(servers.map((s) => s.id).sort()).toEqual([...ids].sort());
    await booksMatch(cloud, project, servers);
    expect(await loose(cloud)).toEqual([]);
    await boots.deleteAll(servers);
    await everythingIsGone(cloud, [project]);
  }, 400_000);
});
