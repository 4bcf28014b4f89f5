import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IDENTITY_MIGRATIONS, IMAGE_MIGRATIONS, NETWORK_MIGRATIONS } from '@fractus/app-companions';
import { PLACEMENT_MIGRATIONS } from '@fractus/app-placement';
import { COMPUTE_MIGRATIONS, HostsRepository, openComputeDatabase } from '@fractus/compute-db';
import { migrateDatabase } from '@fractus/database';
import { eachDatabaseUrl } from '@fractus/database/testing';
import { type Admin, startAdmin } from '@fractus/process';
import { createMetrics } from '@fractus/telemetry';
import { doctor } from '../src/program';
import type { Examination, Told } from '../src/examine';
import { Writings } from './world';

async function run(args: string[], env: NodeJS.ProcessEnv = {}) {
  const written = new Writings();
  const code = await doctor(args, env, written);
  return {
    code,
    text: [...written.outs, ...written.errs].join('\n'),
    json: () => JSON.parse(written.outs.join('')) as Examination,
  };
}
const folders: string[] = [];
const newFolder = (): string => {
  folders.push(mkdtempSync(join(tmpdir(), 'fractus-doctor-')));
  return folders.at(-1)!;
};
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

const MIGRATIONS = {
  compute: COMPUTE_MIGRATIONS,
  placement: PLACEMENT_MIGRATIONS,
  identity: IDENTITY_MIGRATIONS,
  image: IMAGE_MIGRATIONS,
  network: NETWORK_MIGRATIONS,
};

describe('the doctor of a cloud in one process', () => {
  const cloud = async (): Promise<string> => {
    const folder = newFolder();
    mkdirSync(join(folder, 'databases'));
    mkdirSync(join(folder, 'logs'));
    for (const [name, migrations] of Object.entries(MIGRATIONS))
      await migrateDatabase({ url: `sqlite:${join(folder, 'databases', `${name}.db`)}`, migrations });
    const database = await openComputeDatabase({ url: `sqlite:${join(folder, 'databases/compute.db')}` });
    const hosts = new HostsRepository(database);
    await hosts.heartbeat('nova-conductor', 'c1', randomUUID, Date.now());
    await hosts.heartbeat('nova-compute', 'h1', randomUUID, Date.now());
    await database.transaction((tx) => tx.execute("DELETE FROM services WHERE binary_name = 'nova-compute'"));
    await database.close();
    return folder;
  };
  const log = (folder: string, ...lines: object[]): void =>
    writeFileSync(
      join(folder, 'logs', 'fractus.log'),
      `${lines.map((l) => JSON.stringify(l)).join('\n')}\n{"cut off in mid`,
    );
  const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

  it('looks at what is in its folder, and says what its reconcilers have done by themselves', async () => {
    const folder = await cloud();
    log(
      folder,
      { time: ago(9 * 3_600_000), msg: 'reconciled', reconciler: 'old', acted: 9 },
      { time: ago(600_000), msg: 'reconciled', reconciler: 'orphan-ports', acted: 2 },
      { time: ago(60_000), msg: 'reconciled', reconciler: 'orphan-ports', acted: 1 },
      { time: ago(600_000), msg: 'reconciler failed', reconciler: 'quota-audit', err: { message: 'gone again' } },
    );
    const { code, text } = await run(['--state-dir', folder]);
    expect(text.split('\n')).toEqual([
      'databases    ok       compute, placement, identity, image, network: reachable, schema of this release',
      'broker       –        one process needs none',
      expect.stringMatching(/^processes {4}– {8}no admin listeners are known/),
      'services     FINDING  no nova-compute has ever reported',
      'hosts        ok       0 hosts, each registered once',
      expect.stringMatching(/^resources {4}– {8}asked of Placement over RPC/),
      'reconcilers  ok       they run by themselves each minute; in the last hour they put right: orphan-ports 3 (by the log)',
      'tasks        ok       0 are open, none is stuck',
      expect.stringMatching(/^allocations {2}– {8}asked of Placement over RPC/),
      'guests       ok       0 hosts at rest, with as many guests as servers',
      expect.stringMatching(/^clocks {7}ok {7}0 hosts answered lately/),
      '',
      '1 finding.',
    ]);
    expect(code).toBe(1);
  });

  it('tells reconcilers that fail, and a database that is behind', async () => {
    const folder = await cloud();
    log(folder, { time: ago(20_000), reconciler: 'quota-audit', err: { message: 'no such table' } });
    await migrateDatabase({ url: `sqlite:${join(folder, 'databases/image.db')}`, migrations: [] });
    const database = await openComputeDatabase({ url: `sqlite:${join(folder, 'databases/compute.db')}` });
    await database.transaction((tx) => tx.execute('DELETE FROM migrations'));
    await database.close();
    const { code, json } = await run(['--state-dir', folder, '--json']);
    const { verdict, checks } = json();
    const told = Object.fromEntries(checks.map((c): [string, Told] => [c.name, c]));
    expect([code, verdict]).toEqual([1, 'findings']);
    expect(told['databases']?.findings).toEqual([
      { text: expect.stringContaining('is behind this release'), hint: 'npm run migrate -- compute' },
    ]);
    expect(told['reconcilers']?.findings[0]?.text).toMatch(/^quota-audit failed \d+ s ago: no such table$/);
    expect(told['tasks']).toMatchObject({ findings: [], unknown: expect.stringContaining('is behind this release') });
  });
});

