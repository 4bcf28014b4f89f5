/** What a cloud says while RabbitMQ, MariaDB or identity is down, that it mends itself, and what wrong credentials do. */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { DistributedCloud, eventually, Servers } from '@fractus/testing';
import type { ApiAnswer, ClusterProcess } from '@fractus/testing';

const ROOT = resolve(__dirname, '../..');
/** What each kind of process needs, as its readiness names it. */
const NEEDS: Readonly<Record<string, { broker: boolean; database: boolean }>> = {
  'compute-api': { broker: true, database: true },
  conductor: { broker: true, database: true },
  scheduler: { broker: true, database: true },
  placement: { broker: true, database: true },
  'compute-agent': { broker: true, database: false },
  identity: { broker: false, database: true },
  image: { broker: false, database: true },
  network: { broker: false, database: true },
};

interface Readiness {
  readonly ok: boolean;
  readonly checks: readonly { part: string; ok: boolean; why?: string }[];
}

describe('a cloud without one of its parts', () => {
  let cloud: DistributedCloud;
  beforeAll(async () => {
    cloud = await DistributedCloud.start({ hosts: 4, checked: false });
    await cloud.demo.authenticate();
    await cloud.admin.authenticate();
  }, 180_000);
  afterAll(() => cloud?.close(), 60_000);
  afterEach(async () => {
    // a test that failed half-way leaves the next one a whole cloud
    for (const name of ['mariadb', 'rabbitmq', 'identity']) await cloud.launch(name);
    await cloud.ready();
  }, 120_000);

  const readiness = async ({ admin }: ClusterProcess): Promise<[number, Readiness]> => {
    const answer = await fetch(`${admin}/readyz`);
    return [answer.status, (await answer.json()) as Readiness];
  };
  const needing = (part: 'broker' | 'database'): readonly ClusterProcess[] =>
    cloud.processes().filter((p) => NEEDS[p.service]?.[part]);

  /** Every process that needs the part says 503 and names it; the others stay ready. */
  async function unreadyWith(part: 'broker' | 'database', name: RegExp): Promise<void> {
    for (const process of needing(part))
      await eventually(`${process.name} is not ready`, async () => {
        const [status, { ok, checks }] = await readiness(process);
        const bad = checks.filter((c) => !c.ok);
        const told = status === 503 && !ok && bad.some((c) => name.test(c.part) && c.why);
        return told || `${status} ${JSON.stringify(checks)}`;
      });
    for (const process of cloud.processes().filter((p) => !needing(part).includes(p))) {
      expect([process.name, (await readiness(process))[0]]).toEqual([process.name, 200]);
      expect((await fetch(`${process.admin}/healthz`)).status).toBe(200);
    }
  }

  function isUnavailable(what: string, { status, headers, body }: ApiAnswer): void {
    expect([what, status, headers.get('retry-after'), JSON.stringify(body)]).toEqual([
      what,
      503,
      expect.stringMatching(/^[1-9]\d*$/),
      expect.not.stringMatching(/ECONN|SELECT|mysql2|at \w+ \(/i),
    ]);
  }

  it('without RabbitMQ takes boots or says when to come again, serves what it has, and builds when it is back', async () => {
    const demo = new Servers(cloud.demo);
    const before = await demo.boot();
    await cloud.kill('rabbitmq');
    await unreadyWith('broker', /broker|rpc|rabbit/i);
    const taken: string[] = [];
    for (let i = 0; i < 4; i++) {
      const answer = await demo.request();
      if (answer.status === 202) taken.push(answer.body.server.id);
      else isUnavailable('boot', answer);
    }
    const removed = await cloud.demo.compute.delete(`/servers/${before}`);
    if (removed.status !== 204) isUnavailable('delete', removed);
    const stopped = await demo.request();
    if (stopped.status === 202) taken.push(stopped.body.server.id);
    expect((await cloud.demo.compute.get('/servers/detail')).status).toBe(200);
    expect((await cloud.admin.compute.get('/os-hypervisors')).status).toBe(200);
    expect((await cloud.admin.placement.get('/resource_providers', { version: '1.39' })).status).toBe(200);
    await cloud.launch('rabbitmq');
    for (const id of taken) await demo.becomes(id, 'ACTIVE');
    await demo.delete(before, ...taken);
    await cloud.ready();
  });

  it('without MariaDB every API says 503 and when to come again; all is well when it is back', async () => {
    const demo = new Servers(cloud.demo);
    const before = await demo.boot();
    await cloud.kill('mariadb');
    await unreadyWith('database', /database/i);
    const { admin } = cloud;
    const asked: [string, () => Promise<ApiAnswer>][] = [
      ['compute list', () => admin.compute.get('/servers/detail')],
      ['compute show', () => admin.compute.get(`/servers/${before}`)],
      ['compute flavors', () => admin.compute.get('/flavors')],
      ['compute boot', () => demo.request()],
      ['compute stop', () => demo.act(before, { 'os-stop': null })],
      ['compute delete', () => admin.compute.delete(`/servers/${before}`)],
      ['placement', () => admin.placement.get('/resource_providers', { version: '1.39' })],
      [
        'placement candidates',
        () => admin.placement.get('/allocation_candidates?resources=VCPU:1', { version: '1.39' }),
      ],
      ['identity', () => admin.identity.get('/projects')],
      ['image', () => admin.image.get('/images')],
      ['network', () => admin.network.get('/networks')],
    ];
    // at once: each waits for some seconds whether the database comes back
    const answers = await Promise.all(asked.map(async ([what, ask]) => [what, await ask()] as const));
    for (const [what, answer] of answers) isUnavailable(what, answer);
    const login = await fetch(`${cloud.urls.identity}/v3/auth/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        auth: {
          identity: {
            methods: ['password'],
            password: { user: { name: 'demo', domain: { id: 'default' }, password: 'x' } },
          },
        },
      }),
    });
    isUnavailable('login', { status: login.status, headers: login.headers, body: await login.json() });
    await cloud.launch('mariadb');
    for (const process of cloud.processes())
      await eventually(`${process.name} is ready again`, async () => {
        const [status, { checks }] = await readiness(process);
        return status === 200 || JSON.stringify(checks);
      });
    expect((await cloud.demo.compute.get(`/servers/${before}`)).status).toBe(200);
    await demo.delete(before, await demo.boot());
  });

  it('without identity a token that nobody knows yet is 503, never refused; afterwards it is taken', async () => {
    const other = await cloud.newUser({ name: 'stranger' });
    await other.authenticate();
    for (const _api of cloud.processes('compute-api')) await cloud.demo.compute.get('/servers');
    await cloud.kill('identity');
    isUnavailable('compute', await other.compute.get('/servers'));
    isUnavailable('placement', await other.placement.get('/usages?project_id=x', { version: '1.39' }));
    isUnavailable('image', await other.image.get('/images'));
    isUnavailable('network', await other.network.get('/networks'));
    // who is known already is served
    expect((await cloud.demo.compute.get('/servers')).status).toBe(200);
    await cloud.launch('identity');
    await cloud.ready();
    expect((await other.compute.get('/servers')).status).toBe(200);
  });

  describe('with wrong credentials', () => {
    /** Runs a process of the cluster as it was planned, but for one variable; what it says and its exit code. */
    async function run(
      service: string,
      change: Record<string, string>,
    ): Promise<{ code: number | null; text: string }> {
      const [planned] = cloud.processes(service);
      if (!planned) throw new Error(`no ${service}`);
      const free = { FRACTUS_ADMIN_PORT: '0', FRACTUS_PORT: '0', FRACTUS_STATE_DIR: `${cloud.folder}/other-agent` };
      const child = spawn(process.execPath, [`${ROOT}/dist/apps/${planned.app}/main.js`, ...planned.args], {
        env: { PATH: process.env['PATH'], ...planned.env, ...free, ...change },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let text = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
      const late = setTimeout(() => child.kill('SIGKILL'), 30_000);
      const code = await new Promise<number | null>((done) => child.once('exit', done));
      clearTimeout(late);
      return { code, text };
    }
    const spoilt = (url: string): string => url.replace(/:\/\/([^:]+):[^@]+@/, '://$1:not-the-secret@');
    const variable = (service: string, name: string): string => cloud.processes(service)[0]?.env[name] ?? '';

    it.each(['conductor', 'compute-api', 'scheduler', 'placement', 'identity', 'image', 'network'])(
      'for the database %s ends with a clear word and code 1',
      async (service) => {
        const { code, text } = await run(service, {
          FRACTUS_DATABASE_URL: spoilt(variable(service, 'FRACTUS_DATABASE_URL')),
        });
        expect([code, text]).toEqual([1, expect.stringMatching(/^\w[\w-]*: .*(access denied|refused|password)/im)]);
        expect(text).not.toContain('not-the-secret');
      },
    );

    it.each(['conductor', 'compute-api', 'scheduler', 'placement', 'compute-agent'])(
      'for the broker %s ends with a clear word and code 1',
      async (service) => {
        const { code, text } = await run(service, {
          FRACTUS_RPC_URLS: spoilt(variable(service, 'FRACTUS_RPC_URLS')),
        });
        expect([code, text]).toEqual([1, expect.stringMatching(/^\w[\w-]*: .*(access|refused|login|password)/im)]);
        expect(text).not.toContain('not-the-secret');
      },
    );
  });
});
