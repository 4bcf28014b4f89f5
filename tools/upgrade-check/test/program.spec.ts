import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openComputeDatabase } from '@fractus/compute-db';
import { TestCloud } from '@fractus/testing';
import { upgradeCheckOfCloud } from '../src/program';

interface Told {
  readonly check: string;
  readonly result: number;
  readonly details: string | null;
}

async function run(args: string[], env: NodeJS.ProcessEnv = {}) {
  const [outs, errs]: string[][] = [[], []];
  const output = { out: (line: string) => void outs?.push(line), err: (line: string) => void errs?.push(line) };
  const code = await upgradeCheckOfCloud(args, env, output);
  const told = (): Record<string, Told> => {
    const { checks } = JSON.parse((outs ?? []).join('')) as { checks: Told[] };
    return Object.fromEntries(checks.map((c) => [c.check, c]));
  };
  return { code, outs: outs ?? [], text: [...(outs ?? []), ...(errs ?? [])].join('\n'), told };
}

describe('npm run upgrade-check, beside a cloud that runs', () => {
  let cloud: TestCloud;
  beforeAll(async () => {
    cloud = await TestCloud.start({ hosts: 1 });
    const { name, password } = { name: 'admin', password: 'test-admin-secret' };
    const auth = { auth_url: `${cloud.urls.identity}/v3`, username: name, password, project_name: 'admin' };
    // what npm start leaves in its folder
    writeFileSync(join(cloud.stateDir, 'clouds.yaml'), JSON.stringify({ clouds: { fractus: { auth } } }));
    writeFileSync(join(cloud.stateDir, 'secrets.json'), JSON.stringify({ servicePassword: 'test-service-secret' }));
  }, 120_000);
  afterAll(() => cloud?.close(), 60_000);

  it('finds a cloud of this release fit', async () => {
    const { code, outs } = await run(['--state-dir', cloud.stateDir]);
    expect(outs.map((l) => l.trimEnd().split(/ {2,}/))).toEqual([
      ['CHECK', 'RESULT', 'DETAILS'],
      ['Database Schemas', 'success'],
      ['RPC Contracts In Use', 'success', 'one process: it has no contracts with others'],
      ['Oldest Agent', 'success'],
      ['Placement API', 'success'],
      ['Neighbours', 'success'],
      ['Policy Files', 'success'],
      ['Service User', 'success'],
    ]);
    expect(code).toBe(0);
  });

  it('asks as the operator, or else as the service user, that the variables name', async () => {
    const env = {
      FRACTUS_DATABASE_URL: `sqlite:${join(cloud.stateDir, 'databases/compute.db')}`,
      ...{ FRACTUS_AUTH_URL: cloud.urls.identity, FRACTUS_PASSWORD: 'test-service-secret' },
    };
    expect(await run([], env)).toMatchObject({ code: 0 });
    const wrong = await run(['--json'], { ...env, FRACTUS_PASSWORD: 'wrong' });
    expect(wrong.code).toBe(2);
    for (const check of ['Placement API', 'Neighbours', 'Service User'])
      expect(wrong.told()[check]).toMatchObject({
        result: 2,
        details: expect.stringContaining('refuses the credentials'),
      });
    const { FRACTUS_PASSWORD, ...nobody } = env;
    const unknown = (await run(['--json'], nobody)).told();
    expect(FRACTUS_PASSWORD).toBeDefined();
    expect(unknown['Service User']).toMatchObject({ result: 2, details: expect.stringContaining('is not known') });
  });

  it('tells what is behind, too old or not there', async () => {
    const policy = join(cloud.stateDir, 'policy.yaml');
    writeFileSync(policy, '"os_compute_api:servers:fly": "role:x"\n');
    const gone = 'http://127.0.0.1:1';
    const ran = await run(
      ['--json', '--state-dir', cloud.stateDir, '--compute-policy-file', policy, '--placement-endpoint', gone],
      {},
    );
    expect(ran.code).toBe(2);
    expect(ran.told()['Policy Files']).toMatchObject({
      ...{ result: 1, details: 'compute: no API asks for the rule os_compute_api:servers:fly' },
    });
    expect(ran.told()['Placement API']).toMatchObject({ result: 2 });
    const compute = await openComputeDatabase({ url: `sqlite:${join(cloud.stateDir, 'databases/compute.db')}` });
    const [last] = await compute.query<{ id: number; name: string; timestamp: number }>(
      'SELECT * FROM migrations ORDER BY id DESC LIMIT 1',
    );
    await compute.execute('UPDATE services SET version = -1');
    const old = await run(['--json', '--state-dir', cloud.stateDir]);
    expect(old.told()['Oldest Agent']).toMatchObject({ result: 2, details: expect.stringContaining('too old') });
    await compute.execute('DELETE FROM migrations WHERE id = ?', [last?.id ?? 0]);
    const behind = await run(['--json', '--state-dir', cloud.stateDir]);
    expect(behind.told()['Database Schemas']).toMatchObject({
      ...{ result: 2, details: 'compute: 1 migration behind this release: npm run migrate -- compute' },
    });
    expect(behind.told()['Oldest Agent']).toMatchObject({
      result: 1,
      details: expect.stringContaining('not looked at'),
    });
    await compute.close();
  });

  it('ends with 255 where nothing can be told', async () => {
    expect(await run(['--state-dir', '/nowhere'])).toMatchObject({
      code: 255,
      text: expect.stringContaining('no state folder'),
    });
    expect((await run(['fly'])).code).toBe(2);
  });
});