describe('the doctor of a cloud of processes', () => {
  let ready = false;
  let admin: Admin;
  let nobody: string;
  beforeAll(async () => {
    const logLevel = { get: () => 'info', set: () => undefined };
    const part = { part: 'database' };
    const open = (): Promise<Admin> =>
      startAdmin({
        ...{ host: '127.0.0.1', port: 0, metrics: createMetrics(), logLevel },
        ready: async () => [ready ? { ...part, ok: true } : { ...part, ok: false, why: 'it is away' }],
      });
    const gone = await open();
    nobody = gone.url.replace('http://', '');
    await gone.close();
    admin = await open();
  });
  afterAll(() => admin.close());

  it('asks each process, and says what it cannot reach, each reason once', async () => {
    const { code, text } = await run(['--no-reconcile'], {
      FRACTUS_DATABASE_URL: `mysql://u:hunter2@${nobody}/n`,
      FRACTUS_RPC_URLS: `amqp://u:hunter2@${nobody}/`,
      FRACTUS_OPERATOR_ADMIN_URLS: `conductor-1=${admin.url},gone=http://${nobody}`,
    });
    expect(code).toBe(1);
    expect(text.split('\n')).toEqual([
      `databases    FINDING  cannot use the compute database mysql://u:***@${nobody}/n: connect ECONNREFUSED ${nobody}`,
      expect.stringMatching(
        /^broker {7}FINDING {2}the broker amqp:\/\/u:\*\*\*@\S+: RabbitMQ cannot be reached: .*ECONNREFUSED/,
      ),
      'processes    FINDING  conductor-1 is not ready (database: it is away)',
      `                      gone does not answer at http://${nobody}: connect ECONNREFUSED ${nobody}`,
      'services     UNKNOWN  for a reason that is told above',
      'hosts        UNKNOWN  for a reason that is told above',
      'resources    UNKNOWN  for a reason that is told above',
      'reconcilers  –        not run (--no-reconcile)',
      ...['tasks', 'allocations', 'guests', 'clocks'].map(
        (name) => `${name.padEnd(12)} UNKNOWN  for a reason that is told above`,
      ),
      '',
      '4 findings; cannot tell of: services, hosts, resources, tasks, allocations, guests, clocks.',
    ]);
  });

  it('cannot tell of a cloud of which it knows the processes alone', async () => {
    ready = true;
    const { code, json } = await run(['--json'], { FRACTUS_OPERATOR_ADMIN_URLS: `a=${admin.url}` });
    const { verdict, checks } = json();
    expect([code, verdict]).toEqual([2, 'unknown']);
    const told = Object.fromEntries(checks.map((c): [string, Told] => [c.name, c]));
    expect(told['databases']).toMatchObject({ skipped: expect.stringContaining('none is known') });
    expect(told['processes']).toMatchObject({ looked: '1 is ready', findings: [] });
    expect(told['services']).toMatchObject({ unknown: expect.stringContaining('the compute database is not known') });
  });
});

describe('the doctor', () => {
  it.each([
    [['cure'], /too many arguments|unknown command/],
    [['--service-down', 'x'], /a whole number of seconds/],
    [[], /say which cloud/],
    [['--database', 'sqlite:/x.db', 'allocations'], /is one process and has no broker/],
    [['--database', 'sqlite:/x.db', 'after-restore', 'image'], /knows compute and placement, not image/],
    [['--database', 'sqlite:/x.db', 'after-restore', 'placement'], /the placement database is not known/],
    [['--database', 'sqlite:/nowhere.db', 'after-restore', 'compute'], /there is no compute database/],
  ])('cannot tell, or is asked wrongly: %j', async (args, words) => {
    const { code, text } = await run(args);
    expect(text).toMatch(words);
    expect(code).toBe(2);
  });
});

eachDatabaseUrl('the doctor after a restore', (newUrl) => {
  it('is asked for compute and Placement, before anything runs', async () => {
    const [compute, placement] = [await newUrl(), await newUrl()];
    await migrateDatabase({ url: compute, migrations: COMPUTE_MIGRATIONS });
    await migrateDatabase({ url: placement, migrations: PLACEMENT_MIGRATIONS });
    const database = await openComputeDatabase({ url: compute });
    await new HostsRepository(database).heartbeat('nova-conductor', 'c1', randomUUID, Date.now());
    await database.close();
    const env = { FRACTUS_DATABASE_URL: compute, FRACTUS_PLACEMENT_DATABASE_URL: placement };
    const alive = await run(['after-restore', 'compute', 'placement'], env);
    expect([alive.code, alive.text]).toEqual([
      1,
      expect.stringMatching(/a service reported \d+ s ago: stop every process first/),
    ]);
    const done = await run(['after-restore', 'compute', 'placement', '--force'], env);
    expect([done.code, done.text.split('\n')]).toEqual([
      0,
      [
        'compute: the fences of 0 servers are raised, leases of former conductors are dropped',
        'placement: a new epoch is set, every process reads everything anew',
      ],
    ]);
  });
});
